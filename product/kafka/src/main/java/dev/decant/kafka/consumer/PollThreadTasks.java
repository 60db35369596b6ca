package dev.decant.kafka.consumer;

import dev.decant.kafka.cluster.Waiters;
import dev.decant.loop.EventLoop;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Tasks for the polling thread: revoke partitions, seek, call a listener. Each poll reads one volatile field, and the
 * queue only if that field is set.
 */
final class PollThreadTasks {
  private static final VarHandle POLLER;

  static {
    try {
      POLLER = MethodHandles.lookup().findVarHandle(PollThreadTasks.class, "poller", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final EventLoop loop;
  private final Waiters waiters;
  /**
   * True if the application makes sure that one thread at a time calls the consumer: then each caller counts as the
   * polling thread.
   */
  private final boolean exclusive;
  private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
  /**
   * True while the queue may have tasks. Set by any thread after it has added one, cleared by the polling thread before
   * it empties the queue.
   */
  private volatile boolean waiting;
  /**
   * The thread that polled last; before the first poll, the first thread that changed anything. Written by that thread.
   */
  private volatile @Nullable Thread poller;

  PollThreadTasks(EventLoop loop, Waiters waiters) {
    this(loop, waiters, false);
  }

  PollThreadTasks(EventLoop loop, Waiters waiters, boolean exclusive) {
    this.loop = loop;
    this.waiters = waiters;
    this.exclusive = exclusive;
  }

  /** Adds a task that runs at the start of the next poll, or in the poll that waits. Any thread. */
  void add(Runnable task) {
    queue.add(task);
    waiting = true;
    if (loop.isOwner()) {
      waiters.signalAll();
    } else {
      loop.execute(waiters::signalAll);
    }
  }

  /** Returns true if there are tasks. Any thread. */
  boolean areWaiting() {
    return waiting;
  }

  /** Runs a task at once on the polling thread; adds it on any other one. */
  void runOrAdd(Runnable task) {
    if (isPoller()) {
      task.run();
    } else {
      add(task);
    }
  }

  /** Returns true on the polling thread. A first caller becomes the polling thread. */
  boolean isPoller() {
    Thread me = Thread.currentThread();
    return exclusive || me.equals(poller) || POLLER.compareAndSet(this, null, me);
  }

  /** Makes the calling thread the polling thread, because it closes the consumer and no other thread polls. */
  void takeOver() {
    poller = Thread.currentThread();
  }

  /** Makes the caller the polling thread and runs waiting tasks. Called at the start of each poll. */
  void enterPoll() {
    Thread me = Thread.currentThread();
    if (!me.equals((Thread) POLLER.get(this))) {
      poller = me;
    }
    if (waiting) {
      run();
    }
  }

  /** Runs all tasks. Polling thread. */
  void run() {
    waiting = false;
    try {
      for (Runnable task = queue.poll(); task != null; task = queue.poll()) {
        task.run();
      }
    } finally {
      if (!queue.isEmpty()) { // a task has thrown: the next poll runs the others
        waiting = true;
      }
    }
  }
}
