package dev.decant.kafka.consumer;

import dev.decant.kafka.internal.ClientInternals;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The end of a consumer. One thread closes it: the first that asked for it, or a handler that asks while that one waits
 * for its return. Other closers wait for the end, and the shortest time-out of all counts. Any thread.
 */
final class ConsumerClosing {
  /** How long closers wait for one another beyond their time-outs: for the loop, which may be in a listener. */
  private static final long PATIENCE_NANOS = 5_000_000_000L;

  private final ClientInternals client;
  private final Polls<?, ?> polls;
  private final AssignedPartitions assigned;
  private final @Nullable ConsumerGroup group;
  /** Ends fetching, and what the client knows of the consumer. */
  private final Runnable stop;
  /** Whether a thread closes the rest, or has given it up. */
  private final AtomicBoolean partsAreClosing = new AtomicBoolean();
  private volatile boolean ended;
  /** Until when anything is waited for. Written under the monitor, read by any thread. */
  private volatile long deadlineNanos;
  /** Under the monitor; of the first closer. */
  private Departure departure = Departure.DEFAULT;

  ConsumerClosing(ClientInternals client, Polls<?, ?> polls, AssignedPartitions assigned,
      @Nullable ConsumerGroup group, Runnable stop) {
    this.client = client;
    this.polls = polls;
    this.assigned = assigned;
    this.group = group;
    this.stop = stop;
  }

  /**
   * Closes the consumer, or waits until the thread has closed it that does so already.
   *
   * @param marked run once, when no poll can begin any more
   * @throws IllegalStateException if another thread's poll has not ended in time
   */
  void close(Duration timeout, Departure wanted, Runnable marked) {
    long deadline = Timeouts.deadline(client.loop().clock().nanoTime(), timeout);
    if (!begin(deadline, wanted)) {
      closeToo(deadline);
      return;
    }
    marked.run();
    if (!awaitPoll() && partsAreClosing.compareAndSet(false, true)) { // else the handler closes in this very moment
      abandon();
      throw polls.abandon(timeout);
    }
    closeParts(deadline);
  }

  private synchronized boolean begin(long deadline, Departure wanted) {
    if (polls.beginClose()) {
      deadlineNanos = deadline;
      departure = wanted;
      return true;
    }
    if (deadline - deadlineNanos < 0) {
      deadlineNanos = deadline;
      client.loop().execute(client.cluster().waiters()::signalAll);
    }
    return false;
  }

  /** Another thread closes: it may wait for the handler that calls, which then closes in its place. */
  private void closeToo(long deadline) {
    if (!polls.isWithin()) {
      awaitEnd(deadline);
    } else if (!partsAreClosing.get()) {
      polls.closesWithin();
      closeParts(deadline);
    } // else the closing thread's listener calls
  }

  /** Whether no other thread polls any more: this thread has shut the gate then, or a handler closes. */
  private boolean awaitPoll() {
    if (polls.tryShut()) {
      return true;
    }
    client.loop().execute(client.cluster().waiters()::signalAll);
    try {
      return await(() -> partsAreClosing.get() || polls.tryShut());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return polls.isWithin();
    }
  }

  private void closeParts(long deadline) {
    if (!partsAreClosing.compareAndSet(false, true)) {
      awaitEnd(deadline);
      return;
    }
    try {
      polls.takeOver();
      if (group != null) {
        group.close(assigned, this, departure());
      }
      stop.run();
      polls.release();
      assigned.close();
    } finally {
      end();
    }
  }

  /** A handler of another thread does not return: what it reads stays, and all else ends. */
  private void abandon() {
    try {
      if (group != null) {
        group.abandon();
      }
      stop.run();
    } finally {
      end();
    }
  }

  private synchronized Departure departure() {
    return departure;
  }

  private void end() {
    ended = true;
    client.loop().execute(client.cluster().waiters()::signalAll);
  }

  private void awaitEnd(long deadline) {
    try {
      client.cluster().waiters().await(() -> ended, deadline + PATIENCE_NANOS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // Of the closing thread.

  long deadlineNanos() {
    return deadlineNanos;
  }

  /** Waits; false when the time is over, which another closer may have shortened. */
  boolean await(BooleanSupplier done) throws InterruptedException {
    return await(done, Long.MAX_VALUE);
  }

  /** The same, and not longer than so many nanoseconds. */
  boolean await(BooleanSupplier done, long mostNanos) throws InterruptedException {
    long begun = client.loop().clock().nanoTime();
    while (true) {
      long all = deadlineNanos;
      long until = mostNanos < all - begun ? begun + mostNanos : all;
      client.cluster().waiters().await(() -> done.getAsBoolean() || deadlineNanos != all, until);
      if (deadlineNanos == all) {
        return done.getAsBoolean();
      }
    }
  }
}
