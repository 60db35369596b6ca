package dev.decant.kafka.consumer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Lets one poll at a time into a consumer. A second poll would move the views that the first one has delivered.
 *
 * <p>{@code close} on another thread marks the consumer, wakes the poll and keeps the gate shut. A poll that passed the
 * first check before that mark finds the gate shut. If a poll does not end in time, the memory of its handler stays.
 * The next thread that enters the gate releases it.
 */
final class PollGate {
  private static final VarHandle INSIDE;

  static {
    try {
      INSIDE = MethodHandles.lookup().findVarHandle(PollGate.class, "inside", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Thread whose poll has not ended; null if there is none. Written by that thread. */
  private volatile @Nullable Thread inside;

  /** Begins a poll, which must {@link #leave}. Returns false while another one has not ended. */
  boolean tryEnter() {
    return INSIDE.compareAndSet(this, null, Thread.currentThread());
  }

  /** Returns true if a poll of the calling thread has not ended. */
  boolean isMine() {
    return Thread.currentThread().equals(inside);
  }

  /** Returns the thread whose poll has not ended; null if there is none. */
  @Nullable
  Thread inside() {
    return inside;
  }

  /** Returns the exception for a poll that may not begin. */
  IllegalStateException refusal() {
    Thread other = inside;
    if (Thread.currentThread().equals(other)) {
      return new IllegalStateException("this consumer is polled already, by this thread: a handler or listener that a"
          + " poll calls must not poll; return from it, and poll again");
    }
    return new IllegalStateException("this consumer is polled already" + (other == null
        ? ""
        : ", by thread "
            + other.getName())
        + ": one thread at a time polls a consumer; open one for each thread");
  }

  /** Ends the poll. Called by the thread that entered. */
  void leave() {
    INSIDE.setRelease(this, null);
  }
}
