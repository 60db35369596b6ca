package dev.decant.kafka.work;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Takes ready records, has the handler work on them, and goes on with records that have waited for them. The number of
 * records taken at once depends on the time of the handler, since each hand-over costs as much as a short handler.
 * Other workers may take the records that it has not begun, in case a handler takes longer.
 */
final class Worker<K, V> implements Runnable {
  /** The most records taken at once. */
  private static final int MOST_AT_ONCE = 64;
  /** How long the records that are taken at once should take together. */
  private static final long TURN_NANOS = 100_000;
  /** The most records of one chain in a row while others wait. */
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

  /** Marks {@link #current} while the handler of its record is being interrupted. */
  @SuppressWarnings("rawtypes")
  private static final Slot BUSY = new Slot<>(in -> "", in -> "");

  private final Crew<K, V> crew;
  private final @Nullable Slot<K, V>[] taken;
  /** The batch that a handler of batches gets; null with another kind of handler. */
  private final @Nullable SlotBatch<K, V> batch;
  /** True while this worker waits to be woken. Changed by compare-and-set, so that one of two threads wakes it. */
  volatile boolean isIdle;
  /**
   * True from the request for a thread of the executor until a task runs. Changed by compare-and-set, so that one of
   * two tasks takes it.
   */
  volatile boolean isWoken;
  /** When the executor got the last task, and how long the loop waits for it. Written before {@link #isWoken}. */
  long wokenNanos;
  long patienceNanos;
  volatile @Nullable Thread thread;
  /** The record that the handler works on; {@link #BUSY} while the loop interrupts it. */
  @SuppressWarnings("unused") // by CURRENT
  private volatile @Nullable Slot<K, V> current;
  /** The batch that the handler works on. Written by the worker. */
  private volatile @Nullable SlotBatch<K, V> working;
  /**
   * True while records of an ended handler are neither current nor pushed to the loop. The revocation of a partition
   * waits for that: else it would commit without them, and another member would do them again. Written by the worker.
   */
  @SuppressWarnings("unused") // by HANDING_OVER
  private volatile boolean isHandingOver;
  /** When the current attempt began. Written with a handler deadline only. */
  private volatile long sinceNanos;
  /**
   * An estimate of how long the handler takes for a record. Written by the worker; other threads may read an older
   * value.
   */
  private long handlerNanos = TURN_NANOS;
  /** When the attempt began that was interrupted for its deadline, so that it is interrupted once. The loop. */
  private long overdueNanos;

  /** Records that were taken and not begun. This worker adds, and any worker takes. */
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

  /** Works on ready records. Returns false if there are none. */
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

  /** Takes a record of another worker, whose handler takes long. */
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

  /** Records that this worker has taken and not begun. Any thread takes. */
  ReadyRing<Slot<K, V>> own() {
    return own;
  }

  DoneStack<K, V> done() {
    return done;
  }

  /** Returns true if this worker takes more than one record at once, which may change at once. Any thread. */
  boolean isFast() {
    return most() > 1;
  }

  private int most() {
    long most = TURN_NANOS / Math.max(handlerNanos, 1);
    return most >= MOST_AT_ONCE ? MOST_AT_ONCE : (int) Math.max(most, 1);
  }

  /** Works on a record and on those that wait for it. Returns how many. */
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
        slot.nextDone = next; // without an outcome: the loop makes it ready behind the others
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
      sinceNanos = crew.nanoTime(); // before the record is current
    }
    CURRENT.setVolatile(this, slot);
    if (!slot.in().isOpen()) { // read after it is current: the loop closes a partition, then waits for current ones
      slot.outcome = Slot.Outcome.ABANDONED;
    } else {
      slot.runner = Thread.currentThread();
      try {
        crew.handler().handle(slot.record(), slot);
        slot.outcome = Slot.Outcome.DONE;
      } catch (Throwable e) { // an Error, too, fails the record, and the worker goes on
        slot.error = e;
        slot.outcome = Slot.Outcome.FAILED;
      }
      slot.runner = null;
    }
    HANDING_OVER.setRelease(this, true);
    while (!CURRENT.compareAndSet(this, slot, null)) { // the loop is interrupting the handler
      Thread.onSpinWait();
    }
    if (Thread.interrupted() && crew.isClosed()) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes a batch. A record that has failed before is a batch of its own, so that others do not fail with it. */
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
      sinceNanos = crew.nanoTime(); // before the record is current
    }
    current = head;
    working = of;
    Throwable error = null;
    boolean isOpen = of.isOpen(); // read after it is current: the loop closes a partition, then waits for current ones
    if (isOpen) {
      of.runBy(Thread.currentThread());
      try {
        crew.batchHandler().handle(of.records(), of.contexts());
      } catch (Throwable e) { // an Error, too, fails the records
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
    crew.finished(done.depth(), true); // urgent: records may wait for any of these
  }

  /**
   * Returns true if the handler works on a record of a partition, or any record is being handed to the loop. Any
   * thread.
   */
  boolean isAt(PartitionWork partition) {
    Slot<K, V> slot = current;
    SlotBatch<K, V> of = working;
    if (slot != null && (slot.partition == partition || (of != null && of.has(partition)))) {
      return true;
    }
    return isHandingOver; // read after current: the worker sets it before a record stops being current
  }

  boolean isWorking() {
    return current != null;
  }

  /**
   * Interrupts the handler if its records are of no use any more, or its attempt began before a time. Returns true for
   * the latter. The loop.
   */
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
