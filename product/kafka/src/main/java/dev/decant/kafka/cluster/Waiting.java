package dev.decant.kafka.cluster;

import java.util.function.BooleanSupplier;

/** Waits for a change by the owner of the loop. */
@FunctionalInterface
public interface Waiting {
  /**
   * Waits until the condition holds.
   *
   * @param done cheap, and safe to call from the waiting thread
   * @param deadlineNanos in monotonic nanoseconds
   * @return true if the condition held at the end
   * @throws InterruptedException if the thread was interrupted
   */
  boolean await(BooleanSupplier done, long deadlineNanos) throws InterruptedException;
}
