package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Records that a producer has accepted before it knows the topic's partitions. They are kept as plain objects, bounded
 * in bytes and in time, and are placed in their order as soon as there are partitions. Until the last one is placed,
 * new records queue behind them. Any thread offers; the owner of the loop does the rest.
 */
final class UnplacedRecords {
  /** Estimate of the objects of a record beside its bytes. */
  private static final int OVERHEAD_BYTES = 128;

  /** The outcome of an offer. */
  enum Outcome {
    /** The record is kept. */
    KEPT,
    /** The bound is reached. */
    FULL,
    /** The partitions are known by now, or the producer is closed. */
    OVER
  }

  /** A record as bytes, with its deadline. Immutable. */
  static final class Unplaced {
    final byte @Nullable [] key;
    final byte @Nullable [] value;
    final byte[] headers;
    final int headerCount;
    final int partition;
    final long timestamp;
    final long tag;
    final @Nullable SendListener listener;
    private final int bytes;
    private final long deadlineNanos;

    private Unplaced(PendingRecord record, byte @Nullable [] value, @Nullable SendListener listener, int bytes,
        long deadlineNanos) {
      this.key = record.copyOfKey();
      this.value = record.copyOfValue(value);
      this.headers = record.copyOfHeaders();
      this.headerCount = record.headerCount;
      this.partition = record.partition;
      this.timestamp = record.timestamp;
      this.tag = record.tag;
      this.listener = listener;
      this.bytes = bytes;
      this.deadlineNanos = deadlineNanos;
    }
  }

  private final ClientInternals client;
  private final EventLoop loop;
  private final String topic;
  private final long maxBytes;
  private final long patienceNanos;
  private final Timer timer = new Timer(this::expire);

  // Under the monitor.
  private final ArrayDeque<Unplaced> records = new ArrayDeque<>();
  private long bytes;
  private boolean over;
  /** True from the first placed record until all are placed: until then, threads do not see the queues. */
  private boolean placing;

  /**
   * Begins without records.
   *
   * @param client the client of the producer
   * @param settings of the producer; a record waits as long as {@code maxBlock}
   * @param maxBytes bound of all records together; 0 to keep none
   */
  UnplacedRecords(ClientInternals client, ProducerSettings settings, long maxBytes) {
    this.client = client;
    this.loop = client.loop();
    this.topic = settings.topic();
    this.maxBytes = maxBytes;
    this.patienceNanos = settings.maxBlockNanos();
  }

  synchronized Outcome offer(PendingRecord record, byte @Nullable [] value, @Nullable SendListener listener) {
    int size = OVERHEAD_BYTES + Math.max(0, record.keySize) + Math.max(0, record.valueSize) + record.headersSize;
    if (over) {
      return Outcome.OVER;
    }
    if (bytes + size > maxBytes) {
      return Outcome.FULL;
    }
    long deadline = loop.clock().nanoTime() + patienceNanos;
    if (records.isEmpty()) {
      loop.execute(() -> awaitUntil(deadline));
    }
    bytes += size;
    records.addLast(new Unplaced(record, value, listener, size, deadline));
    return Outcome.KEPT;
  }

  /**
   * Returns true if no record waits: all are in queues that threads can see, or none was offered. Any thread. Without
   * the second condition, a flush right after the last placement would find no queue, and would wait for no record.
   */
  synchronized boolean isEmpty() {
    return records.isEmpty() && !placing;
  }

  /** Keeps none from now on. Returns false and changes nothing if a record waits. */
  synchronized boolean closeIfEmpty() {
    over |= records.isEmpty();
    return records.isEmpty();
  }

  // Owner of the loop only.

  /**
   * Places records in their order.
   *
   * @param placer takes a record, and returns false if there is no memory for it now
   * @param whenAll runs when all are placed, before another record can queue behind them
   * @return true if all are placed
   */
  boolean place(Predicate<Unplaced> placer, Runnable whenAll) {
    for (Unplaced first = firstOrOver(whenAll); first != null; first = firstOrOver(whenAll)) {
      if (!placer.test(first)) { // outside of the monitor: it may call the application's partitioner
        return false;
      }
      removeFirst();
    }
    return true;
  }

  /** Returns the next record to place. After the last one no record is kept any more. */
  private synchronized @Nullable Unplaced firstOrOver(Runnable whenAll) {
    Unplaced first = records.peekFirst();
    if (first == null) {
      over = true;
      whenAll.run();
      placing = false;
    }
    return first;
  }

  private synchronized void removeFirst() {
    placing = true;
    bytes -= records.removeFirst().bytes;
  }

  private void awaitUntil(long deadlineNanos) {
    client.cluster().requestTopicFor(topic, deadlineNanos);
    loop.schedule(timer, deadlineNanos);
  }

  private void expire() {
    long now = loop.nowNanos();
    List<Unplaced> late = new ArrayList<>();
    synchronized (this) {
      for (Unplaced first = records.peekFirst(); first != null; first = records.peekFirst()) {
        if (first.deadlineNanos - now > 0) {
          awaitUntil(first.deadlineNanos);
          break;
        }
        bytes -= first.bytes;
        late.add(records.removeFirst());
      }
    }
    if (!late.isEmpty()) {
      fail(late, whyNotPlaced());
    }
  }

  /** Returns why records were not placed in time. Any thread. */
  KafkaException whyNotPlaced() {
    TopicMetadata known = client.cluster().snapshot().topic(topic);
    return known != null && known.error() == ErrorCode.NONE
        ? new KafkaTimeoutException("send to " + topic + ": records that were accepted before its partitions were known"
            + " still wait for memory after " + patienceNanos / 1_000_000 + " ms", client.cluster().lastError())
        : client.cluster().whyUnusable(topic);
  }

  /** Fails all that wait now. */
  void failAll(KafkaException reason) {
    List<Unplaced> all;
    synchronized (this) {
      all = new ArrayList<>(records);
      records.clear();
      bytes = 0;
    }
    fail(all, reason);
  }

  /** Fails all, and keeps none from now on. */
  void close(KafkaException reason) {
    synchronized (this) {
      over = true;
      placing = false;
    }
    failAll(reason);
  }

  private void fail(List<Unplaced> all, KafkaException reason) {
    if (!all.isEmpty()) {
      client.telemetry().producer().unplacedFailed(topic, all.size(), reason);
    }
    for (Unplaced record : all) {
      callListener(record, reason);
    }
    client.cluster().waiters().signalAll();
  }

  /** Fails a record that was taken out. */
  void fail(Unplaced record, KafkaException reason) {
    fail(List.of(record), reason);
  }

  private void callListener(Unplaced record, KafkaException reason) {
    SendListener listener = record.listener;
    if (listener == null) {
      return;
    }
    try {
      listener.onFailure(record.tag, Math.max(-1, record.partition), reason);
    } catch (Throwable e) {
      client.telemetry().errors().report(ErrorKind.LISTENER_FAILED, "SendListener", e);
    }
  }
}
