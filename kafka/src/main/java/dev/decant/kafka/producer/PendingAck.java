package dev.decant.kafka.producer;

import dev.decant.completion.Completion;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.loop.EventLoop;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One thread's wait for one record. Reused when the wait has ended with the outcome; the ticket in the record's tag
 * keeps a late outcome from ending another wait.
 */
final class PendingAck extends FreeList.Node implements SendListener {
  private final EventLoop loop;
  private final Completion completion = new Completion();
  private final BooleanSupplier isDone = this::isDone;
  private long ticket;
  // Written before the completion, read after it.
  private int partition;
  private long timestamp;

  PendingAck(EventLoop loop) {
    this.loop = loop;
  }

  /** Begins a wait; the answer is the tag to send with. */
  long begin() {
    ticket = completion.begin();
    return ticket;
  }

  /** Whether the outcome is there. */
  boolean isDone() {
    return completion.isDone(ticket);
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
   * Waits, and drives the loop meanwhile if it can; the record may be one that nobody else has heard of yet. A virtual
   * thread keeps no deadline: the loop does, which fails each record that is not acknowledged in time.
   */
  Ack await(long deadlineNanos, String topic) throws InterruptedException {
    if (Thread.currentThread().isVirtual()) {
      park(Long.MAX_VALUE);
    } else if (!drive(deadlineNanos)) {
      park(deadlineNanos);
      if (!isDone()) {
        throw new KafkaTimeoutException("a record for " + topic + " was not acknowledged in time", null);
      }
    }
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
