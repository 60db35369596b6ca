package dev.decant.kafka.consumer;

import dev.decant.kafka.cluster.Waiters;
import dev.decant.loop.EventLoop;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * What others want the polling thread to do: to give up partitions, to seek, to call a listener. It looks at one
 * volatile word at the start of each poll, and at the queue behind it only if that says so.
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
  /** Whether the application sees to it that one thread at a time calls the consumer: each of them polls, so to say. */
  private final boolean exclusive;
  private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
  /** Set by any thread after it has added to the queue, cleared by the polling thread before it empties it. */
  private volatile boolean waiting;
  /** The thread that polled last; before the first poll, the one that first did anything. Written by that thread. */
  private volatile @Nullable Thread poller;

  PollThreadTasks(EventLoop loop, Waiters waiters) {
    this(loop, waiters, false);
  }

  PollThreadTasks(EventLoop loop, Waiters waiters, boolean exclusive) {
    this.loop = loop;
    this.waiters = waiters;
    this.exclusive = exclusive;
  }

  /** Has the polling thread do something at the start of its next poll, or in the one in which it waits. Any thread. */
  void add(Runnable task) {
    queue.add(task);
    waiting = true;
    if (loop.isOwner()) {
      waiters.signalAll();
    } else {
      loop.execute(waiters::signalAll);
    }
  }

  /** Whether there is something to do. Any thread. */
  boolean areWaiting() {
    return waiting;
  }

  /** Has the polling thread do something: at once, if this is it. Any thread. */
  void runOrAdd(Runnable task) {
    if (isPoller()) {
      task.run();
    } else {
      add(task);
    }
  }

  /** Whether the calling thread is the one that polls. */
  boolean isPoller() {
    Thread me = Thread.currentThread();
    return exclusive || me.equals(poller) || POLLER.compareAndSet(this, null, me);
  }

  /** The calling thread does from now on what a polling thread does: it closes the consumer, and nobody polls. */
  void takeOver() {
    poller = Thread.currentThread();
  }

  /** To be called at the start of each poll. */
  void enterPoll() {
    Thread me = Thread.currentThread();
    if (!me.equals((Thread) POLLER.get(this))) {
      poller = me;
    }
    if (waiting) {
      run();
    }
  }

  /** Does all there is. Polling thread. */
  void run() {
    waiting = false;
    try {
      for (Runnable task = queue.poll(); task != null; task = queue.poll()) {
        task.run();
      }
    } finally {
      if (!queue.isEmpty()) { // one has thrown; the others are not forgotten
        waiting = true;
      }
    }
  }
}
