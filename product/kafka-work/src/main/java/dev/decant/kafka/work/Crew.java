package dev.decant.kafka.work;

import dev.decant.time.Clock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The workers, and a count of those that are idle. A worker that finds no record becomes idle, and waits. A thread that
 * adds records wakes one worker, and a worker that leaves records behind wakes the next. So no thread is woken for
 * records that another takes.
 */
final class Crew<K, V> {
  private static final VarHandle IDLE;
  private static final VarHandle IS_IDLE;
  private static final VarHandle IS_WOKEN;
  /** An executor that has not begun a task after this time may have dropped it, and gets it again. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      IDLE = lookup.findVarHandle(Crew.class, "idle", int.class);
      IS_IDLE = lookup.findVarHandle(Worker.class, "isIdle", boolean.class);
      IS_WOKEN = lookup.findVarHandle(Worker.class, "isWoken", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Takes reports of workers. */
  interface Listener {
    /**
     * Reports finished records, and the number of those that the loop has not taken. Urgent if one of them needs the
     * loop now.
     */
    void finished(int depth, boolean isUrgent);

    /** Reports that a worker is idle. */
    void workerIdle();

    /** The executor has refused a worker. */
    void refused(Throwable cause);
  }

  private final @Nullable WorkContextHandler<K, V> handler;
  private final @Nullable BatchContextHandler<K, V> batchHandler;
  private final int batchRecords;
  private final ReadyRing<Slot<K, V>> ready;
  /** Records that threads other than workers have finished. */
  private final DoneStack<K, V> done = new DoneStack<>();
  private final Listener listener;
  private final Clock clock;
  private final boolean hasDeadline;
  private final List<Worker<K, V>> workers = new ArrayList<>();
  /** Null if each worker has a thread. */
  private final @Nullable Executor executor;
  private final @Nullable ThreadFactory threads;
  private volatile int idle;
  private volatile boolean closed;

  Crew(WorkParts<K, V> parts, WorkSettings settings, Listener listener) {
    this.handler = parts.handler();
    this.batchHandler = parts.batchHandler();
    this.batchRecords = batchHandler == null ? 0 : settings.batchRecords();
    this.ready = new ReadyRing<>(settings.maxUnderWay());
    this.listener = listener;
    this.clock = parts.clock();
    this.hasDeadline = settings.handlerTimeoutNanos() > 0;
    this.executor = settings.executor();
    this.threads = settings.threads();
    boolean hasWorkers = handler != null || batchHandler != null;
    for (int i = 0; hasWorkers && i < settings.concurrency(); i++) {
      workers.add(new Worker<>(this));
    }
  }

  /** Starts the threads. An executor gets its tasks when there are records. */
  void start() {
    for (Worker<K, V> worker : workers) {
      ThreadFactory factory = threads;
      if (factory != null) {
        Thread thread = factory.newThread(worker);
        worker.thread = thread;
        thread.start();
      } else if (executor != null) {
        worker.isIdle = true;
        IDLE.getAndAdd(this, 1);
      }
    }
  }

  /** Works on all ready records on the calling thread, which belongs to the only worker. */
  void runInline() {
    Worker<K, V> worker = workers.get(0);
    worker.thread = Thread.currentThread();
    while (!closed && worker.turn()) {
      // until nothing is ready
    }
    worker.thread = null;
  }

  ReadyRing<Slot<K, V>> ready() {
    return ready;
  }

  /** Returns the number of finished records that the loop has not taken. */
  int depth() {
    int depth = done.depth();
    for (int i = 0; i < workers.size(); i++) {
      depth += workers.get(i).done().depth();
    }
    return depth;
  }

  /** Takes the finished records of a stack, linked by {@code nextDone}; null if it has none. The loop. */
  @Nullable
  Slot<K, V> takeDone(int stack) {
    return stack == workers.size() ? done.takeAll() : workers.get(stack).done().takeAll();
  }

  int stacks() {
    return workers.size() + 1;
  }

  /** Takes a record that another worker has taken and not begun. Called by a worker that has nothing else to do. */
  boolean takeOfOthers(@Nullable Slot<K, V>[] one) {
    for (int i = 0; i < workers.size(); i++) {
      if (workers.get(i).own().take(one, 1) == 1) {
        return true;
      }
    }
    return false;
  }

  /** Returns true if records wait behind a handler that was fast so far and may now take long. */
  boolean mayStrand() {
    boolean isWaiting = ready.size() > 0;
    for (int i = 0; i < workers.size(); i++) {
      Worker<K, V> worker = workers.get(i);
      if (worker.own().size() > 0 || (isWaiting && worker.isFast())) {
        return true;
      }
    }
    return false;
  }

  /** Wakes idle workers for records that busy workers have taken and not begun. The loop. */
  void rescue() {
    int waiting = 0;
    for (int i = 0; i < workers.size(); i++) {
      waiting += workers.get(i).own().size();
    }
    for (int i = 0; i < waiting && idle > 0; i++) {
      wakeOne();
    }
  }

  /** Wakes workers for all ready records, after the executor has refused some of their tasks. The loop. */
  void wakeAgain() {
    for (int i = Math.min(ready.size(), idle); i > 0; i--) {
      wakeOne();
    }
  }

  WorkContextHandler<K, V> handler() {
    WorkContextHandler<K, V> of = handler;
    if (of == null) {
      throw new IllegalStateException("records are begun by the loop");
    }
    return of;
  }

  BatchContextHandler<K, V> batchHandler() {
    BatchContextHandler<K, V> of = batchHandler;
    if (of == null) {
      throw new IllegalStateException("records are worked on one by one");
    }
    return of;
  }

  /** The most records of a batch; 0 if handlers work on records one by one. */
  int batchRecords() {
    return batchRecords;
  }

  boolean hasDeadline() {
    return hasDeadline;
  }

  long nanoTime() {
    return clock.nanoTime();
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Runs a worker on the calling thread. On a thread of its own it runs until the end, and on a thread of an executor
   * until it is idle.
   */
  void runUntilIdle(Worker<K, V> worker) {
    if (executor != null) {
      if (!IS_WOKEN.compareAndSet(worker, true, false)) {
        return; // the executor got two tasks for this worker, and the other one runs it
      }
      worker.thread = Thread.currentThread();
    }
    while (!closed) {
      if (!worker.turn() && !becomesIdle(worker)) {
        return; // another thread may have this worker by now
      }
    }
  }

  /** Makes a worker idle that has found no record. Returns false if the thread must leave the worker. */
  private boolean becomesIdle(Worker<K, V> worker) {
    if (executor != null) {
      worker.thread = null;
    }
    worker.isIdle = true;
    IDLE.getAndAdd(this, 1);
    // otherwise another thread has seen the worker idle, and wakes it
    if (ready.size() > 0 && IS_IDLE.compareAndSet(worker, true, false)) {
      IDLE.getAndAdd(this, -1);
      if (executor != null) {
        worker.thread = Thread.currentThread(); // else a deadline would find no thread to interrupt
      }
      return true;
    }
    listener.workerIdle();
    if (executor == null) {
      while (worker.isIdle && !closed) {
        LockSupport.park(this);
      }
      return true;
    }
    return false;
  }

  /** Wakes a worker that waits, if there is one. Any thread. */
  void wakeOne() {
    if (idle == 0) {
      return;
    }
    for (int i = 0; i < workers.size(); i++) {
      Worker<K, V> worker = workers.get(i);
      if (worker.isIdle && IS_IDLE.compareAndSet(worker, true, false)) {
        IDLE.getAndAdd(this, -1);
        wake(worker);
        return;
      }
    }
  }

  private void wake(Worker<K, V> worker) {
    Executor by = executor;
    if (by == null) {
      LockSupport.unpark(worker.thread);
      return;
    }
    worker.wokenNanos = clock.nanoTime();
    worker.patienceNanos = PATIENCE_NANOS;
    worker.isWoken = true;
    try {
      by.execute(worker);
    } catch (RuntimeException | Error e) { // an Error of an executor, such as no memory for a thread, is a refusal, too
      if (IS_WOKEN.compareAndSet(worker, true, false) && IS_IDLE.compareAndSet(worker, false, true)) {
        IDLE.getAndAdd(this, 1);
      }
      listener.refused(e);
    }
  }

  /**
   * Returns when the loop checks for tasks that the executor has not begun; {@link DueSlots#NEVER} if it has begun all.
   * The loop only.
   */
  long patienceEndsNanos() {
    long ends = DueSlots.NEVER;
    for (int i = 0; executor != null && i < workers.size(); i++) {
      Worker<K, V> worker = workers.get(i);
      if (worker.isWoken) {
        ends = Math.min(ends, worker.wokenNanos + worker.patienceNanos);
      }
    }
    return ends;
  }

  /** Gives tasks to the executor again that it has not begun in time. Returns how many. The loop. */
  int askAgain(long nowNanos) {
    Executor by = executor;
    int count = 0;
    for (int i = 0; by != null && i < workers.size(); i++) {
      Worker<K, V> worker = workers.get(i);
      if (worker.isWoken && nowNanos - worker.wokenNanos - worker.patienceNanos >= 0) {
        count++;
        worker.wokenNanos = nowNanos;
        worker.patienceNanos *= 2; // a slow executor has all these tasks in its queue
        try {
          by.execute(worker);
        } catch (RuntimeException | Error e) {
          listener.refused(e);
        }
      }
    }
    return count;
  }

  /** Reports that a worker has finished records, of which the loop has not taken {@code depth}. */
  void finished(int depth, boolean isUrgent) {
    listener.finished(depth * Math.max(1, workers.size() - idle), isUrgent);
  }

  /** Takes records that a thread other than a worker has finished. Any thread. */
  void finishedElsewhere(Slot<K, V> first, Slot<K, V> last, int count, boolean isUrgent) {
    listener.finished(done.push(first, last, count), isUrgent);
  }

  /** Returns true if a handler works on a record of a partition. */
  boolean isAt(PartitionWork partition) {
    for (int i = 0; i < workers.size(); i++) {
      if (workers.get(i).isAt(partition)) {
        return true;
      }
    }
    return false;
  }

  /** Number of handlers that run. */
  int working() {
    int count = 0;
    for (int i = 0; i < workers.size(); i++) {
      if (workers.get(i).isWorking()) {
        count++;
      }
    }
    return count;
  }

  /**
   * Interrupts handlers whose records are of no use any more, and handlers that began before a time. Returns the number
   * of the latter.
   */
  int interrupt(long startedBeforeNanos) {
    int count = 0;
    for (int i = 0; i < workers.size(); i++) {
      if (workers.get(i).interruptIf(startedBeforeNanos)) {
        count++;
      }
    }
    return count;
  }

  /**
   * Ends the threads, and waits for them until a deadline. Handlers that still run then are interrupted, except on
   * threads of an executor. Returns true if all have ended.
   */
  boolean close(long deadlineNanos) {
    closed = true;
    boolean isInterrupted = false;
    boolean isEnded = true;
    for (Worker<K, V> worker : workers) {
      Thread thread = worker.thread;
      if (thread == null) {
        continue;
      }
      LockSupport.unpark(thread);
      if (executor != null) {
        isEnded &= !worker.isWorking();
        continue;
      }
      try {
        long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - clock.nanoTime());
        thread.join(Math.max(left, 1));
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
      if (thread.isAlive()) {
        thread.interrupt();
        isEnded = false;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    return isEnded;
  }
}
