package dev.decant.kafka.interleaving;

import dev.decant.kafka.broker.Body;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A group under the consumer protocol: it revokes partitions before it assigns them to others. */
final class SimulatedConsumerGroup extends SimulatedGroup {
  private int groupEpoch;
  private int epoch;
  /** Epoch before the last change. It counts, too: the response with the new one may have been lost. */
  private int epochBefore;

  SimulatedConsumerGroup(SimulatedClock clock, Ledger ledger) {
    super(clock, ledger);
  }

  @Override
  void rebalance() {
    groupEpoch++;
  }

  @Override
  boolean isSettled() {
    return present && epoch == groupEpoch && assigned.equals(target()) && held.equals(assigned);
  }

  @Override
  ErrorCode check(String memberId, int ofEpoch) {
    if (!present) {
      return ErrorCode.UNKNOWN_MEMBER_ID;
    }
    return ofEpoch == epoch ? ErrorCode.NONE : ErrorCode.STALE_MEMBER_EPOCH;
  }

  @Override
  @Nullable
  Body refusal(Request request, ErrorCode code) {
    return request.body() instanceof ConsumerGroupHeartbeatRequest
        ? new ConsumerGroupHeartbeatResponse().errorCode(code.code()).errorMessage("simulated")::write
        : null;
  }

  @Override
  @Nullable
  Body answer(Request request) {
    return request.body() instanceof ConsumerGroupHeartbeatRequest beat ? heartbeat(beat)::write : null;
  }

  private ConsumerGroupHeartbeatResponse heartbeat(ConsumerGroupHeartbeatRequest beat) {
    ConsumerGroupHeartbeatResponse answer = new ConsumerGroupHeartbeatResponse().memberId(beat.memberId())
        .heartbeatIntervalMs(INTERVAL_MILLIS);
    if (beat.memberEpoch() < 0) {
      left("the farewell");
      return answer.memberEpoch(beat.memberEpoch());
    }
    noteRequest();
    if (beat.memberEpoch() == 0) {
      join();
    } else if (!present) {
      return answer.errorCode(ErrorCode.UNKNOWN_MEMBER_ID.code());
    } else if (beat.memberEpoch() != epoch && !(beat.memberEpoch() == epochBefore && ownsNoMoreThanAssigned(beat))) {
      expire();
      return answer.errorCode(ErrorCode.FENCED_MEMBER_EPOCH.code());
    }
    List<String> topics = beat.subscribedTopicNames();
    if (topics != null) {
      subscribed = !topics.isEmpty();
    }
    if (moveOn(owned(beat)) || beat.rebalanceTimeoutMs() >= 0) {
      answer.assignment(new ConsumerGroupHeartbeatResponse.Assignment().topicPartitions(assigned.isEmpty()
          ? List.of()
          : List.of(new ConsumerGroupHeartbeatResponse.TopicPartitions().topicId(SimulatedBroker.TOPIC_ID)
              .partitions(List.copyOf(assigned)))));
    }
    return answer.memberEpoch(epoch);
  }

  private void join() {
    ledger.releasedAll("the join");
    present = true;
    held.clear();
    assigned.clear();
    epochBefore = -1;
    epoch = ++groupEpoch;
  }

  /** Returns the partitions that the member names as owned; null if it names none. */
  private static @Nullable Set<Integer> owned(ConsumerGroupHeartbeatRequest beat) {
    List<ConsumerGroupHeartbeatRequest.TopicPartitions> topics = beat.topicPartitions();
    if (topics == null) {
      return null;
    }
    Set<Integer> owned = new TreeSet<>();
    topics.forEach(t -> owned.addAll(t.partitions()));
    return owned;
  }

  private boolean ownsNoMoreThanAssigned(ConsumerGroupHeartbeatRequest beat) {
    Set<Integer> owned = owned(beat);
    return owned != null && assigned.containsAll(owned);
  }

  /**
   * Moves to the target assignment, as far as the member has revoked the partitions that it loses. Returns true if the
   * member has to get another assignment.
   *
   * @param owned partitions that the member names; null if it names none
   */
  private boolean moveOn(@Nullable Set<Integer> owned) {
    Set<Integer> given = minus(held, assigned);
    if (!given.isEmpty() && ownsAny(owned, given)) {
      return false; // the member has to revoke these first
    }
    release(given, "the heartbeat");
    Set<Integer> before = new TreeSet<>(assigned);
    Set<Integer> target = target();
    assigned.retainAll(target);
    Set<Integer> taken = minus(before, assigned);
    if (!taken.isEmpty() && ownsAny(owned, taken)) {
      return true;
    }
    release(taken, "the heartbeat");
    if (epoch != groupEpoch) {
      epochBefore = epoch;
      epoch = groupEpoch;
    }
    assigned = target;
    held.addAll(target);
    return !assigned.equals(before);
  }

  /** Returns true if the member may own any of these. One that names no partitions counts as owner of all it had. */
  private static boolean ownsAny(@Nullable Set<Integer> owned, Set<Integer> of) {
    return owned == null || !Collections.disjoint(owned, of);
  }
}
