package dev.decant.kafka.interleaving;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Records each step and checks it. The application has a partition from onAssigned to the end of onRevoked or onLost,
 * and reads it in order without gaps. A commit covers only records that were read by the owner of the partition.
 */
final class Ledger {
  private static final long UNKNOWN = -1;

  /** A partition while the application has it. */
  private static final class Possession {
    /** Offset of the next record; -1 until the first record or seek. */
    long position = UNKNOWN;
    boolean lastWasRecord;
    boolean paused;
    /** True after the group has removed the member, which can no longer commit. */
    boolean isRemoved;
    /** True while the listener hears of the partition's end. */
    boolean ending;
  }

  private final SimulatedClock clock;
  private final List<String> steps = new ArrayList<>();
  private final TreeMap<Integer, Possession> owned = new TreeMap<>();
  /** Committed offsets by partition. */
  private final TreeMap<Integer, Long> committed = new TreeMap<>();
  /** Offsets at which the member begins by the broker's last response, by partition. */
  private final TreeMap<Integer, Long> starts = new TreeMap<>();
  /** Largest position that any member has reached, by partition. */
  private final TreeMap<Integer, Long> reached = new TreeMap<>();
  private final Set<Integer> soughtBack = new TreeSet<>();
  private boolean commitsBeforeRevocation;
  private @Nullable String violation;

  Ledger(SimulatedClock clock) {
    this.clock = clock;
  }

  /**
   * Requires each revoked partition to be committed up to its last record, since no fault disturbs commits from now on.
   */
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

  /** Returns the first violation; null if there is none. */
  @Nullable
  String violation() {
    return violation;
  }

  // Steps that the application sees.

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
    if (revoked && commitsBeforeRevocation && p.lastWasRecord && !p.isRemoved
        && committed.getOrDefault(partition, UNKNOWN) != p.position) {
      fail("onRevoked of " + partition + " at " + p.position + ", and committed is " + committed.get(partition));
    }
  }

  /** Notes that the group has removed the member. */
  void memberRemoved() {
    owned.values().forEach(p -> p.isRemoved = true);
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

  /** Returns the application's position; -1 if it has read nothing yet. */
  long position(int partition) {
    Possession p = owned.get(partition);
    return p == null ? UNKNOWN : p.position;
  }

  /** Returns true if the application has read all records of a partition, which may be empty. */
  boolean isAt(int partition, long end) {
    long position = position(partition);
    return (position >= 0 ? position : starts.getOrDefault(partition, UNKNOWN)) == end;
  }

  // Steps that the broker sees.

  /** Notes the offset at which the member begins. */
  void started(int partition, long offset) {
    starts.put(partition, offset);
    reach(partition, offset);
  }

  long committed(int partition) {
    return committed.getOrDefault(partition, UNKNOWN);
  }

  /** Checks a commit of the member that the broker stores. */
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

  /** Notes a commit of the other member. */
  void committedByRival(int partition, long offset) {
    committed.put(partition, offset);
  }

  /** Checks that the application no longer has a partition that the broker takes for revoked. */
  void released(int partition, String by) {
    step("released " + partition + " by " + by);
    if (owned.containsKey(partition)) {
      fail(by + " gives up " + partition + " before the listener has heard of it");
    }
  }

  /** Checks that the application has no partition, because the broker takes all for revoked. */
  void releasedAll(String by) {
    owned().forEach(p -> released(p, by));
  }
}
