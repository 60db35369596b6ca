package dev.decant.fake.share;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Broker;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.ShareFetchRequest;
import dev.decant.kafka.protocol.message.ShareFetchResponse;
import dev.decant.kafka.protocol.message.ShareFetchResponse.LeaderIdAndEpoch;
import dev.decant.kafka.protocol.message.ShareFetchResponse.NodeEndpoint;
import dev.decant.kafka.protocol.message.ShareFetchResponse.PartitionData;
import dev.decant.kafka.protocol.message.ShareFetchResponse.ShareFetchableTopicResponse;
import dev.decant.loop.Timer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** ShareFetch: acquires records for a member, after it has applied the member's acknowledgements (KIP-932). */
final class ShareFetchHandler implements ApiHandler<ShareFetchRequest, ShareFetchResponse> {
  private static final int LONGEST_MEMBER_ID = 36;

  private final ShareGroups groups;
  private final Cluster cluster;

  /** A request whose session has been found. */
  private record Turn(ShareFetchRequest request, RequestContext context, ShareSessions sessions,
      ShareSessions.Key member, @Nullable ShareSession session, Map<ShareKey, ShareAcks.Outcome> acks) {
    boolean isFinal() {
      return request.shareSessionEpoch() == ShareSession.FINAL_EPOCH;
    }

    boolean isFirst() {
      return request.shareSessionEpoch() == ShareSession.INITIAL_EPOCH;
    }
  }

  ShareFetchHandler(ShareGroups groups) {
    this.groups = groups;
    this.cluster = groups.cluster();
  }

  static boolean isMemberId(@Nullable String member) {
    return member != null && !member.isEmpty() && member.length() <= LONGEST_MEMBER_ID;
  }

  @Override
  public void handle(ShareFetchRequest request, RequestContext context, Reply<ShareFetchResponse> reply) {
    String groupId = request.groupId();
    String memberId = request.memberId();
    if (!groups.areEnabled()) {
      reply.complete(refuse(request, context, ErrorCode.UNSUPPORTED_VERSION));
      return;
    }
    if (groupId == null || memberId == null || !isMemberId(memberId) || isWrongRenewal(request)) {
      reply.complete(refuse(request, context, ErrorCode.INVALID_REQUEST));
      return;
    }
    ShareSessions sessions = groups.sessions(context);
    ShareSessions.Key member = new ShareSessions.Key(groupId, memberId);
    ErrorCode error = sessions.fetch(member, request, context.connection(),
        cluster.settings().getInt("group.share.max.share.sessions"));
    if (error == ErrorCode.SHARE_SESSION_LIMIT_REACHED) {
      Runnable refusal = () -> reply.complete(refuse(request, context, error));
      cluster.schedule(new Timer(() -> reply.attempt(refusal)), request.maxWaitMs());
    } else if (error != ErrorCode.NONE) {
      reply.complete(refuse(request, context, error));
    } else {
      Map<ShareKey, ShareAcks.Outcome> acks = ShareAcks.areIn(request)
          ? new ShareAcks(groups, request).apply(member, context, request.isRenewAck())
          : Map.of();
      fetch(new Turn(request, context, sessions, member, sessions.of(member), acks), reply);
    }
  }

  /** Returns true if a request renews locks and fetches, too, which is not allowed (KIP-1222). */
  private static boolean isWrongRenewal(ShareFetchRequest request) {
    return request.isRenewAck() && (request.maxBytes() != 0 || request.minBytes() != 0 || request.maxRecords() != 0
        || request.maxWaitMs() != 0);
  }

  private void fetch(Turn turn, Reply<ShareFetchResponse> reply) {
    if (turn.session() == null || turn.isFinal() || turn.request().isRenewAck()) {
      reply.complete(response(turn, Map.of()));
      return;
    }
    List<ShareKey> keys = new ArrayList<>(turn.session().partitions().stream().map(ShareSession.Fetched::key).toList());
    // rotate the partitions, so that each is read first at times
    if (!keys.isEmpty() && turn.request().shareSessionEpoch() > 0) {
      Collections.rotate(keys, -(turn.request().shareSessionEpoch() % keys.size()));
    }
    new PendingShareFetch(groups, turn.context(), turn.request(), turn.member(),
        data -> reply.complete(response(turn, data)), reply).start(keys);
  }

  private ShareFetchResponse response(Turn turn, Map<ShareKey, PartitionData> read) {
    if (read.values().stream().anyMatch(data -> data.errorCode() == ErrorCode.UNKNOWN_TOPIC_ID.code())) {
      // Brokers up to 4.3 fail here, after they have acquired what they can.
      return refuse(turn.request(), turn.context(), ErrorCode.UNKNOWN_SERVER_ERROR);
    }
    ShareFetchResponse response = new ShareFetchResponse().acquisitionLockTimeoutMs(
        cluster.groupSettings(turn.member().groupId()).getInt("share.record.lock.duration.ms"));
    Map<ShareKey, PartitionData> shown = new LinkedHashMap<>();
    ShareSession session = turn.session();
    boolean isOvertaken = session != null && !turn.isFinal() && !turn.isFirst()
        && session.epoch() != ShareSession.next(turn.request().shareSessionEpoch());
    if (isOvertaken) {
      response.errorCode(ErrorCode.INVALID_SHARE_SESSION_EPOCH.code());
    } else if (turn.isFirst() || session == null) {
      shown.putAll(read);
    } else {
      session.partitions().forEach(one -> {
        PartitionData data = read.get(one.key());
        if (data != null && one.isNews(data)) {
          shown.put(one.key(), data);
        }
      });
    }
    turn.acks().forEach((key, outcome) -> shown
        .computeIfAbsent(key, k -> PendingShareFetch.failure(k, ErrorCode.NONE))
        .acknowledgeErrorCode(outcome.error().code()).acknowledgeErrorMessage(outcome.message()));
    if (turn.isFinal()) {
      groups.close(turn.sessions(), turn.member());
    }
    return response.nodeEndpoints(leaders(shown)).responses(byTopic(shown));
  }

  private static List<ShareFetchableTopicResponse> byTopic(Map<ShareKey, PartitionData> shown) {
    Map<Uuid, List<PartitionData>> topics = new LinkedHashMap<>();
    shown.forEach((key, data) -> topics.computeIfAbsent(key.topicId(), id -> new ArrayList<>()).add(data));
    return topics.entrySet().stream()
        .map(e -> new ShareFetchableTopicResponse().topicId(e.getKey()).partitions(e.getValue())).toList();
  }

  /** Returns the endpoints of the present leaders, for partitions that the client requests from another broker. */
  private List<NodeEndpoint> leaders(Map<ShareKey, PartitionData> shown) {
    Map<Integer, NodeEndpoint> leaders = new LinkedHashMap<>();
    shown.forEach((key, data) -> {
      Partition partition = groups.partition(key);
      if (data.errorCode() == ErrorCode.NOT_LEADER_OR_FOLLOWER.code() && partition != null) {
        data.currentLeader(
            new LeaderIdAndEpoch().leaderId(partition.leader()).leaderEpoch(partition.leaderEpoch()));
        Broker leader = cluster.broker(partition.leader());
        if (leader != null) {
          leaders.put(leader.id(), new NodeEndpoint().nodeId(leader.id()).host(leader.host()).port(leader.port())
              .rack(leader.rack()));
        }
      }
    });
    return List.copyOf(leaders.values());
  }

  @Override
  public ShareFetchResponse refuse(ShareFetchRequest request, RequestContext context, ErrorCode error) {
    return new ShareFetchResponse().errorCode(error.code());
  }

  @Override
  public Collection<String> topics(ShareFetchRequest request, Cluster ofTopics) {
    return request.topics().stream().map(topic -> {
      Topic known = ofTopics.topics().of(topic.topicId());
      return known == null ? "" : known.name();
    }).toList();
  }
}
