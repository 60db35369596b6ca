package dev.decant.kafka.group;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Call;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetCommitResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Commits, one at a time and in order: with two under way, the older one sent again could undo the newer one. What can
 * be retried is, until the commit's deadline; a topic that the coordinator does not know is given up sooner, since one
 * that was deleted would hold up all other commits. Owner of the loop only.
 */
final class OffsetCommits {
  private static final int MIN_VERSION = 2;
  private static final int MAX_VERSION = 10;
  private static final int FIRST_WITH_INSTANCES = 7;
  private static final int FIRST_WITH_TOPIC_IDS = 10;
  private static final long RETRY_NANOS = 100_000_000L;
  /** A coordinator that has just begun may not know a topic for a moment: so many responses, about two seconds. */
  private static final int UNKNOWN_TOPIC_ANSWERS = 20;

  private final GroupMember member;
  private final ArrayDeque<Commit> queue = new ArrayDeque<>();
  private final CommitCall call = new CommitCall();
  private long retryAtNanos;
  private int epochSent;
  private Map<Uuid, String> namesSent = Map.of();
  private @Nullable KafkaException lastError;

  OffsetCommits(GroupMember member, long nowNanos) {
    this.member = member;
    this.retryAtNanos = nowNanos;
  }

  void add(Commit commit) {
    queue.add(commit);
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** Whether a commit of one of these is not over. */
  boolean concern(Collection<TopicPartition> partitions) {
    return queue.stream().anyMatch(commit -> isOf(commit, partitions));
  }

  private static boolean isOf(Commit commit, Collection<TopicPartition> partitions) {
    return !Collections.disjoint(commit.left.keySet(), partitions);
  }

  /** When {@link #work} has something to do by itself; {@link Long#MAX_VALUE} for never. */
  long nextNanos(long now) {
    Commit first = queue.peek();
    if (first == null) {
      return Long.MAX_VALUE;
    }
    boolean resting = !call.isInFlight() && retryAtNanos - now > 0;
    return resting ? Math.min(first.deadlineNanos, retryAtNanos) : first.deadlineNanos;
  }

  /** Ends what is overdue, and sends the oldest if it may be sent. */
  void work(@Nullable BrokerLink link, long now) {
    endOverdue(now);
    Commit first = queue.peek();
    if (link != null && first != null && !call.isInFlight() && retryAtNanos - now <= 0 && member.mayCommit()) {
      send(link, first);
    }
  }

  private void endOverdue(long now) {
    while (true) {
      Commit first = queue.peek();
      if (first == null || call.isInFlight() || first.deadlineNanos - now > 0) {
        return;
      }
      queue.remove();
      end(first, new KafkaTimeoutException("commit of " + first.left.keySet() + " in group " + member.groupId()
          + " to coordinator " + member.coordinatorName() + " did not end in time; last error: " + reason(), reason()));
    }
  }

  private @Nullable Throwable reason() {
    KafkaException own = lastError;
    return own != null ? own : member.lastError();
  }

  private void end(Commit commit, @Nullable KafkaException error) {
    member.committed(commit, error);
    commit.result.onCommitted(error);
    member.wakeWaiters();
  }

  private void send(BrokerLink link, Commit commit) {
    call.ids = member.topicIds(commit.left.keySet());
    call.offsets = commit.left;
    epochSent = member.epoch();
    link.send(call);
  }

  private List<OffsetCommitRequest.OffsetCommitRequestTopic> topics(Map<TopicPartition, OffsetAndMetadata> offsets,
      @Nullable Map<String, Uuid> ids) {
    namesSent = new HashMap<>();
    Map<String, OffsetCommitRequest.OffsetCommitRequestTopic> topics = new LinkedHashMap<>();
    offsets.forEach((p, committed) -> topics.computeIfAbsent(p.topic(), name -> {
      OffsetCommitRequest.OffsetCommitRequestTopic topic = new OffsetCommitRequest.OffsetCommitRequestTopic()
          .partitions(new ArrayList<>());
      Uuid id = ids == null ? null : ids.get(name);
      if (id == null) {
        return topic.name(name);
      }
      namesSent.put(id, name);
      return topic.topicId(id);
    }).partitions().add(new OffsetCommitRequest.OffsetCommitRequestPartition().partitionIndex(p.partition())
        .committedOffset(committed.offset()).committedLeaderEpoch(committed.leaderEpoch())
        .committedMetadata(committed.metadata())));
    return new ArrayList<>(topics.values());
  }

  private void onResponse(OffsetCommitResponse response, short version) {
    Commit commit = queue.element();
    if (missesTopic(response)) {
      commit.unknownTopic++;
    }
    KafkaException again = null;
    for (OffsetCommitResponse.OffsetCommitResponseTopic topic : response.topics()) {
      String name = version >= FIRST_WITH_TOPIC_IDS ? namesSent.getOrDefault(topic.topicId(), "") : topic.name();
      for (OffsetCommitResponse.OffsetCommitResponsePartition p : topic.partitions()) {
        TopicPartition partition = new TopicPartition(name, p.partitionIndex());
        ErrorCode code = ErrorCode.of(p.errorCode());
        if (mayRepeat(code, commit)) {
          again = refusal(code, partition);
          continue;
        }
        commit.left.remove(partition);
        if (code != ErrorCode.NONE) {
          commit.refused = refusal(code, partition);
        }
      }
    }
    if (commit.left.isEmpty()) {
      queue.remove();
      end(commit, commit.refused);
    } else {
      retry(again != null ? again : refusal(ErrorCode.UNKNOWN_SERVER_ERROR, commit.left.keySet().iterator().next()));
    }
    member.work();
  }

  private static boolean missesTopic(OffsetCommitResponse response) {
    return response.topics().stream().flatMap(topic -> topic.partitions().stream())
        .anyMatch(p -> isUnknownTopic(ErrorCode.of(p.errorCode())));
  }

  private static boolean isUnknownTopic(ErrorCode code) {
    return code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION || code == ErrorCode.UNKNOWN_TOPIC_ID;
  }

  private boolean mayRepeat(ErrorCode code, Commit commit) {
    if (isUnknownTopic(code)) {
      return commit.unknownTopic < UNKNOWN_TOPIC_ANSWERS;
    }
    return code.isRetriable() || member.mayRepeatCommit(code, epochSent);
  }

  private KafkaException refusal(ErrorCode code, TopicPartition partition) {
    return TopicException.of(code, partition.topic(),
        "commit of " + partition + " in group " + member.groupId() + ": coordinator "
            + call.brokerName() + " answered " + code + cure(code));
  }

  private static String cure(ErrorCode code) {
    return switch (code) {
      case ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, REBALANCE_IN_PROGRESS ->
        "; the partition may have another owner by now,"
            + " who goes on at the last commit before; commit in onRevoked, or sooner";
      default -> "";
    };
  }

  private void retry(KafkaException cause) {
    Commit commit = queue.element();
    KafkaException abandoned = commit.abandoned;
    if (abandoned != null) {
      queue.remove();
      end(commit, abandoned);
      return;
    }
    lastError = cause;
    member.commitRetried(cause);
    boolean newEpoch = !cause.code().isRetriable() && member.epoch() != epochSent;
    retryAtNanos = member.nowNanos() + (newEpoch ? 0 : RETRY_NANOS);
  }

  private void onFailure(KafkaException cause) {
    if (!queue.isEmpty()) {
      retry(cause);
      member.workLater();
    }
  }

  /**
   * Ends all that wait: the member has lost its partitions, or goes. What is under way may still be stored, but is not
   * sent again: in its next epoch the coordinator would take it, though others have the partitions by then.
   */
  void failAll(KafkaException cause) {
    fail(commit -> true, cause);
  }

  /** The same for commits of partitions that others may have from now on. */
  void failThoseOf(Collection<TopicPartition> partitions, KafkaException cause) {
    fail(commit -> isOf(commit, partitions), cause);
  }

  private void fail(Predicate<Commit> chosen, KafkaException cause) {
    Commit underWay = call.isInFlight() ? queue.peek() : null;
    List<Commit> failed = queue.stream().filter(chosen).toList();
    for (Commit commit : failed) {
      if (commit.equals(underWay)) {
        commit.abandoned = cause;
      } else {
        queue.remove(commit);
        end(commit, cause);
      }
    }
  }

  /** The commit that is under way. */
  private final class CommitCall extends Call {
    private Map<TopicPartition, OffsetAndMetadata> offsets = Map.of();
    private @Nullable Map<String, Uuid> ids;

    CommitCall() {
      super(ApiKey.OFFSET_COMMIT, MIN_VERSION, MAX_VERSION);
    }

    @Override
    protected int highestVersion() {
      return ids == null ? FIRST_WITH_TOPIC_IDS - 1 : MAX_VERSION;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      new OffsetCommitRequest().groupId(member.groupId()).memberId(member.memberId())
          .generationIdOrMemberEpoch(epochSent)
          .groupInstanceId(version >= FIRST_WITH_INSTANCES ? member.instanceId() : null)
          .topics(topics(offsets, version >= FIRST_WITH_TOPIC_IDS ? ids : null)).write(out, version);
    }

    @Override
    protected void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
      OffsetCommits.this.onResponse(OffsetCommitResponse.read(in, version), version);
    }

    @Override
    protected void onFailure(KafkaException cause) {
      OffsetCommits.this.onFailure(cause);
    }

    @Override
    protected void onUnsupported(KafkaException cause) {
      end(queue.remove(), cause);
    }
  }
}
