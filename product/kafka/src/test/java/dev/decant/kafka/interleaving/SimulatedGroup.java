package dev.decant.kafka.interleaving;

import dev.decant.kafka.broker.Body;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A coordinator's view of a group of two: the member under test, and a rival without a program that has whatever the
 * member has not, and gives it up at once when it should.
 */
abstract class SimulatedGroup {
  static final int SESSION_MILLIS = 10_000;
  static final int INTERVAL_MILLIS = 500;

  final SimulatedClock clock;
  final Ledger ledger;
  /** What the member should have if it subscribes. */
  final Set<Integer> wanted = new TreeSet<>();
  /** What it should have now. */
  Set<Integer> assigned = new TreeSet<>();
  /** What it may still have, so that the rival must not. */
  final Set<Integer> held = new TreeSet<>();
  boolean present;
  boolean subscribed = true;
  /** The application is not expected to poll in time, so the member may leave before it has heard of that. */
  boolean mayStall;
  private long heardMillis;

  SimulatedGroup(SimulatedClock clock, Ledger ledger) {
    this.clock = clock;
    this.ledger = ledger;
  }

  /** The answer to a request of the group's own; null for another request. */
  @Nullable
  abstract Body answer(Request request);

  /** The same, refused. */
  @Nullable
  abstract Body refusal(Request request, ErrorCode code);

  /** What is wrong with a commit. */
  abstract ErrorCode check(String memberId, int epoch);

  /** The member is to have these. */
  void want(Set<Integer> partitions) {
    wanted.clear();
    wanted.addAll(partitions);
    rebalance();
  }

  /** Something in the group has changed. */
  abstract void rebalance();

  /** Whether nothing is under way. */
  abstract boolean isSettled();

  final Set<Integer> target() {
    return subscribed ? new TreeSet<>(wanted) : new TreeSet<>();
  }

  final void heard() {
    heardMillis = clock.millis();
  }

  /** Time has passed. */
  final void look() {
    if (present && clock.millis() - heardMillis > SESSION_MILLIS) {
      expire();
    }
  }

  /** The member is thrown out; the rival has everything. */
  void expire() {
    ledger.step("the group throws the member out");
    ledger.thrownOut();
    present = false;
    held.clear();
    assigned.clear();
  }

  final void left(String by) {
    if (!mayStall) {
      ledger.releasedAll(by);
    }
    present = false;
    held.clear();
    assigned.clear();
  }

  final void release(Set<Integer> partitions, String by) {
    partitions.forEach(p -> ledger.released(p, by));
    held.removeAll(partitions);
  }

  static Set<Integer> minus(Set<Integer> from, Set<Integer> without) {
    Set<Integer> left = new TreeSet<>(from);
    left.removeAll(without);
    return left;
  }
}
