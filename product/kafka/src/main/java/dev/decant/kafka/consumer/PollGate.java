package dev.decant.kafka.consumer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Lets one poll at a time into a consumer. A second one would move the views that the first one has handed out.
 *
 * <p>{@code close} from another thread marks the consumer, wakes the poll and keeps the gate. A poll that has just
 * passed the first check finds the gate shut. If the poll does not end in time, its handler's memory stays. The next
 * thread that enters the gate releases it.
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

  private volatile @Nullable Thread inside;

  /** Begins a poll, which must {@link #leave}; false if another one has not ended. */
  boolean tryEnter() {
    return INSIDE.compareAndSet(this, null, Thread.currentThread());
  }

  /** Whether a poll of the calling thread has not ended. */
  boolean isMine() {
    return Thread.currentThread().equals(inside);
  }

  /** The thread whose poll has not ended; null for none. */
  @Nullable
  Thread inside() {
    return inside;
  }

  /** The error of a poll that may not begin. */
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

  /** Ends the poll. The thread that entered. */
  void leave() {
    INSIDE.setRelease(this, null);
  }
}
