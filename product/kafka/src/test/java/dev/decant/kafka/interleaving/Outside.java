package dev.decant.kafka.interleaving;

import dev.decant.kafka.broker.Body;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** The world outside of the application: broker, network, other members, and time. One step at a time. */
final class Outside {
  private static final int TICK_MILLIS = 100;
  private static final List<ErrorCode> PASSING = List.of(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
      ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE);

  private final SimulatedClock clock;
  private final Ledger ledger;
  private final Choices choices;
  private final SimulatedBroker broker;
  private final SimulatedNetwork network;
  private boolean odd;

  Outside(SimulatedClock clock, Ledger ledger, Choices choices, SimulatedBroker broker, SimulatedNetwork network) {
    this.clock = clock;
    this.ledger = ledger;
    this.choices = choices;
    this.broker = broker;
    this.network = network;
  }

  /** Takes a random step. */
  void walk(boolean stormy) {
    int chosen = choices.pick(stormy ? 26 : 21);
    switch (chosen) {
      case 0, 1, 2, 3 -> tick(TICK_MILLIS);
      case 4 -> append(choices.pick(broker.partitions()), 1 + choices.pick(3));
      case 5 -> want(someOf(broker.partitions()));
      case 6 -> rebalance();
      case 7 -> broker.rivalReads(choices.pick(broker.partitions()), 2);
      case 21 -> tick(1_000 * (1 + choices.pick(12)));
      case 22 -> broker.group().expire();
      case 23 -> cutOne();
      case 24, 25 -> refuseOne();
      default -> answerOne();
    }
  }

  /** Takes a step that leads on: responds to a request if there is one, else moves the clock. */
  void goOn() {
    odd = !odd;
    if (odd || !answerOldest(api -> true)) {
      tick(TICK_MILLIS);
    }
  }

  private Set<Integer> someOf(int partitions) {
    Set<Integer> chosen = new TreeSet<>();
    for (int p = 0; p < partitions; p++) {
      if (!choices.oneIn(3)) {
        chosen.add(p);
      }
    }
    return chosen;
  }

  void tick(int millis) {
    ledger.step("time +" + millis);
    clock.forward(millis);
    broker.group().expireIfSilent();
  }

  void append(int partition, int count) {
    broker.append(partition, count);
    ledger.step("log of " + partition + " ends at " + broker.end(partition));
  }

  void want(Set<Integer> partitions) {
    ledger.step("the group gives the member " + partitions);
    broker.group().want(partitions);
  }

  void rebalance() {
    ledger.step("the group rebalances");
    broker.group().rebalance();
  }

  private List<SimulatedNetwork.Waiting> answerable() {
    return network.oldest().stream().filter(broker::mayAnswer).toList();
  }

  private void answerOne() {
    List<SimulatedNetwork.Waiting> all = answerable();
    if (!all.isEmpty()) {
      answer(all.get(choices.pick(all.size())));
    }
  }

  /** Responds to the oldest request that matches. Returns false if there is none. */
  boolean answerOldest(Predicate<ApiKey> meant) {
    Optional<SimulatedNetwork.Waiting> oldest = answerable().stream()
        .filter(waiting -> meant.test(waiting.request().api()))
        .min(Comparator.comparingLong(SimulatedNetwork.Waiting::sinceMillis));
    oldest.ifPresent(this::answer);
    return oldest.isPresent();
  }

  private void answer(SimulatedNetwork.Waiting waiting) {
    ledger.step("answer " + waiting.request().api());
    network.answer(waiting, broker.answer(waiting.request()));
  }

  /** Cuts a connection: its requests get no response, but the oldest one may have been done. */
  private void cutOne() {
    List<SimulatedNetwork.Waiting> all = network.oldest();
    if (all.isEmpty()) {
      return;
    }
    SimulatedNetwork.Waiting chosen = all.get(choices.pick(all.size()));
    cut(chosen, broker.mayAnswer(chosen) && choices.oneIn(2));
  }

  private void cut(SimulatedNetwork.Waiting chosen, boolean done) {
    ledger.step("cut before the answer to " + chosen.request().api() + (done ? ", which is done" : ""));
    if (done) {
      Body unused = broker.answer(chosen.request());
    }
    chosen.connection().cut();
  }

  /** Cuts the connection of the first request that matches, if there is one; the request itself may have been done. */
  void cut(Predicate<ApiKey> meant, boolean done) {
    for (SimulatedNetwork.Waiting waiting : network.oldest()) {
      if (meant.test(waiting.request().api())) {
        cut(waiting, done);
        return;
      }
    }
  }

  static boolean isCommit(ApiKey api) {
    return api == ApiKey.OFFSET_COMMIT;
  }

  static boolean isJoin(ApiKey api) {
    return api == ApiKey.JOIN_GROUP;
  }

  static boolean isFetch(ApiKey api) {
    return api == ApiKey.FETCH;
  }

  static boolean isOfGroup(ApiKey api) {
    return switch (api) {
      case CONSUMER_GROUP_HEARTBEAT, JOIN_GROUP, SYNC_GROUP, HEARTBEAT -> true;
      default -> false;
    };
  }

  private void refuseOne() {
    List<SimulatedNetwork.Waiting> all = network.oldest();
    if (!all.isEmpty()) {
      refuse(all.get(choices.pick(all.size())));
    }
  }

  private void refuse(SimulatedNetwork.Waiting chosen) {
    Request request = chosen.request();
    ErrorCode code = choices.oneIn(2) ? PASSING.get(choices.pick(PASSING.size())) : own(request);
    Body refusal = broker.refuse(request, code);
    if (refusal != null) {
      ledger.step("answer " + request.api() + " with " + code);
      network.answer(chosen, refusal);
    }
  }

  /** Returns an error that is specific to the request's API. */
  private ErrorCode own(Request request) {
    return switch (request.api()) {
      case CONSUMER_GROUP_HEARTBEAT -> {
        broker.group().expire();
        yield choices.oneIn(2) ? ErrorCode.FENCED_MEMBER_EPOCH : ErrorCode.UNKNOWN_MEMBER_ID;
      }
      case OFFSET_COMMIT -> choices.oneIn(2)
          ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
          : broker.group() instanceof SimulatedClassicGroup
              ? ErrorCode.REBALANCE_IN_PROGRESS
              : ErrorCode.STALE_MEMBER_EPOCH;
      case OFFSET_FETCH -> broker.group() instanceof SimulatedClassicGroup
          ? ErrorCode.UNSTABLE_OFFSET_COMMIT
          : ErrorCode.STALE_MEMBER_EPOCH;
      case JOIN_GROUP, SYNC_GROUP -> ErrorCode.REBALANCE_IN_PROGRESS;
      case HEARTBEAT -> {
        if (choices.oneIn(2)) {
          yield ErrorCode.REBALANCE_IN_PROGRESS;
        }
        broker.group().expire();
        yield ErrorCode.UNKNOWN_MEMBER_ID;
      }
      default -> PASSING.getFirst();
    };
  }
}
