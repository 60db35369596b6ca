package dev.decant.lab.driver;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The state of a group as its members report it: the owner of each partition, and what was read and committed of it.
 * Any thread.
 */
final class GroupView implements Member.Observer {
  private static final long NOTHING = -1;

  /** The state of one partition. Guarded by the view's monitor. */
  private static final class Held {
    final Set<Integer> owners = new HashSet<>();
    /** True after the owner has read a record since the last event. */
    boolean flows;
    /** The offset up to which all records were read by some member. */
    long readTo;
    long committed = NOTHING;
    /** The committed offset when the present owner was assigned the partition. */
    long committedAtStart = NOTHING;
  }

  private final List<Held> partitions = new ArrayList<>();
  private final Set<Integer> members = new HashSet<>();
  private long lost;
  private long duplicates;
  private long redelivered;

  GroupView(int count) {
    for (int i = 0; i < count; i++) {
      partitions.add(new Held());
    }
  }

  /** Adds a member to the group, or removes it. This is an event: each partition must be read again. */
  synchronized void expect(int member, boolean present) {
    if (present) {
      members.add(member);
    } else {
      members.remove(member);
      partitions.forEach(p -> p.owners.remove(member));
    }
    partitions.forEach(p -> p.flows = false);
  }

  @Override
  public synchronized void assigned(int member, int partition) {
    Held held = partitions.get(partition);
    if (members.contains(member)) {
      held.owners.add(member);
      held.flows = false;
      held.committedAtStart = held.committed;
    }
  }

  @Override
  public synchronized void released(int member, int partition) {
    partitions.get(partition).owners.remove(member);
  }

  @Override
  public synchronized void read(int member, int partition, long offset) {
    Held held = partitions.get(partition);
    if (offset < held.readTo) {
      redelivered++;
      duplicates += offset < held.committedAtStart ? 1 : 0;
    } else {
      lost += offset - held.readTo;
      held.readTo = offset + 1;
    }
    if (!held.flows && held.owners.contains(member)) {
      held.flows = true;
      notifyAll();
    }
  }

  @Override
  public synchronized void committed(int partition, long offset) {
    Held held = partitions.get(partition);
    held.committed = Math.max(held.committed, offset);
  }

  /**
   * Waits until each partition has one owner that reads it, and each member has a partition.
   *
   * @return false after the deadline
   */
  synchronized boolean awaitStable(long deadlineNanos) throws InterruptedException {
    while (!isStable()) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  private boolean isStable() {
    Set<Integer> owning = new HashSet<>();
    for (Held held : partitions) {
      if (!held.flows || held.owners.size() != 1) {
        return false;
      }
      owning.addAll(held.owners);
    }
    return owning.equals(members);
  }

  synchronized void forgetCounts() {
    lost = 0;
    duplicates = 0;
    redelivered = 0;
  }

  synchronized long lost() {
    return lost;
  }

  synchronized long duplicates() {
    return duplicates;
  }

  synchronized long redelivered() {
    return redelivered;
  }

  @Override
  public synchronized String toString() {
    List<String> all = new ArrayList<>();
    for (int p = 0; p < partitions.size(); p++) {
      Held held = partitions.get(p);
      all.add(p + ": " + held.owners + (held.flows ? "" : ", not read"));
    }
    return "members " + members + "; partitions " + all;
  }
}
