package dev.decant.kafka.apache;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.producer.SendListener;
import dev.decant.loop.EventLoop;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A record that was sent: its future, and the listener that completes it. As with Apache's producer, interceptors and
 * the callback run before any waiting thread continues.
 *
 * <p>The owner of the loop sets the outcome; any thread waits.
 */
final class SentRecord implements Future<RecordMetadata>, SendListener, BooleanSupplier {
  private static final int NO_OFFSET = -1;
  private static final long FOR_EVER_NANOS = Long.MAX_VALUE / 4;

  /** A waiting thread, and the next one. */
  private record Waiter(Thread thread, @Nullable Waiter next) {}

  private final ProducedTopic topic;
  private final @Nullable Callback callback;
  /** Headers for interceptors; null without interceptors. */
  private final @Nullable Headers headers;
  private final int keySize;
  private final int valueSize;

  // The outcome. Written by the owner of the loop before {@link #done}, read after that.
  private int partition;
  private long offset;
  private long timestamp;
  private @Nullable RuntimeException failure;

  private volatile boolean done;
  /**
   * The waiting threads. Added under the monitor before the thread reads {@link #done}; read by the owner after it has
   * written that.
   */
  private volatile @Nullable Waiter waiters;

  SentRecord(ProducedTopic topic, @Nullable Callback callback, @Nullable Headers headers,
      int keySize, int valueSize) {
    this.topic = topic;
    this.callback = callback;
    this.headers = headers;
    this.keySize = keySize;
    this.valueSize = valueSize;
  }

  // Owner of the loop only.

  @Override
  public void onAck(long tag, int ackedPartition, long ackedOffset, long ackedTimestamp) {
    partition = ackedPartition;
    offset = ackedOffset;
    timestamp = ackedTimestamp;
    if (callback == null && headers == null) {
      finish();
      return;
    }
    try {
      runCallbacks(metadata());
    } finally {
      finish();
    }
  }

  @Override
  public void onFailure(long tag, KafkaException error) {
    onFailure(tag, NO_OFFSET, error);
  }

  @Override
  public void onFailure(long tag, int failedPartition, KafkaException error) {
    failure = topic.context.failure(topic.name, error);
    try {
      if (callback != null || headers != null) {
        runCallbacks(topic.context.notSent(topic.partition(failedPartition)));
      }
    } finally {
      finish();
    }
  }

  private void runCallbacks(RecordMetadata metadata) {
    if (headers != null) {
      topic.context.interceptors().onAcknowledgement(metadata, failure, headers);
    }
    if (callback != null) {
      callback.onCompletion(metadata, failure);
    }
  }

  private void finish() {
    done = true;
    for (Waiter waiter = waiters; waiter != null; waiter = waiter.next()) {
      topic.context.loop().unparkAfterRound(waiter.thread());
    }
  }

  // Any thread.

  private RecordMetadata metadata() {
    return new RecordMetadata(topic.partition(partition), offset, 0, timestamp, keySize, valueSize);
  }

  /** Returns true if the outcome is there. */
  @Override
  public boolean getAsBoolean() {
    return done;
  }

  @Override
  public boolean isDone() {
    return done;
  }

  /** Returns false: a record that was sent cannot be taken back. */
  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    return false;
  }

  @Override
  public boolean isCancelled() {
    return false;
  }

  @Override
  public RecordMetadata get() throws InterruptedException, ExecutionException {
    await(FOR_EVER_NANOS);
    return outcome();
  }

  @Override
  public RecordMetadata get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (!await(Math.min(unit.toNanos(timeout), FOR_EVER_NANOS))) {
      throw new TimeoutException(
          "the record for " + topic.name + " has no outcome after " + unit.toMillis(timeout) + " ms");
    }
    return outcome();
  }

  private RecordMetadata outcome() throws ExecutionException {
    RuntimeException cause = failure;
    if (cause != null) {
      throw new ExecutionException(cause);
    }
    return metadata();
  }

  private boolean await(long nanos) throws InterruptedException {
    return done || awaitSlowPath(nanos);
  }

  /** Waits. A platform thread does the client's work meanwhile; a virtual thread, or a second thread, parks. */
  private boolean awaitSlowPath(long nanos) throws InterruptedException {
    EventLoop loop = topic.context.loop();
    if (loop.isOwner()) {
      throw new IllegalStateException("Future.get within a callback would wait for what callbacks hold up");
    }
    long deadline = loop.clock().nanoTime() + Math.max(0, nanos);
    if (loop.driveUntil(this, deadline)) {
      return true;
    }
    add(Thread.currentThread());
    try {
      return loop.parkUntil(this, deadline);
    } finally {
      remove(Thread.currentThread());
    }
  }

  private synchronized void add(Thread thread) {
    waiters = new Waiter(thread, waiters);
  }

  private synchronized void remove(Thread thread) {
    Waiter kept = null;
    for (Waiter waiter = waiters; waiter != null; waiter = waiter.next()) {
      kept = waiter.thread().equals(thread) ? kept : new Waiter(waiter.thread(), kept);
    }
    waiters = kept;
  }
}
