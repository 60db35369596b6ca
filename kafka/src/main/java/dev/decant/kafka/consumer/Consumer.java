package dev.decant.kafka.consumer;

import dev.decant.kafka.ClientInternals;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.record.UnsupportedCompressionException;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.telemetry.ConsumerEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads records of assigned partitions. Used by one thread at a time, but for {@link #wakeup()}. Only batches that
 * readers may see are handed out; control batches are not records and are passed over.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class Consumer<K, V> implements AutoCloseable {
  /** Handing out so much takes longer than waking a thread. */
  private static final int BUSY_BYTES = 64 * 1024;

  private final ClientInternals client;
  private final FetchSettings settings;
  private final ConsumerEvents events;
  private final Fetcher fetcher;
  private final Runnable changeListener;
  private final BatchDecompression decompression;
  private final RecordBatchReader reader;
  private final ConsumerRecord<K, V> view;
  private final BooleanSupplier somethingToDo = this::hasSomethingToDo;
  private List<AssignedPartition> assigned = List.of();
  /** What is being handed out now; its memory is given back when it is used up. */
  private @Nullable FetchedRecords current;
  private boolean inBatch;
  private boolean closed;

  private volatile boolean wokenUp;

  Consumer(ClientInternals client, FetchSettings settings, Decoder<? extends K> keys, Decoder<? extends V> values) {
    this.client = client;
    this.settings = settings;
    this.events = client.telemetry().consumer();
    this.fetcher = new Fetcher(client, settings);
    this.decompression = new BatchDecompression(settings.maxDecompressedBytes());
    this.reader = new RecordBatchReader(decompression);
    this.view = new ConsumerRecord<>(reader, keys, values);
    this.changeListener = fetcher::onChange;
    client.loop().execute(() -> {
      client.loop().add(fetcher);
      client.cluster().onChange(changeListener);
    });
    client.register(this);
  }

  /**
   * Replaces the assignment. A partition that was assigned before keeps its position; a new one begins where
   * {@code offsetReset} says, unless {@link #seek} says otherwise.
   *
   * @param topic the topic
   * @param partitions their numbers
   */
  public void assign(String topic, int... partitions) {
    List<AssignedPartition> next = new ArrayList<>();
    for (int number : partitions) {
      AssignedPartition kept = find(topic, number);
      next.add(kept != null ? kept : new AssignedPartition(topic, number));
    }
    List<AssignedPartition> before = assigned;
    assigned = List.copyOf(next);
    client.loop().execute(() -> fetcher.assign(assignedNow(next)));
    for (AssignedPartition p : next) {
      if (!before.contains(p)) {
        if (settings.reset() == OffsetReset.NONE) {
          continue;
        }
        seekTo(p, AssignedPartition.UNKNOWN, settings.reset().timestamp());
      }
    }
  }

  private static List<AssignedPartition> assignedNow(List<AssignedPartition> partitions) {
    return List.copyOf(partitions);
  }

  private @Nullable AssignedPartition find(String topic, int partition) {
    for (AssignedPartition p : assigned) {
      if (p.partition == partition && p.topic.equals(topic)) {
        return p;
      }
    }
    return null;
  }

  private AssignedPartition require(String topic, int partition) {
    AssignedPartition p = find(topic, partition);
    if (p == null) {
      throw new IllegalStateException(topic + "-" + partition + " is not assigned");
    }
    return p;
  }

  /**
   * Goes on at an offset. What was fetched already for another position is dropped.
   *
   * @param topic the topic
   * @param partition an assigned partition
   * @param offset of the record that the next poll begins with
   */
  public void seek(String topic, int partition, long offset) {
    if (offset < 0) {
      throw new IllegalArgumentException("offset " + offset + " is negative");
    }
    seekTo(require(topic, partition), offset, 0);
  }

  /** Goes on at the oldest record of every assigned partition. */
  public void seekToBeginning() {
    assigned.forEach(p -> seekTo(p, AssignedPartition.UNKNOWN, OffsetReset.EARLIEST.timestamp()));
  }

  /** Goes on behind the newest record of every assigned partition. */
  public void seekToEnd() {
    assigned.forEach(p -> seekTo(p, AssignedPartition.UNKNOWN, OffsetReset.LATEST.timestamp()));
  }

  private void seekTo(AssignedPartition p, long offset, long resetTimestamp) {
    p.position = offset;
    int seeks = ++p.seeks;
    client.loop().execute(() -> fetcher.seek(p, seeks, offset, resetTimestamp));
  }

  /**
   * The offset of the next record to be handed out.
   *
   * @param topic the topic
   * @param partition an assigned partition
   * @param timeout how long to wait while the position is being looked up
   * @return the offset
   * @throws KafkaException when it is not known in time
   * @throws InterruptedException if the thread was interrupted
   */
  public long position(String topic, int partition, Duration timeout) throws InterruptedException {
    AssignedPartition p = require(topic, partition);
    if (p.position < 0) {
      long deadline = client.loop().clock().nanoTime() + timeout.toNanos();
      client.cluster().waiters().await(() -> p.foundSeeks == p.seeks || fetcher.hasNews(), deadline);
      if (p.foundSeeks != p.seeks) {
        throw new KafkaException(ErrorCode.NONE, "the position of " + p + " is not known; last error: "
            + fetcher.lastError(), fetcher.lastError());
      }
      p.position = p.found;
    }
    return p.position;
  }

  /**
   * Hands out what has arrived, and waits only if nothing has.
   *
   * @param timeout how long to wait for the first record
   * @param handler called for each record, on this thread
   * @return number of records handed out, at most {@code maxPollRecords}; 0 after the time-out or {@link #wakeup()}
   * @throws KafkaException what a broker has refused, or bytes that are no records
   * @throws InterruptedException if the thread was interrupted while waiting
   */
  public int poll(Duration timeout, RecordHandler<K, V> handler) throws InterruptedException {
    int count = handOut(handler);
    if (count > 0) {
      events.polled(count);
      return count;
    }
    return pollSlowPath(timeout, handler);
  }

  private int pollSlowPath(Duration timeout, RecordHandler<K, V> handler) throws InterruptedException {
    requirePositions();
    long deadline = client.loop().clock().nanoTime() + timeout.toNanos();
    do {
      KafkaException failure = fetcher.takeFailure();
      if (failure != null) {
        throw failure;
      }
      int count = handOut(handler);
      if (count > 0) {
        leaveLoopBusy();
        events.polled(count);
        return count;
      }
      if (wokenUp) {
        wokenUp = false;
        return 0;
      }
    } while (client.cluster().waiters().await(somethingToDo, deadline));
    return 0;
  }

  private void requirePositions() {
    for (int i = 0; i < assigned.size(); i++) {
      AssignedPartition p = assigned.get(i);
      if (p.seeks == 0) {
        throw new KafkaException(ErrorCode.NONE,
            "poll: " + p + " has no position, and offsetReset is NONE; seek first");
      }
    }
  }

  /**
   * This thread has driven the loop so far, and will be busy with records for a while: then the I/O thread should read
   * on meanwhile. A wake-up is worth it only for many records.
   */
  private void leaveLoopBusy() {
    FetchedRecords records = current;
    if (records != null && records.records().remaining() >= BUSY_BYTES) {
      client.loop().signal();
    }
  }

  private boolean hasSomethingToDo() {
    return fetcher.hasNews() || wokenUp;
  }

  private int handOut(RecordHandler<K, V> handler) {
    int most = settings.maxPollRecords();
    int count = 0;
    while (count < most) {
      FetchedRecords records = current;
      if (records == null && (records = takeNextSlowPath()) == null) {
        return count;
      }
      count += handOut(records, handler, most - count);
    }
    return count;
  }

  /** Hands out records of one partition; sets {@link #current} to null when they are used up. */
  private int handOut(FetchedRecords records, RecordHandler<K, V> handler, int most) {
    AssignedPartition p = records.partition();
    if (records.seeks() != p.seeks) {
      finishCurrent(records);
      return 0;
    }
    int count = 0;
    while (count < most) {
      if (!inBatch && !beginBatchSlowPath(records)) {
        return count;
      }
      if (!nextRecord(records)) {
        inBatch = false;
        p.position = Math.max(p.position, reader.lastOffset() + 1);
        continue;
      }
      long offset = reader.offset();
      if (offset >= p.position) {
        p.position = offset + 1;
        handler.onRecord(view);
        count++;
        if (records.seeks() != p.seeks) {
          finishCurrent(records);
          return count;
        }
      }
    }
    return count;
  }

  private boolean nextRecord(FetchedRecords records) {
    try {
      return reader.nextRecord();
    } catch (RuntimeException e) {
      throw unreadable(records, e);
    }
  }

  private boolean beginBatchSlowPath(FetchedRecords records) {
    try {
      while (reader.nextBatch()) {
        if (!reader.isControl()) {
          inBatch = true;
          return true;
        }
        records.partition().position = Math.max(records.partition().position, reader.lastOffset() + 1);
      }
    } catch (RuntimeException e) {
      throw unreadable(records, e);
    }
    finishCurrent(records);
    return false;
  }

  /** Drops the rest of the response and makes fetching begin anew behind the last record that was handed out. */
  private KafkaException unreadable(FetchedRecords records, RuntimeException cause) {
    AssignedPartition p = records.partition();
    finishCurrent(records);
    seekTo(p, p.position, 0);
    ErrorCode code = cause instanceof UnsupportedCompressionException
        ? ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
        : ErrorCode.CORRUPT_MESSAGE;
    return new KafkaException(code, "records of " + p + " at offset " + p.position + " from broker " + records.broker()
        + " cannot be read: " + cause.getMessage(), cause);
  }

  private void finishCurrent(FetchedRecords records) {
    current = null;
    inBatch = false;
    records.memory().release();
  }

  private @Nullable FetchedRecords takeNextSlowPath() {
    for (FetchedRecords next = fetcher.next(); next != null; next = fetcher.next()) {
      AssignedPartition p = next.partition();
      if (next.seeks() == p.seeks && assigned.contains(p)) {
        if (p.position < 0) {
          p.position = next.fetchOffset();
        }
        reader.wrap(next.records(), next.records().position(), next.records().limit());
        inBatch = false;
        current = next;
        view.in(p);
        return next;
      }
      next.memory().release();
    }
    return null;
  }

  /** Makes a waiting {@link #poll} return, or the next one that would wait. Any thread. */
  public void wakeup() {
    wokenUp = true;
    client.loop().execute(client.cluster().waiters()::lookAgain);
  }

  /** Stops fetching and gives all memory back. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    client.runOnLoop(() -> {
      client.cluster().removeOnChange(changeListener);
      client.loop().remove(fetcher);
      fetcher.shutDown();
    });
    FetchedRecords records = current;
    if (records != null) {
      finishCurrent(records);
    }
    for (FetchedRecords next = fetcher.next(); next != null; next = fetcher.next()) {
      next.memory().release();
    }
    decompression.close();
    client.unregister(this);
  }
}
