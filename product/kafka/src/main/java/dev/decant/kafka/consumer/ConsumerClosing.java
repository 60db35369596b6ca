package dev.decant.kafka.consumer;

import dev.decant.kafka.internal.ClientInternals;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Closes a consumer. One thread does so: the first caller, or a handler that calls while the first caller waits for its
 * return. Other callers wait for the end, and the shortest timeout of all counts. Any thread.
 */
final class ConsumerClosing {
  /**
   * How long callers wait for the closing thread beyond their timeouts: it may wait for the loop, which may be in a
   * listener.
   */
  private static final long GRACE_NANOS = 5_000_000_000L;

  private final ClientInternals client;
  private final Polls<?, ?> polls;
  private final AssignedPartitions assigned;
  private final @Nullable ConsumerGroup group;
  /** Ends fetching and unregisters the consumer from its client. */
  private final Runnable stop;
  /**
   * True once a thread closes the parts, or has abandoned them to another thread's poll. A compare-and-set chooses that
   * thread: a caller whose timeout expired once ended the parts while the awaited handler closed them too.
   */
  private final AtomicBoolean partsAreClosing = new AtomicBoolean();
  /** True once the consumer has closed, or was abandoned. */
  private volatile boolean ended;
  /** Deadline of all waits. Written under the monitor, read by any thread. */
  private volatile long deadlineNanos;
  /** GroupMembershipOperation that the first caller wants. Guarded by the monitor. */
  private GroupMembershipOperation departure = GroupMembershipOperation.DEFAULT;

  ConsumerClosing(ClientInternals client, Polls<?, ?> polls, AssignedPartitions assigned,
      @Nullable ConsumerGroup group, Runnable stop) {
    this.client = client;
    this.polls = polls;
    this.assigned = assigned;
    this.group = group;
    this.stop = stop;
  }

  /**
   * Closes the consumer, or waits until another thread has closed it.
   *
   * @param marked run once, after the last poll has been let in
   * @throws IllegalStateException if another thread's poll has not ended in time
   */
  void close(Duration timeout, GroupMembershipOperation wanted, Runnable marked) {
    long deadline = Timeouts.deadline(client.loop().clock().nanoTime(), timeout);
    if (!begin(deadline, wanted)) {
      closeToo(deadline);
      return;
    }
    marked.run();
    if (!awaitPoll() && partsAreClosing.compareAndSet(false, true)) {
      // If the compare-and-set fails, the handler of that poll is closing the parts now.
      abandon();
      throw polls.abandon(timeout);
    }
    closeParts(deadline);
  }

  private synchronized boolean begin(long deadline, GroupMembershipOperation wanted) {
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

  /**
   * Joins a close that another thread began. That thread may wait for the handler that calls this; then the handler
   * closes the parts in its place.
   */
  private void closeToo(long deadline) {
    if (!polls.isWithin()) {
      awaitEnd(deadline);
    } else if (!partsAreClosing.get()) {
      polls.closesWithin();
      closeParts(deadline);
    } // else a listener calls this on the closing thread, which must not wait for itself
  }

  /** Waits for the end of another thread's poll. Returns true if this thread has shut the gate, or a handler closes. */
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

  /**
   * Ends everything but the memory that another thread's handler reads, because that handler has not returned in time.
   */
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

  private synchronized GroupMembershipOperation departure() {
    return departure;
  }

  private void end() {
    ended = true;
    client.loop().execute(client.cluster().waiters()::signalAll);
  }

  private void awaitEnd(long deadline) {
    try {
      client.cluster().waiters().await(() -> ended, deadline + GRACE_NANOS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // Methods for the closing thread.

  long deadlineNanos() {
    return deadlineNanos;
  }

  /** Waits for a condition. Returns false at the deadline, which another caller may move closer. */
  boolean await(BooleanSupplier done) throws InterruptedException {
    return await(done, Long.MAX_VALUE);
  }

  /** Waits for a condition, at most for the given time. Returns false at its end, or at the deadline. */
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
