package dev.decant.kafka.producer;

import dev.decant.completion.Completion;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.loop.EventLoop;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One thread's wait for one record. Reused when the record has its outcome; the ticket in the record's tag keeps a late
 * outcome from ending another wait.
 */
final class PendingAck extends FreeList.Node implements SendListener {
  private static final VarHandle ABANDONED;
  private static final long NONE = 0;

  static {
    try {
      ABANDONED = MethodHandles.lookup().findVarHandle(PendingAck.class, "abandoned", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final EventLoop loop;
  private final Completion completion = new Completion();
  private final BooleanSupplier isDone = this::isDone;
  private long ticket;
  /**
   * The use that its thread has given up before the outcome was there. Written by that thread before it looks for the
   * outcome, read by the owner of the loop after it has written that: one of them sees the other, and if both do, the
   * one that clears it gives the wait back.
   */
  private volatile long abandoned = NONE;
  // Written before the completion, read after it.
  private int partition;
  private long timestamp;

  PendingAck(EventLoop loop) {
    this.loop = loop;
  }

  /** Begins a wait. */
  void begin() {
    ticket = completion.begin();
  }

  /** Of the present use, or the last one. */
  long ticket() {
    return ticket;
  }

  /** Whether the outcome is there. */
  boolean isDone() {
    return completion.isDone(ticket);
  }

  /**
   * Its thread does not wait any longer for a record that was accepted.
   *
   * @return whether it is to be given back; if not, who brings the outcome does that
   */
  boolean abandon() {
    long use = ticket; // once: as soon as it is abandoned it may be given back, and begin another use
    abandoned = use;
    return completion.isDone(use) && ABANDONED.compareAndSet(this, use, NONE);
  }

  /** Whether who has just brought the outcome of a use is to give it back. */
  boolean isLeftBehind(long use) {
    return abandoned == use && ABANDONED.compareAndSet(this, use, NONE);
  }

  @Override
  public void onAck(long tag, int ackedPartition, long offset, long ackedTimestamp) {
    partition = ackedPartition;
    timestamp = ackedTimestamp;
    unpark(completion.completeQuietly(tag, offset));
  }

  @Override
  public void onFailure(long tag, KafkaException error) {
    unpark(completion.failQuietly(tag, error));
  }

  private void unpark(@Nullable Thread waiter) {
    if (waiter != null) {
      loop.unparkAfterRound(waiter);
    }
  }

  /**
   * Waits in a virtual thread. It keeps no deadline: the loop does, which fails each record that is not acknowledged in
   * time.
   */
  Ack await() throws InterruptedException {
    park(Long.MAX_VALUE);
    return outcome();
  }

  /** Waits, and drives the loop meanwhile if it can; the record may be one that nobody else has heard of yet. */
  Ack driveAndAwait(long deadlineNanos, String topic) throws InterruptedException {
    if (!drive(deadlineNanos)) {
      park(deadlineNanos);
      if (!isDone()) {
        throw new KafkaTimeoutException("a record for " + topic + " was not acknowledged in time", null);
      }
    }
    return outcome();
  }

  private Ack outcome() {
    Throwable failure = completion.failure();
    if (failure instanceof KafkaException k) {
      throw k;
    }
    return new Ack(partition, completion.value(), timestamp);
  }

  private boolean drive(long deadlineNanos) throws InterruptedException {
    boolean done = false;
    try {
      done = loop.driveUntil(isDone, deadlineNanos);
      return done;
    } finally {
      if (!done) {
        loop.signal();
      }
    }
  }

  private void park(long deadlineNanos) throws InterruptedException {
    loop.beginParkedWait();
    try {
      if (deadlineNanos == Long.MAX_VALUE) {
        completion.await(ticket);
      } else {
        completion.await(ticket, deadlineNanos);
      }
    } finally {
      loop.endParkedWait();
    }
  }
}
