package dev.decant.kafka.work;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Takes records that are ready, has the handler work on them, and goes on with those that have waited for them. How
 * many it takes at once follows from how long the handler takes: handing over costs as much as a short handler does.
 * Those that it has taken and not begun are there for others, for the case that a handler takes long all the same.
 */
final class Worker<K, V> implements Runnable {
  /** Records taken at once. */
  private static final int MOST_AT_ONCE = 64;
  /** Records that are taken at once should take this time at most. */
  private static final long TURN_NANOS = 100_000;
  /** Records of one chain in a row, while others wait. */
  private static final int MOST_IN_A_ROW = 16;
  private static final VarHandle CURRENT;
  private static final VarHandle HANDING_OVER;

  static {
    try {
      CURRENT = MethodHandles.lookup().findVarHandle(Worker.class, "current", Slot.class);
      HANDING_OVER = MethodHandles.lookup().findVarHandle(Worker.class, "isHandingOver", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Stands for a record that is being interrupted. */
  @SuppressWarnings("rawtypes")
  private static final Slot BUSY = new Slot<>(in -> "", in -> "");

  private final Crew<K, V> crew;
  private final @Nullable Slot<K, V>[] taken;
  /** What a handler of batches gets; null for one of records. */
  private final @Nullable SlotBatch<K, V> batch;
  /** Whether this worker waits to be woken. Changed by compare-and-set, so that one of two wakes it. */
  volatile boolean isIdle;
  /** Whether the executor was asked for a thread and has not begun. Changed by compare-and-set: one task takes it. */
  volatile boolean isWoken;
  /** When the executor was asked last, and how long the loop waits for it. Written before {@link #isWoken}. */
  long wokenNanos;
  long patienceNanos;
  volatile @Nullable Thread thread;
  /** The record that the handler works on. */
  @SuppressWarnings("unused") // by CURRENT
  private volatile @Nullable Slot<K, V> current;
  /** The batch that the handler works on. */
  private volatile @Nullable SlotBatch<K, V> working;
  /**
   * Whether a handler has ended and the loop cannot find its records yet: they are current no more, and not pushed
   * yet. The closing of a partition waits for that, else it would not commit all that is done. Written by the worker.
   */
  @SuppressWarnings("unused") // by HANDING_OVER
  private volatile boolean isHandingOver;
  /** When that was begun; of use with a deadline only. */
  private volatile long sinceNanos;
  /** An estimate of how long the handler takes for a record. Others read it, and may see an older one. */
  private long handlerNanos = TURN_NANOS;
  /** The beginning of the record that was interrupted for its deadline. The loop. */
  private long overdueNanos;

  /** Taken and not begun. This worker adds, and any takes. */
  private final ReadyRing<Slot<K, V>> own = new ReadyRing<>(MOST_AT_ONCE);
  private final DoneStack<K, V> done = new DoneStack<>();
  @SuppressWarnings({"unchecked", "rawtypes"})
  private final @Nullable Slot<K, V>[] one = new Slot[1];

  @SuppressWarnings({"unchecked", "rawtypes"})
  Worker(Crew<K, V> crew) {
    this.crew = crew;
    this.taken = new Slot[Math.max(MOST_AT_ONCE, crew.batchRecords())];
    this.batch = crew.batchRecords() == 0 ? null : new SlotBatch<>(crew.batchRecords());
  }

  @Override
  public void run() {
    crew.runUntilIdle(this);
  }

  /** Works on what is ready; false if there is nothing. */
  boolean turn() {
    SlotBatch<K, V> of = batch;
    return of == null ? turnOfRecords() : turnOfBatch(of);
  }

  private boolean turnOfRecords() {
    int most = most();
    int n = crew.ready().take(taken, most);
    if (n == 0) {
      return turnOfOthers();
    }
    int left = crew.ready().size();
    if (left > 0 && (most < MOST_AT_ONCE || left >= MOST_AT_ONCE)) {
      crew.wakeOne();
    }
    for (int i = 1; i < n; i++) {
      own.add(at(taken, i), own.end() + i - 1);
    }
    if (n > 1) {
      own.publish(own.end() + n - 1);
    }
    long begin = crew.nanoTime();
    int worked = chain(at(taken, 0));
    while (own.take(one, 1) == 1) {
      worked += chain(at(one, 0));
    }
    long each = (crew.nanoTime() - begin) / worked;
    handlerNanos += (each - handlerNanos) / 4;
    return true;
  }

  /** Takes a record of a worker that has some and does not come to them. */
  private boolean turnOfOthers() {
    if (!crew.takeOfOthers(one)) {
      return false;
    }
    chain(at(one, 0));
    return true;
  }

  private static <T> T at(@Nullable T[] of, int index) {
    T item = of[index];
    if (item == null) {
      throw new IllegalStateException("nothing at " + index);
    }
    return item;
  }

  /** What this worker has taken and not begun. Any thread takes. */
  ReadyRing<Slot<K, V>> own() {
    return own;
  }

  DoneStack<K, V> done() {
    return done;
  }

  /** Whether it takes more than one record at once. Any thread; the answer may be old. */
  boolean isFast() {
    return most() > 1;
  }

  private int most() {
    long most = TURN_NANOS / Math.max(handlerNanos, 1);
    return most >= MOST_AT_ONCE ? MOST_AT_ONCE : (int) Math.max(most, 1);
  }

  /** Works on a record and on those that wait for it; gives how many. */
  private int chain(Slot<K, V> head) {
    Slot<K, V> slot = head;
    int worked = 0;
    while (true) {
      work(slot);
      worked++;
      boolean isUrgent = slot.outcome == Slot.Outcome.FAILED;
      Slot<K, V> next = isUrgent ? null : slot.finish();
      boolean isPassedOn = next != null && worked >= MOST_IN_A_ROW && crew.ready().size() > 0;
      if (next != null && isPassedOn) {
        slot.nextDone = next; // it has no outcome yet: the loop makes it ready, behind the others
        int depth = done.push(slot, next, 2);
        HANDING_OVER.setRelease(this, false);
        crew.finished(depth, true);
        return worked;
      }
      int depth = done.push(slot, slot, 1);
      HANDING_OVER.setRelease(this, false);
      crew.finished(depth, isUrgent);
      if (next == null) {
        return worked;
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
      slot.runner = Thread.currentThread();
      try {
        crew.handler().handle(slot.record(), slot);
        slot.outcome = Slot.Outcome.DONE;
      } catch (Throwable e) { // also an error: it is the record's, and the worker goes on
        slot.error = e;
        slot.outcome = Slot.Outcome.FAILED;
      }
      slot.runner = null;
    }
    HANDING_OVER.setRelease(this, true);
    while (!CURRENT.compareAndSet(this, slot, null)) { // it is being interrupted
      Thread.onSpinWait();
    }
    if (Thread.interrupted() && crew.isClosed()) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes a batch; a record that has failed before is one of its own, so that others do not fail with it. */
  private boolean turnOfBatch(SlotBatch<K, V> of) {
    int n = crew.ready().take(taken, of.most());
    if (n == 0) {
      return false;
    }
    if (crew.ready().size() > 0) {
      crew.wakeOne();
    }
    for (int i = 0; i < n; i++) {
      Slot<K, V> slot = at(taken, i);
      if (slot.attempts > 0) {
        workTogether(of, slot);
      } else {
        of.add(slot);
      }
    }
    if (of.size() > 0) {
      if (n == of.size()) {
        of.addFollowers();
      }
      workTogether(of, null);
    }
    return true;
  }

  /** Works on one record, or on what was gathered. */
  private void workTogether(SlotBatch<K, V> gathered, @Nullable Slot<K, V> alone) {
    SlotBatch<K, V> of = gathered;
    if (alone != null) {
      of = new SlotBatch<>(1);
      of.add(alone);
    }
    Slot<K, V> head = of.get();
    if (crew.hasDeadline()) {
      sinceNanos = crew.nanoTime(); // before it is current
    }
    current = head;
    working = of;
    Throwable error = null;
    boolean isOpen = of.isOpen(); // asked behind that: who closes a partition waits for the current records
    if (isOpen) {
      of.runBy(Thread.currentThread());
      try {
        crew.batchHandler().handle(of.records(), of.contexts());
      } catch (Throwable e) { // also an error: it is the records'
        error = e;
      }
      of.runBy(null);
    }
    HANDING_OVER.setRelease(this, true);
    working = null;
    while (!CURRENT.compareAndSet(this, head, null)) {
      Thread.onSpinWait();
    }
    if (Thread.interrupted() && crew.isClosed()) {
      Thread.currentThread().interrupt();
    }
    of.end(isOpen, error, slot -> done.push(slot, slot, 1));
    HANDING_OVER.setRelease(this, false);
    crew.finished(done.depth(), true); // others may wait for any of these
  }

  /** Whether a record of a partition is worked on, or any is being handed to the loop. Any thread. */
  boolean isAt(PartitionWork partition) {
    Slot<K, V> slot = current;
    SlotBatch<K, V> of = working;
    if (slot != null && (slot.partition == partition || (of != null && of.has(partition)))) {
      return true;
    }
    return isHandingOver; // asked behind that: it is said before a record stops being current
  }

  boolean isWorking() {
    return current != null;
  }

  /** Interrupts the handler if its records are of no use any more, or were begun before a time. The loop. */
  boolean interruptIf(long startedBeforeNanos) {
    Slot<K, V> slot = current;
    Thread of = thread;
    if (slot == null || of == null || !(isOverdue(startedBeforeNanos) || isUseless(slot))) {
      return false;
    }
    if (!CURRENT.compareAndSet(this, slot, BUSY)) {
      return false;
    }
    // The worker cannot go on to other records before its record is current again, so the second look is exact.
    boolean isOverdue = isOverdue(startedBeforeNanos);
    if (isOverdue || isUseless(slot)) {
      overdueNanos = sinceNanos;
      of.interrupt();
    }
    CURRENT.setVolatile(this, slot);
    return isOverdue;
  }

  private boolean isOverdue(long startedBeforeNanos) {
    long since = sinceNanos;
    return crew.hasDeadline() && since - startedBeforeNanos <= 0 && since != overdueNanos;
  }

  private boolean isUseless(Slot<K, V> slot) {
    SlotBatch<K, V> of = working;
    return of == null ? slot.isCancelled() : of.isCancelled();
  }
}
