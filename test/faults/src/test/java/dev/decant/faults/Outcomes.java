package dev.decant.faults;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.producer.Ack;
import dev.decant.kafka.producer.SendListener;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What one sender was told of its records, by their sequence. The tag of a send is the sequence. */
final class Outcomes implements SendListener {
  /** A sender sends no more than so many. */
  static final int CAPACITY = 200_000;

  private static final long NOTHING = 0;
  private static final long FAILED = -1;
  private static final int OFFSET_BITS = 40;
  private static final long NO_OFFSET = (1L << OFFSET_BITS) - 1;

  final int sender;
  private final AtomicLongArray told = new AtomicLongArray(CAPACITY);
  private final AtomicInteger acknowledged = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();
  private final AtomicInteger toldAgain = new AtomicInteger();
  private final AtomicReference<@Nullable KafkaException> firstError = new AtomicReference<>();
  /** Sends that threw, so that no listener will ever be told. Written by the sender, read when it has ended. */
  private final BitSet refused = new BitSet();
  private volatile int sent;

  Outcomes(int sender) {
    this.sender = sender;
  }

  @Override
  public void onAck(long tag, int partition, long offset, long timestamp) {
    tell(tag, (partition + 1L) << OFFSET_BITS | (offset < 0 ? NO_OFFSET : offset));
    acknowledged.incrementAndGet();
    Waits.changed();
  }

  void acknowledged(long sequence, Ack ack) {
    onAck(sequence, ack.partition(), ack.offset(), ack.timestamp());
  }

  @Override
  public void onFailure(long tag, KafkaException error) {
    tell(tag, FAILED);
    failed.incrementAndGet();
    Waits.changed();
    firstError.compareAndSet(null, error);
  }

  private void tell(long tag, long outcome) {
    if (told.getAndSet((int) tag, outcome) != NOTHING) {
      toldAgain.incrementAndGet();
    }
  }

  void refused(long sequence, KafkaException error) {
    refused.set((int) sequence);
    firstError.compareAndSet(null, error);
  }

  void sent(int count) {
    sent = count;
  }

  int sent() {
    return sent;
  }

  int acknowledged() {
    return acknowledged.get();
  }

  int failed() {
    return failed.get();
  }

  int toldAgain() {
    return toldAgain.get();
  }

  @Nullable
  KafkaException firstError() {
    return firstError.get();
  }

  boolean isRefused(int sequence) {
    return refused.get(sequence);
  }

  boolean isTold(int sequence) {
    return told.get(sequence) != NOTHING;
  }

  boolean isAcknowledged(int sequence) {
    return told.get(sequence) > 0;
  }

  /** Returns the partition of an acknowledged record. */
  int partitionOf(int sequence) {
    return (int) (told.get(sequence) >>> OFFSET_BITS) - 1;
  }

  /** Returns the offset of an acknowledged record; -1 if the broker did not report it. */
  long offsetOf(int sequence) {
    long offset = told.get(sequence) & NO_OFFSET;
    return offset == NO_OFFSET ? -1 : offset;
  }
}
