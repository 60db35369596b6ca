package dev.decant.kafka.interleaving;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what each step has done and compares it with what may be: the application has a partition from onAssigned
 * to the end of onRevoked or onLost, reads it in order and without gaps, and what is committed was read, by who had it.
 */
final class Ledger {
  private static final long UNKNOWN = -1;

  /** A partition while the application has it. */
  private static final class Possession {
    /** Offset of the next record; -1 until there was one, or a seek. */
    long position = UNKNOWN;
    boolean lastWasRecord;
    boolean paused;
    /** The member was thrown out since: it cannot commit. */
    boolean forfeited;
    /** The listener is hearing of its end. */
    boolean ending;
  }

  private final SimulatedClock clock;
  private final List<String> steps = new ArrayList<>();
  private final TreeMap<Integer, Possession> owned = new TreeMap<>();
  /** Of each partition: what is committed, what the broker said last where to begin, how far anybody came. */
  private final TreeMap<Integer, Long> committed = new TreeMap<>();
  private final TreeMap<Integer, Long> starts = new TreeMap<>();
  private final TreeMap<Integer, Long> reached = new TreeMap<>();
  private final Set<Integer> soughtBack = new TreeSet<>();
  private boolean commitsBeforeRevocation;
  private @Nullable String violation;

  Ledger(SimulatedClock clock) {
    this.clock = clock;
  }

  /** From now on each partition that is revoked must be committed to the last record: nothing disturbs commits. */
  void requireCommitsBeforeRevocation() {
    commitsBeforeRevocation = true;
  }

  void step(String text) {
    steps.add(clock.millis() + " " + text);
  }

  List<String> steps() {
    return steps;
  }

  void fail(String text) {
    step("VIOLATION " + text);
    if (violation == null) {
      violation = text;
    }
  }

  /** What was wrong first; null for nothing. */
  @Nullable
  String violation() {
    return violation;
  }

  // What the application sees.

  void assigned(int partition) {
    if (owned.containsKey(partition)) {
      fail("onAssigned of " + partition + ", which the application has already");
    }
    owned.put(partition, new Possession());
    soughtBack.remove(partition);
  }

  void endBegins(int partition, boolean revoked) {
    Possession p = owned.get(partition);
    if (p == null || p.ending) {
      fail((revoked ? "onRevoked of " : "onLost of ") + partition + ", which the application does not have");
      return;
    }
    p.ending = true;
    if (revoked && commitsBeforeRevocation && p.lastWasRecord && !p.forfeited
        && committed.getOrDefault(partition, UNKNOWN) != p.position) {
      fail("onRevoked of " + partition + " at " + p.position + ", and committed is " + committed.get(partition));
    }
  }

  /** The group has thrown the member out. */
  void thrownOut() {
    owned.values().forEach(p -> p.forfeited = true);
  }

  void ended(int partition) {
    owned.remove(partition);
  }

  void record(int partition, long offset) {
    step("record " + partition + "@" + offset);
    Possession p = owned.get(partition);
    if (p == null || p.ending) {
      fail("record of " + partition + ", which the application does not have");
      return;
    }
    if (p.paused) {
      fail("record of " + partition + ", which is paused");
    }
    long due = p.position >= 0 ? p.position : starts.getOrDefault(partition, UNKNOWN);
    if (offset != due) {
      fail("record of " + partition + " at " + offset + " instead of " + due);
    }
    p.position = offset + 1;
    p.lastWasRecord = true;
    reach(partition, offset + 1);
  }

  void sought(int partition, long offset) {
    Possession p = owned.get(partition);
    if (p != null) {
      soughtBack.add(partition);
      p.position = offset;
      p.lastWasRecord = false;
      reach(partition, offset);
    }
  }

  private void reach(int partition, long offset) {
    reached.merge(partition, offset, Math::max);
  }

  void paused(int partition, boolean isPaused) {
    Possession p = owned.get(partition);
    if (p != null) {
      p.paused = isPaused;
    }
  }

  Set<Integer> owned() {
    return new TreeSet<>(owned.keySet());
  }

  /** Where the application is; -1 if it has read nothing yet. */
  long position(int partition) {
    Possession p = owned.get(partition);
    return p == null ? UNKNOWN : p.position;
  }

  /** Whether the application has read all there is, which may be nothing. */
  boolean isAt(int partition, long end) {
    long position = position(partition);
    return (position >= 0 ? position : starts.getOrDefault(partition, UNKNOWN)) == end;
  }

  // What the broker sees.

  /** The broker has said where to begin. */
  void started(int partition, long offset) {
    starts.put(partition, offset);
    reach(partition, offset);
  }

  long committed(int partition) {
    return committed.getOrDefault(partition, UNKNOWN);
  }

  /** The broker stores a commit of the member. */
  void committed(int partition, long offset, boolean held) {
    step("stored " + partition + "@" + offset);
    if (!held) {
      fail("a commit of " + partition + "@" + offset + " is stored after it was given up");
    }
    if (offset > reached.getOrDefault(partition, UNKNOWN)) {
      fail("a commit of " + partition + "@" + offset + " is beyond " + reached.get(partition));
    }
    if (offset < committed(partition) && !soughtBack.contains(partition)) {
      fail("a commit of " + partition + "@" + offset + " goes back behind " + committed(partition));
    }
    committed.put(partition, offset);
  }

  /** Another member has read on, and committed. */
  void committedByRival(int partition, long offset) {
    committed.put(partition, offset);
  }

  /** The broker hears that a partition is given up. */
  void released(int partition, String by) {
    step("released " + partition + " by " + by);
    if (owned.containsKey(partition)) {
      fail(by + " gives up " + partition + " before the listener has heard of it");
    }
  }

  /** The broker hears that all is given up. */
  void releasedAll(String by) {
    owned().forEach(p -> released(p, by));
  }
}
