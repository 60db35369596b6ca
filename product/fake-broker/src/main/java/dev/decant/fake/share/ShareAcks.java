package dev.decant.fake.share;

import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ShareAcknowledgeRequest;
import dev.decant.kafka.protocol.message.ShareFetchRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The acknowledgements of a request, of any API that has them. */
final class ShareAcks {
  private static final int FIRST_WITH_RENEWAL = 2;

  private final ShareGroups groups;
  private final Map<ShareKey, List<Ack>> acks = new LinkedHashMap<>();

  /**
   * The result of a partition's acknowledgements.
   *
   * @param error NONE if all are applied
   * @param message text of the broker, null for none
   */
  record Outcome(ErrorCode error, @Nullable String message) {
    private static final Outcome FINE = new Outcome(ErrorCode.NONE, null);

    static Outcome of(ErrorCode error) {
      return new Outcome(error, null);
    }
  }

  ShareAcks(ShareGroups groups, ShareFetchRequest request) {
    this.groups = groups;
    request.topics().forEach(topic -> topic.partitions().forEach(p -> acks.put(
        new ShareKey(topic.topicId(), p.partitionIndex()),
        p.acknowledgementBatches().stream().map(Ack::of).toList())));
  }

  ShareAcks(ShareGroups groups, ShareAcknowledgeRequest request) {
    this.groups = groups;
    request.topics().forEach(topic -> topic.partitions().forEach(p -> acks.put(
        new ShareKey(topic.topicId(), p.partitionIndex()),
        p.acknowledgementBatches().stream().map(Ack::of).toList())));
  }

  /** Returns true if a fetch has acknowledgements. */
  static boolean areIn(ShareFetchRequest request) {
    return request.topics().stream()
        .anyMatch(topic -> topic.partitions().stream().anyMatch(p -> !p.acknowledgementBatches().isEmpty()));
  }

  /**
   * Applies the acknowledgements.
   *
   * @param member the member that acknowledges
   * @param isRenewal true if the request says that it renews locks
   */
  Map<ShareKey, Outcome> apply(ShareSessions.Key member, RequestContext context, boolean isRenewal) {
    byte largest = context.version() >= FIRST_WITH_RENEWAL ? Ack.RENEW : Ack.REJECT;
    Map<ShareKey, Outcome> outcomes = new LinkedHashMap<>();
    acks.forEach((key, ofPartition) -> {
      Topic topic = groups.cluster().topics().of(key.topicId());
      Partition partition = groups.partition(key);
      if (topic == null) {
        outcomes.put(key, Outcome.of(ErrorCode.UNKNOWN_TOPIC_ID));
      } else if (!context.access().mayReadTopic(topic.name())) {
        outcomes.put(key, Outcome.of(ErrorCode.TOPIC_AUTHORIZATION_FAILED));
      } else if (!Ack.areValid(ofPartition, isRenewal, largest)) {
        outcomes.put(key, Outcome.of(ErrorCode.INVALID_REQUEST));
      } else if (partition == null) {
        outcomes.put(key, Outcome.of(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION));
      } else {
        outcomes.put(key, ofPartition.isEmpty() ? Outcome.FINE : apply(key, ofPartition, member, context));
      }
    });
    return outcomes;
  }

  private Outcome apply(ShareKey key, List<Ack> ofPartition, ShareSessions.Key member, RequestContext context) {
    SharePartition share = groups.known(member.groupId(), key);
    if (share == null || !share.isAt(context.broker())) {
      return new Outcome(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "This server does not host this topic-partition.");
    }
    try {
      new Acknowledging(share, member.member()).run(ofPartition);
      return Outcome.FINE;
    } catch (Acknowledging.Problem e) {
      return new Outcome(e.error(), e.getMessage());
    }
  }
}
