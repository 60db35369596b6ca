package dev.decant.kafka.apache;

import dev.decant.kafka.KafkaException;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;

/** Runs calls that wait, with the effects of {@code wakeup} and interrupts as in Apache's consumer. */
final class WakeableCalls {
  private final AtomicBoolean wokenUp = new AtomicBoolean();
  /** True while the consumer is being closed, so wake-ups have no effect. Caller's thread only. */
  private boolean closing;

  /** A call of Decant's consumer that waits. */
  @FunctionalInterface
  interface Call<T> {
    /** Runs the call within a time. */
    T within(Duration timeout) throws InterruptedException;
  }

  /** Ends the waiting call, or the next one. Any thread. */
  void wakeup() {
    wokenUp.set(true);
  }

  /** Makes wake-ups end no call from now on. */
  void disableWakeups() {
    closing = true;
  }

  /** Throws after a wake-up that has ended no call yet, or if the thread is interrupted. */
  void throwIfWokenUp() {
    if (closing) {
      return;
    }
    if (wokenUp.get() && wokenUp.getAndSet(false)) {
      throw new WakeupException();
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptException(new InterruptedException("the thread was interrupted before the call"));
    }
  }

  /**
   * Runs a call that waits.
   *
   * @param errors makes Apache's exceptions
   */
  <T> T await(Duration timeout, Function<Throwable, RuntimeException> errors, Call<T> call) {
    throwIfWokenUp();
    long deadline = Timeouts.deadline(System.nanoTime(), timeout);
    Duration left = timeout;
    while (true) {
      try {
        return call.within(left);
      } catch (dev.decant.kafka.consumer.WakeupException ignored) {
        // A late wake-up may belong to a call that has ended.
        throwIfWokenUp();
        left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      } catch (InterruptedException e) {
        throw ApacheErrors.interrupted(e);
      } catch (KafkaException e) {
        throw errors.apply(e);
      }
    }
  }
}
