package dev.decant.kafka.group;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Call;
import dev.decant.kafka.internal.GroupMembers;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetCommitResponse;
import dev.decant.kafka.telemetry.LastError;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Commits in order, one request at a time. If two were in flight, the older one could be repeated and undo the newer
 * one. A request takes all waiting commits, with the newest offset of each partition. A commit per record therefore
 * costs a request per round trip, not per record. Commits end in their order.
 *
 * <p>Retriable errors are retried until the commit's deadline. For a topic that the coordinator does not know, the
 * bound is shorter. Otherwise commits for a deleted topic held up all other commits, and a revocation for half its
 * timeout. Owner of the loop only.
 */
final class OffsetCommits {
  private static final int MIN_VERSION = 2;
  private static final int MAX_VERSION = 10;
  private static final int FIRST_WITH_INSTANCES = 7;
  private static final int FIRST_WITH_TOPIC_IDS = 10;
  private static final long RETRY_NANOS = 100_000_000L;
  /**
   * Number of responses that may not know a topic, about two seconds: a coordinator that has just started may know it
   * late.
   */
  private static final int UNKNOWN_TOPIC_RESPONSES = 20;

  private final GroupMember member;
  /** Commits that have not ended, oldest first. */
  private final ArrayDeque<Commit> queue = new ArrayDeque<>();
  /** The oldest commits, whose offsets are in the request in flight; empty if there is none. */
  private final List<Commit> sent = new ArrayList<>();
  private final CommitCall call = new CommitCall();
  /** When a failed request may be repeated. */
  private long retryAtNanos;
  /** The member's epoch in the request in flight. */
  private int epochSent;
  /** Names of topics in the request in flight, by id. */
  private Map<Uuid, String> namesSent = Map.of();
  /** Last error that was retried, for the exception of a timeout. */
  private @Nullable KafkaException lastError;

  OffsetCommits(GroupMember member, long nowNanos) {
    this.member = member;
    this.retryAtNanos = nowNanos;
  }

  void add(Commit commit) {
    queue.add(commit);
    endFirst(member.nowNanos()); // without offsets the commit may end at once
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** Returns true if a pending commit has one of these partitions. */
  boolean hasAnyOf(Collection<TopicPartition> partitions) {
    return queue.stream().anyMatch(commit -> !Collections.disjoint(commit.left.keySet(), partitions));
  }

  /** Returns when {@link #work} has something to do; {@link Long#MAX_VALUE} for never. */
  long nextNanos(long now) {
    Commit first = queue.peek();
    if (first == null) {
      return Long.MAX_VALUE;
    }
    boolean resting = !call.isInFlight() && retryAtNanos - now > 0;
    return resting ? Math.min(first.deadlineNanos, retryAtNanos) : first.deadlineNanos;
  }

  /** Ends commits that are complete or expired, and sends waiting ones if possible. */
  void work(@Nullable BrokerLink link, long now) {
    endFirst(now);
    if (link != null && !queue.isEmpty() && !call.isInFlight() && retryAtNanos - now <= 0 && member.mayCommit()) {
      send(link, now);
    }
  }

  /** Ends the oldest commits if they are complete or expired, unless they are in a request in flight. */
  private void endFirst(long now) {
    boolean any = false;
    for (Commit first = queue.peek(); first != null && sent.isEmpty(); first = queue.peek()) {
      expire(first, now);
      if (!first.left.isEmpty()) {
        break;
      }
      queue.remove();
      member.committed(first, first.refused);
      first.result.onCommitted(first.refused);
      any = true;
    }
    if (any) {
      member.wakeWaiters();
    }
  }

  private void expire(Commit commit, long now) {
    if (commit.left.isEmpty() || commit.deadlineNanos - now > 0) {
      return;
    }
    Throwable reason = reason();
    commit.drop(commit.partitionsLeft(), new KafkaTimeoutException("commit of " + commit.left.keySet()
        + " in group " + member.groupId() + " to coordinator " + member.coordinatorName()
        + " did not end in time; " + LastError.words(reason), reason));
  }

  private @Nullable Throwable reason() {
    KafkaException own = lastError;
    return own != null ? own : member.lastError();
  }

  private void send(BrokerLink link, long now) {
    Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
    for (Commit commit : queue) {
      if (!sent.isEmpty() && (commit.isAlone || sent.getFirst().isAlone)) {
        break;
      }
      expire(commit, now);
      offsets.putAll(commit.left);
      sent.add(commit);
    }
    call.ids = member.topicIds(offsets.keySet());
    call.offsets = offsets;
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

  /**
   * The parts of a response.
   *
   * @param codes by partition
   * @param refusals one exception per partition, for all commits that have it
   * @param withdrawn partitions whose newest offset is refused for its content; an older offset goes next
   */
  private record Outcome(Map<TopicPartition, ErrorCode> codes, Map<TopicPartition, KafkaException> refusals,
      Set<TopicPartition> withdrawn) {}

  private void onResponse(OffsetCommitResponse response, short version) {
    Outcome outcome = new Outcome(codes(response, version), new HashMap<>(), new HashSet<>());
    KafkaException again = null;
    // The newest first: the request had its offsets.
    for (int i = sent.size() - 1; i >= 0; i--) {
      KafkaException cause = take(outcome, sent.get(i));
      again = cause == null ? again : cause;
    }
    requestEnded(again);
    member.work();
  }

  private Map<TopicPartition, ErrorCode> codes(OffsetCommitResponse response, short version) {
    Map<TopicPartition, ErrorCode> codes = new HashMap<>();
    for (OffsetCommitResponse.OffsetCommitResponseTopic topic : response.topics()) {
      String name = version >= FIRST_WITH_TOPIC_IDS ? namesSent.getOrDefault(topic.topicId(), "") : topic.name();
      topic.partitions()
          .forEach(p -> codes.put(new TopicPartition(name, p.partitionIndex()), ErrorCode.of(p.errorCode())));
    }
    return codes;
  }

  /** Removes stored and refused partitions from a commit. Returns an error after which the rest may be sent again. */
  private @Nullable KafkaException take(Outcome outcome, Commit commit) {
    if (commit.left.keySet().stream().anyMatch(p -> isUnknownTopic(outcome.codes.get(p)))) {
      commit.unknownTopic++;
    }
    KafkaException again = null;
    for (Iterator<TopicPartition> all = commit.left.keySet().iterator(); all.hasNext();) {
      TopicPartition partition = all.next();
      ErrorCode code = outcome.codes.get(partition);
      if (code == ErrorCode.NONE) {
        all.remove();
      } else if (!outcome.withdrawn.contains(partition)) {
        KafkaException refusal = outcome.refusals.computeIfAbsent(partition, p -> refusal(code, p));
        if (mayRepeat(code, commit)) {
          again = refusal;
          continue;
        }
        all.remove();
        commit.refused = refusal;
        if (code != null && GroupMembers.isOfNoMember(code)) {
          member.verifyMembership(epochSent);
        }
        if (code == ErrorCode.OFFSET_METADATA_TOO_LARGE) {
          outcome.withdrawn.add(partition);
        }
      }
    }
    return again;
  }

  private static boolean isUnknownTopic(@Nullable ErrorCode code) {
    return code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION || code == ErrorCode.UNKNOWN_TOPIC_ID;
  }

  /** Returns true if an offset may be sent again. The code is null if the response does not name the partition. */
  private boolean mayRepeat(@Nullable ErrorCode code, Commit commit) {
    if (isUnknownTopic(code)) {
      return commit.unknownTopic < UNKNOWN_TOPIC_RESPONSES;
    }
    if (code == ErrorCode.INVALID_COMMIT_OFFSET_SIZE && sent.size() > 1) {
      commit.isAlone = true;
      return true;
    }
    return code == null || code.isRetriable() || member.mayRepeatCommit(code, epochSent);
  }

  private KafkaException refusal(@Nullable ErrorCode code, TopicPartition partition) {
    String what = "commit of " + partition + " in group " + member.groupId() + ": coordinator " + call.brokerName();
    return code == null
        ? new KafkaException(ErrorCode.UNKNOWN_SERVER_ERROR, what + " did not name it in its response")
        : TopicException.of(code, partition.topic(), what + " answered " + code + cure(code));
  }

  private static String cure(ErrorCode code) {
    return switch (code) {
      case ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, REBALANCE_IN_PROGRESS ->
        "; the partition may have another owner by now,"
            + " who goes on at the last commit before; commit in onRevoked, or sooner";
      default -> "";
    };
  }

  /** Ends a request. Offsets that it has not stored are sent again, unless they were dropped meanwhile. */
  private void requestEnded(@Nullable KafkaException again) {
    long now = member.nowNanos();
    sent.forEach(Commit::dropNow);
    boolean isRetried = again != null && sent.stream().anyMatch(commit -> !commit.left.isEmpty());
    sent.clear();
    retryAtNanos = now;
    if (again != null && isRetried) {
      lastError = again;
      member.commitRetried(again);
      boolean newEpoch = !again.code().isRetriable() && member.epoch() != epochSent;
      retryAtNanos = now + (newEpoch ? 0 : RETRY_NANOS);
    }
    endFirst(now);
  }

  private void onFailure(KafkaException cause) {
    requestEnded(cause);
    if (!queue.isEmpty()) {
      member.workLater();
    }
  }

  /**
   * Fails all waiting commits, because the member has lost its partitions or leaves. Offsets in flight may still be
   * stored, but are not sent again. Under the member's next epoch the coordinator would accept them, though others own
   * the partitions by then.
   */
  void failAll(KafkaException cause) {
    fail(Commit::partitionsLeft, cause);
  }

  /** Fails the commits of some partitions, which others may own from now on. */
  void failAllOf(Collection<TopicPartition> partitions, KafkaException cause) {
    fail(commit -> partitions, cause);
  }

  private void fail(Function<Commit, Collection<TopicPartition>> chosen, KafkaException cause) {
    int underWay = sent.size();
    for (Commit commit : queue) {
      if (underWay-- > 0) {
        commit.dropLater(chosen.apply(commit), cause);
      } else {
        commit.drop(chosen.apply(commit), cause);
      }
    }
    endFirst(member.nowNanos());
  }

  /** Fails all commits. One in flight may be stored, but no connection is left for its response. */
  void close(KafkaException cause) {
    failAll(cause);
    requestEnded(null);
  }

  /** The request in flight. */
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
      sent.forEach(commit -> commit.drop(commit.partitionsLeft(), cause));
      requestEnded(null);
    }
  }
}
