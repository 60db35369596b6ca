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

/** A group under the consumer protocol: partitions are first taken away, then given. */
final class SimulatedConsumerGroup extends SimulatedGroup {
  private int groupEpoch;
  private int epoch;
  /** An answer may have been lost, so this one counts too. */
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
    heard();
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

  /** What the member says that it has; null if it does not say. */
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
   * Goes on to the assignment that the group wants, as far as the member has given up what it should.
   *
   * @param owned what the member has; null if it does not say
   * @return whether it has to hear of another assignment
   */
  private boolean moveOn(@Nullable Set<Integer> owned) {
    Set<Integer> given = minus(held, assigned);
    if (!given.isEmpty() && ownsAny(owned, given)) {
      return false; // first it has to give up
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

  /** A member that does not say what it has is taken to have all it had. */
  private static boolean ownsAny(@Nullable Set<Integer> owned, Set<Integer> of) {
    return owned == null || !Collections.disjoint(owned, of);
  }
}
