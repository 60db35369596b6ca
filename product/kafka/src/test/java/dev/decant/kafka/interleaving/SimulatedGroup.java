package dev.decant.kafka.interleaving;

import dev.decant.kafka.broker.Body;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A coordinator's view of a group of two: the member under test, and a rival without a program. The rival owns all
 * partitions that the member does not, and revokes them at once when it should.
 */
abstract class SimulatedGroup {
  static final int SESSION_MILLIS = 10_000;
  static final int INTERVAL_MILLIS = 500;

  final SimulatedClock clock;
  final Ledger ledger;
  /** Partitions that the member should own if it subscribes. */
  final Set<Integer> wanted = new TreeSet<>();
  /** Partitions that are assigned to the member now. */
  Set<Integer> assigned = new TreeSet<>();
  /** Partitions that the member may still own, so that the rival must not. */
  final Set<Integer> held = new TreeSet<>();
  boolean present;
  boolean subscribed = true;
  /**
   * True if the application may be late with its polls: the member may then leave before the application has heard of
   * it.
   */
  boolean mayStall;
  private long lastRequestMillis;

  SimulatedGroup(SimulatedClock clock, Ledger ledger) {
    this.clock = clock;
    this.ledger = ledger;
  }

  /** Returns the response to a request of the group protocol; null for any other request. */
  @Nullable
  abstract Body answer(Request request);

  /** Returns a refusal of a request of the group protocol; null for any other request. */
  @Nullable
  abstract Body refusal(Request request, ErrorCode code);

  /** Returns the error of a commit. */
  abstract ErrorCode check(String memberId, int epoch);

  /** Makes these the partitions of the member. */
  void want(Set<Integer> partitions) {
    wanted.clear();
    wanted.addAll(partitions);
    rebalance();
  }

  /** Begins a rebalance. */
  abstract void rebalance();

  /** Returns true if no rebalance is under way. */
  abstract boolean isSettled();

  final Set<Integer> target() {
    return subscribed ? new TreeSet<>(wanted) : new TreeSet<>();
  }

  final void noteRequest() {
    lastRequestMillis = clock.millis();
  }

  /** Removes the member if its session has expired. */
  final void expireIfSilent() {
    if (present && clock.millis() - lastRequestMillis > SESSION_MILLIS) {
      expire();
    }
  }

  /** Removes the member; the rival owns everything. */
  void expire() {
    ledger.step("the group throws the member out");
    ledger.memberRemoved();
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
