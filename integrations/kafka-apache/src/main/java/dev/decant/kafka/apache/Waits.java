package dev.decant.kafka.apache;

import dev.decant.kafka.KafkaException;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;

/** Calls that wait, with the effects of {@code wakeup} and interrupts that Apache's consumer has. */
final class Waits {
  private final AtomicBoolean wokenUp = new AtomicBoolean();
  /** Whether wake-ups have no effect: the consumer is being closed. Of the thread that is inside. */
  private boolean closing;

  /** A call of Decant's consumer. */
  @FunctionalInterface
  interface Call<T> {
    /** Ends within a time. */
    T within(Duration timeout) throws InterruptedException;
  }

  /** Any thread. */
  void wakeup() {
    wokenUp.set(true);
  }

  /** From now on wake-ups end nothing. */
  void disableWakeups() {
    closing = true;
  }

  /** Throws if there was a wake-up that has ended no call yet, or if the thread is interrupted. */
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
   * Waits for a call.
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
      } catch (dev.decant.kafka.consumer.WakeupException ignored) { // or one that has ended another call already
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
