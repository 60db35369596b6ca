package dev.decant.kafka.apache;

import java.util.ConcurrentModificationException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Admits one thread at a time into a consumer, as Apache's consumer does. That thread may enter again: a listener calls
 * the consumer within a poll. {@link #enter} and {@link #close} make writes of the thread before visible.
 */
final class ThreadCheck implements AutoCloseable {
  private final AtomicReference<@Nullable Thread> inside = new AtomicReference<>();
  /** How often the thread has entered. Owned by that thread. */
  private int depth;
  private volatile boolean closed;

  /**
   * Begins a call; {@link #close} ends it.
   *
   * @throws ConcurrentModificationException if another thread is inside
   * @throws IllegalStateException if the consumer is closed
   */
  ThreadCheck enter() {
    enterToClose();
    if (closed) {
      close();
      throw new IllegalStateException("This consumer has already been closed.");
    }
    return this;
  }

  /** Begins a call that is allowed on a closed consumer, too. */
  ThreadCheck enterToClose() {
    Thread me = Thread.currentThread();
    if (!me.equals(inside.getPlain()) && !inside.compareAndSet(null, me)) {
      Thread other = inside.get();
      throw new ConcurrentModificationException("a consumer is not safe for calls of several threads at a time: thread "
          + name(me) + " calls it, while a call of thread " + (other == null ? "(ended just now)" : name(other))
          + " has not ended");
    }
    depth++;
    return this;
  }

  private static String name(Thread thread) {
    return "\"" + thread.getName() + "\" (id " + thread.threadId() + ")";
  }

  boolean isClosed() {
    return closed;
  }

  /** Makes {@link #enter} throw from now on. */
  void closeForGood() {
    closed = true;
  }

  /** Ends the call. */
  @Override
  public void close() {
    if (--depth == 0) {
      inside.set(null);
    }
  }
}
