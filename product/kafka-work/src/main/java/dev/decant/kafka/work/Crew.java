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
 * The workers, and who of them waits. A worker that finds nothing waits; whoever adds records wakes one, and a worker
 * that leaves some behind wakes the next. So no thread is woken for records that others take.
 */
final class Crew<K, V> {
  private static final VarHandle IDLE;
  private static final VarHandle IS_IDLE;
  private static final VarHandle IS_WOKEN;
  /** An executor that has not begun a task after this time may have dropped it, and is asked again. */
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

  /** Hears of what workers have finished. */
  interface Listener {
    /** Records are finished, and the loop has not seen this number of them; urgent if one of them needs the loop. */
    void finished(int depth, boolean isUrgent);

    /** A worker has nothing to do. */
    void workerIdle();

    /** The executor has refused a worker. */
    void refused(Throwable cause);
  }

  private final @Nullable WorkContextHandler<K, V> handler;
  private final @Nullable BatchContextHandler<K, V> batchHandler;
  private final int batchRecords;
  private final ReadyRing<Slot<K, V>> ready;
  /** What others than workers have finished. */
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

  /** Starts the threads; an executor is asked for its own when there is work. */
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

  /** Works on all that is ready on the calling thread, which is the only worker's. */
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

  /** Records that are finished and that the loop has not taken. */
  int depth() {
    int depth = done.depth();
    for (int i = 0; i < workers.size(); i++) {
      depth += workers.get(i).done().depth();
    }
    return depth;
  }

  /** Takes what is finished, linked by {@code nextDone}, stack by stack; null where there is nothing more. The loop. */
  @Nullable
  Slot<K, V> takeDone(int stack) {
    return stack == workers.size() ? done.takeAll() : workers.get(stack).done().takeAll();
  }

  int stacks() {
    return workers.size() + 1;
  }

  /** Takes a record that a worker has taken and not begun. A worker that has nothing else to do. */
  boolean takeOfOthers(@Nullable Slot<K, V>[] one) {
    for (int i = 0; i < workers.size(); i++) {
      if (workers.get(i).own().take(one, 1) == 1) {
        return true;
      }
    }
    return false;
  }

  /** Whether records are behind a handler that may take long all at once. */
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

  /** Wakes workers for records that others have taken and not begun. The loop. */
  void rescue() {
    int waiting = 0;
    for (int i = 0; i < workers.size(); i++) {
      waiting += workers.get(i).own().size();
    }
    for (int i = 0; i < waiting && idle > 0; i++) {
      wakeOne();
    }
  }

  /** Wakes workers for all that is ready: those that were to take it were refused. The loop. */
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

  /** Records of a batch at most; 0 if they are worked on one by one. */
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

  /** What a worker does with its thread: until the end if it is its own, until it is idle if it is an executor's. */
  void runUntilIdle(Worker<K, V> worker) {
    if (executor != null) {
      if (!IS_WOKEN.compareAndSet(worker, true, false)) {
        return; // the executor was asked twice, and another task of the two has the worker
      }
      worker.thread = Thread.currentThread();
    }
    while (!closed) {
      if (!worker.turn() && !becomesIdle(worker)) {
        return; // another thread may have this worker by now
      }
    }
  }

  /** Nothing is ready; false if the thread has no more to do with the worker. */
  private boolean becomesIdle(Worker<K, V> worker) {
    if (executor != null) {
      worker.thread = null;
    }
    worker.isIdle = true;
    IDLE.getAndAdd(this, 1);
    if (ready.size() > 0 && IS_IDLE.compareAndSet(worker, true, false)) { // else somebody has seen it idle
      IDLE.getAndAdd(this, -1);
      if (executor != null) {
        worker.thread = Thread.currentThread(); // else a deadline would find nobody to interrupt
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
    } catch (RuntimeException | Error e) { // an executor that finds no thread or is at fault refuses, too
      if (IS_WOKEN.compareAndSet(worker, true, false) && IS_IDLE.compareAndSet(worker, false, true)) {
        IDLE.getAndAdd(this, 1);
      }
      listener.refused(e);
    }
  }

  /** When the loop looks for tasks that the executor has not begun; {@link DueSlots#NEVER} if has begun all. The loop.
   * */
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

  /** Asks the executor again for tasks that it has not begun for long; returns how many. The loop. */
  int askAgain(long nowNanos) {
    Executor by = executor;
    int count = 0;
    for (int i = 0; by != null && i < workers.size(); i++) {
      Worker<K, V> worker = workers.get(i);
      if (worker.isWoken && nowNanos - worker.wokenNanos - worker.patienceNanos >= 0) {
        count++;
        worker.wokenNanos = nowNanos;
        worker.patienceNanos *= 2; // an executor that is only slow has all these tasks in its queue
        try {
          by.execute(worker);
        } catch (RuntimeException | Error e) {
          listener.refused(e);
        }
      }
    }
    return count;
  }

  /** A worker has finished records, and so many of its own are not taken yet. */
  void finished(int depth, boolean isUrgent) {
    listener.finished(depth * Math.max(1, workers.size() - idle), isUrgent);
  }

  /** Others than workers have finished records. Any thread. */
  void finishedElsewhere(Slot<K, V> first, Slot<K, V> last, int count, boolean isUrgent) {
    listener.finished(done.push(first, last, count), isUrgent);
  }

  /** Whether a handler works on a record of a partition. */
  boolean isAt(PartitionWork partition) {
    for (int i = 0; i < workers.size(); i++) {
      if (workers.get(i).isAt(partition)) {
        return true;
      }
    }
    return false;
  }

  /** How many handlers work. */
  int working() {
    int count = 0;
    for (int i = 0; i < workers.size(); i++) {
      if (workers.get(i).isWorking()) {
        count++;
      }
    }
    return count;
  }

  /** Interrupts handlers of records that are of no use any more, or that began before a time; gives how many. */
  int interrupt(long startedBeforeNanos) {
    int count = 0;
    for (int i = 0; i < workers.size(); i++) {
      if (workers.get(i).interruptIf(startedBeforeNanos)) {
        count++;
      }
    }
    return count;
  }

  /** Ends the threads; a handler that works is interrupted. Waits for them until a deadline; true if all have ended. */
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
