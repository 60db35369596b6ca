package dev.decant.kafka.interleaving;

import dev.decant.kafka.broker.Body;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
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
    } else if (beat.memberEpoch() != epoch && beat.memberEpoch() != epochBefore) {
      expire();
      return answer.errorCode(ErrorCode.FENCED_MEMBER_EPOCH.code());
    }
    List<String> topics = beat.subscribedTopicNames();
    if (topics != null) {
      subscribed = !topics.isEmpty();
    }
    List<ConsumerGroupHeartbeatRequest.TopicPartitions> says = beat.topicPartitions();
    if (says != null) {
      Set<Integer> kept = new TreeSet<>(assigned);
      says.forEach(t -> kept.addAll(t.partitions()));
      release(minus(held, kept), "the heartbeat");
    }
    if (moveOn() || beat.rebalanceTimeoutMs() >= 0) {
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

  /** Whether the member has to hear of another assignment. */
  private boolean moveOn() {
    Set<Integer> target = target();
    Set<Integer> taken = minus(assigned, target);
    if (!taken.isEmpty()) {
      assigned.removeAll(taken);
      return true;
    }
    if (!held.equals(assigned)) {
      return false; // first it has to give up
    }
    if (epoch != groupEpoch) {
      epochBefore = epoch;
      epoch = groupEpoch;
    }
    boolean more = !assigned.equals(target);
    assigned = target;
    held.addAll(target);
    return more;
  }
}
