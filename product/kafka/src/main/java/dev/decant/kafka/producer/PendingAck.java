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
 * One thread's wait for one record. Reused when the record has its outcome. The ticket in the record's tag keeps a late
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
   * Ticket of the use that its thread abandoned before the outcome came. The thread writes it before it reads the
   * outcome. The owner of the loop reads it after it has written the outcome. At least one sees the other's write. If
   * both do, the one that clears the field gives the wait back.
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

  /** Ticket of the present use, or of the last one. */
  long ticket() {
    return ticket;
  }

  /** Returns true once the outcome is there. */
  boolean isDone() {
    return completion.isDone(ticket);
  }

  /**
   * Ends the wait of its thread for a record that was accepted. Returns true if the caller must give the wait back.
   * Otherwise the owner of the loop does so with the outcome.
   */
  boolean abandon() {
    long use = ticket; // read once: after the next line the owner may give the wait back, and another use begin
    abandoned = use;
    return completion.isDone(use) && ABANDONED.compareAndSet(this, use, NONE);
  }

  /** Returns true if the owner of the loop, which has just brought the outcome of a use, must give the wait back. */
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
   * Waits in a virtual thread, without a deadline: the loop fails each record that is not acknowledged in time.
   */
  Ack await() throws InterruptedException {
    park(Long.MAX_VALUE);
    return outcome();
  }

  /** Waits, and drives the loop meanwhile if it can. No other thread was woken for the record, so this one must. */
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
