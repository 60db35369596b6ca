package dev.decant.kafka.work;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Takes records that are ready, has the handler work on them, and goes on with those that have waited for them. How many
 * it takes at once follows from how long the handler takes: handing over costs as much as a short handler does, and a
 * long one must not have others wait while another worker is idle.
 */
final class Worker<K, V> implements Runnable {
  /** Records taken at once, and finished before the loop hears of them. */
  private static final int MOST_AT_ONCE = 64;
  /** What is taken at once should last so long at most. */
  private static final long TURN_NANOS = 100_000;
  /** Records of one chain in a row, while others wait. */
  private static final int MOST_IN_A_ROW = 16;
  private static final VarHandle CURRENT;

  static {
    try {
      CURRENT = MethodHandles.lookup().findVarHandle(Worker.class, "current", Slot.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Stands for a record that is being interrupted. */
  @SuppressWarnings("rawtypes")
  private static final Slot BUSY = new Slot<>(in -> "", in -> "");

  private final Crew<K, V> crew;
  private final Slot<K, V>[] taken;
  /** Whether this worker waits to be woken. Changed by compare-and-set, so that one of two wakes it. */
  volatile boolean isIdle;
  volatile @Nullable Thread thread;
  /** The record that the handler works on. */
  @SuppressWarnings("unused") // by CURRENT
  private volatile @Nullable Slot<K, V> current;
  /** When that was begun; of use with a deadline only. */
  private volatile long sinceNanos;
  /** An estimate of how long the handler takes for a record. */
  private long handlerNanos = TURN_NANOS;
  /** The beginning of the record that was interrupted for its deadline. The loop. */
  private long overdueNanos;

  // What was finished and not pushed yet.
  private @Nullable Slot<K, V> first;
  private @Nullable Slot<K, V> last;
  private int count;
  private boolean isUrgent;

  @SuppressWarnings({"unchecked", "rawtypes"})
  Worker(Crew<K, V> crew) {
    this.crew = crew;
    this.taken = new Slot[MOST_AT_ONCE];
  }

  @Override
  public void run() {
    crew.runUntilIdle(this);
  }

  /** Works on what is ready; false if there is nothing. */
  boolean turn() {
    int most = most();
    int n = crew.ready().take(taken, most);
    if (n == 0) {
      return false;
    }
    int left = crew.ready().size();
    if (left > 0 && (most < MOST_AT_ONCE || left >= MOST_AT_ONCE)) {
      crew.wakeOne();
    }
    long begin = crew.nanoTime();
    int worked = 0;
    for (int i = 0; i < n; i++) {
      Slot<K, V> slot = taken[i];
      taken[i] = null;
      worked += chain(slot, most == 1);
    }
    flush();
    long each = (crew.nanoTime() - begin) / worked;
    handlerNanos += (each - handlerNanos) / 4;
    return true;
  }

  private int most() {
    long most = TURN_NANOS / Math.max(handlerNanos, 1);
    return most >= MOST_AT_ONCE ? MOST_AT_ONCE : (int) Math.max(most, 1);
  }

  /** Works on a record and on those that wait for it; gives how many. */
  private int chain(Slot<K, V> head, boolean isSlow) {
    Slot<K, V> slot = head;
    int worked = 0;
    while (true) {
      work(slot);
      worked++;
      Slot<K, V> next = null;
      if (slot.outcome == Slot.Outcome.DONE || slot.outcome == Slot.Outcome.ABANDONED) {
        next = slot.finish();
      } else {
        isUrgent = true;
      }
      add(slot);
      if (next == null) {
        return worked;
      }
      if (worked >= MOST_IN_A_ROW && crew.ready().size() > 0) {
        isUrgent = true;
        add(next); // it has no outcome yet: the loop makes it ready, behind the others
        return worked;
      }
      if (isSlow || count >= MOST_AT_ONCE) {
        flush();
      }
      slot = next;
    }
  }

  private void work(Slot<K, V> slot) {
    if (crew.hasDeadline()) {
      sinceNanos = crew.nanoTime(); // before it is current
    }
    CURRENT.setVolatile(this, slot);
    if (!slot.in().isOpen()) { // asked behind that: who closes a partition waits for the current records
      slot.outcome = Slot.Outcome.ABANDONED;
    } else {
      try {
        crew.handler().handle(slot.record(), slot);
        slot.outcome = Slot.Outcome.DONE;
      } catch (Throwable e) { // also an error: it is the record's, and the worker goes on
        slot.error = e;
        slot.outcome = Slot.Outcome.FAILED;
      }
    }
    while (!CURRENT.compareAndSet(this, slot, null)) { // it is being interrupted
      Thread.onSpinWait();
    }
    if (Thread.interrupted() && crew.isClosed()) {
      Thread.currentThread().interrupt();
    }
  }

  private void add(Slot<K, V> slot) {
    slot.nextDone = first;
    first = slot;
    if (last == null) {
      last = slot;
    }
    count++;
  }

  private void flush() {
    Slot<K, V> from = first;
    Slot<K, V> to = last;
    if (from == null || to == null) {
      return;
    }
    first = null;
    last = null;
    crew.finished(from, to, count, isUrgent);
    count = 0;
    isUrgent = false;
  }

  /** The record that is worked on, if it is of this partition. Any thread. */
  boolean isAt(PartitionWork partition) {
    Slot<K, V> slot = current;
    return slot != null && slot.partition == partition;
  }

  boolean isWorking() {
    return current != null;
  }

  /** Interrupts the handler if the record is of no use any more, or was begun before a time. The loop. */
  boolean interruptIf(long startedBeforeNanos) {
    Slot<K, V> slot = current;
    Thread of = thread;
    if (slot == null || of == null) {
      return false;
    }
    long since = sinceNanos;
    boolean isOverdue = crew.hasDeadline() && since - startedBeforeNanos <= 0 && since != overdueNanos;
    if (!isOverdue && !slot.isCancelled()) {
      return false;
    }
    if (!CURRENT.compareAndSet(this, slot, BUSY)) {
      return false;
    }
    overdueNanos = since;
    of.interrupt(); // before the worker can go on to another record
    CURRENT.setVolatile(this, slot);
    return isOverdue;
  }
}
