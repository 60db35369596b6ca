package dev.decant.kafka.consumer;

import dev.decant.kafka.fetch.AbortedTransactions;
import dev.decant.kafka.fetch.BatchHeaders;
import dev.decant.kafka.fetch.FetchedRecords;
import dev.decant.kafka.fetch.Fetcher;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.record.UnsupportedCompressionException;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.telemetry.ConsumerEvents;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Hands out what was fetched, in order for each partition. Polling thread only. */
final class Delivery<K, V> implements AutoCloseable {
  /** Handing out so much takes longer than waking a thread. */
  private static final int BUSY_BYTES = 64 * 1024;

  private static final AssignedPartition NOBODYS = new AssignedPartition("", -1);

  private final Fetcher fetcher;
  private final AssignedPartitions assigned;
  private final ConsumerEvents events;
  private final ConsumerOptions settings;
  private final KeptRecords kept;
  private final BatchDecompression decompression;
  private final RecordBatchReader reader;
  private final ConsumerRecord<K, V> view;
  private final PartitionRecords<K, V> cursor;
  /** What is being handed out now; its memory is given back when it is used up. */
  private @Nullable FetchedRecords current;
  /** Whose they are. */
  private AssignedPartition partition = NOBODYS;
  private boolean inBatch;
  /** Whether the reader is at a record that is due and not handed out yet: the position is not behind it. */
  private boolean isAtRecord;
  /** Whether the reader is still at the record that was handed out last: the position can be put back before it. */
  private boolean mayPutBack;
  /** Whether an error has ended a step of the reader halfway: what is left of the response is fetched again. */
  private boolean isReaderLost;
  /** Whether the last handler of partitions wants its poll to end without records, since a position has moved. */
  private boolean isEndWanted;
  /** Whether it could not take a record: its poll ends with those that it has. */
  private boolean isRefused;

  Delivery(Fetcher fetcher, AssignedPartitions assigned, ConsumerEvents events, ConsumerOptions settings,
      Decoder<? extends K> keys, Decoder<? extends V> values) {
    this.fetcher = fetcher;
    this.assigned = assigned;
    this.events = events;
    this.settings = settings;
    this.kept = new KeptRecords(settings.fetch().maxBytes(), ByteBuffer::allocateDirect);
    this.decompression = new BatchDecompression(settings.maxDecompressedBytes());
    this.reader = new RecordBatchReader(decompression);
    this.view = new ConsumerRecord<>(reader, keys, values);
    this.cursor = new PartitionRecords<>(this, view);
  }

  /** Hands out what is there, {@code max.poll.records} at most. */
  int handOut(RecordHandler<K, V> handler) throws InterruptedException {
    view.current(true);
    try {
      int most = settings.maxPollRecords();
      int count = 0;
      while (count < most) {
        FetchedRecords records = current;
        if (records == null && (records = takeNextSlowPath()) == null) {
          return count;
        }
        AssignedPartition p = partition;
        int taken = handOut(records, handler, most - count);
        count += taken;
        if (taken > 0) {
          events.delivered(p.topic, p.partition, taken);
        }
      }
      return count;
    } finally {
      view.current(false);
    }
  }

  /** Hands out records of one partition; sets {@link #current} to null when they are used up. */
  private int handOut(FetchedRecords records, RecordHandler<K, V> handler, int most) throws InterruptedException {
    AssignedPartition p = partition;
    if (records.seeks() != p.seeks || p.paused || isReaderLost) {
      putAside(records);
      return 0;
    }
    int turns = p.turns;
    int count = 0;
    while (count < most && advance(records)) {
      try {
        handler.onRecord(view);
      } catch (BadRecordException e) {
        onBadRecord(records, e);
      } catch (Error e) { // memory may have run out in decoding: nobody has seen the record
        putBack(records);
        throw e;
      }
      count++;
      if (p.turns != turns) {
        if (current == records) { // else the handler has closed the consumer
          putAside(records);
        }
        return count;
      }
    }
    return count;
  }

  /** The same for a handler that takes the records of a partition at once. */
  int handOutPartitions(PartitionHandler<K, V> handler) throws InterruptedException {
    isEndWanted = false;
    isRefused = false;
    view.current(true);
    try {
      int most = settings.maxPollRecords();
      int count = 0;
      while (count < most) {
        FetchedRecords records = current;
        if (records == null && (records = takeNextSlowPath()) == null) {
          return count;
        }
        AssignedPartition p = partition;
        int taken = handOutPartition(records, handler, most - count);
        count += taken;
        if (taken > 0) {
          events.delivered(p.topic, p.partition, taken);
        }
        if (taken == 0 && current != null) {
          isEndWanted = true; // the handler wants none now, and would be asked for ever
          return count;
        }
        if (isRefused) {
          return count;
        }
      }
      return count;
    } finally {
      view.current(false);
    }
  }

  private int handOutPartition(FetchedRecords records, PartitionHandler<K, V> handler, int most)
      throws InterruptedException {
    AssignedPartition p = partition;
    if (records.seeks() != p.seeks || p.paused || isReaderLost) {
      putAside(records);
      return 0;
    }
    long before = p.position;
    isAtRecord = isAtRecord || find(records);
    if (!isAtRecord) {
      if (p.position != before) {
        positionAdvancedSlowPath(records, handler, p);
      }
      return 0;
    }
    int turns = p.turns;
    cursor.begin(records, p, most);
    try {
      handler.onRecords(cursor);
    } catch (BadRecordException e) {
      onBadRecord(records, e);
    } catch (Error e) {
      cursor.putBackLast();
      throw e;
    } finally {
      cursor.end();
    }
    if (p.turns != turns && current == records) { // else they are used up, or the consumer is closed
      putAside(records);
    }
    if (cursor.taken() > 0) {
      events.metering().delivered(p.topic, p.partition, p.fetch.lag(p.position), p.fetch.lead(p.position),
          p.fetch.replica());
    }
    return cursor.taken();
  }

  private void positionAdvancedSlowPath(FetchedRecords records, PartitionHandler<K, V> handler, AssignedPartition p) {
    cursor.begin(records, p, 0);
    try {
      isEndWanted |= handler.onPositionAdvanced(cursor);
    } finally {
      cursor.end();
    }
  }

  /** The handler of partitions cannot take the next record now: its poll hands out no others, and waits for none. */
  void endPoll() {
    isRefused = true;
    isEndWanted = true;
  }

  /** After {@link #handOutPartitions}: whether its handler wants the poll to end although it has no records. */
  boolean isEndWanted() {
    return isEndWanted;
  }

  /** Moves to the next record that is due, and the position behind it; false when the response is used up. */
  boolean advance(FetchedRecords records) {
    if (!isAtRecord && !find(records)) {
      return false;
    }
    isAtRecord = false;
    mayPutBack = true;
    partition.position = reader.offset() + 1;
    return true;
  }

  /**
   * Puts the position back before the record that was handed out last: the next poll begins with it. Does nothing if
   * the handler has gone elsewhere since, or has closed the consumer.
   */
  void putBack(FetchedRecords records) {
    if (mayPutBack && current == records && records.seeks() == partition.seeks) {
      mayPutBack = false;
      isAtRecord = true;
      partition.position = reader.offset();
    }
  }

  /** Moves the reader to the next record that is due; false when the response is used up. */
  private boolean find(FetchedRecords records) {
    AssignedPartition p = partition;
    mayPutBack = false;
    while (inBatch || beginBatchSlowPath(records)) {
      if (nextRecord(records)) {
        if (reader.offset() >= p.position) {
          return true;
        }
      } else {
        inBatch = false;
        p.position = Math.max(p.position, reader.lastOffset() + 1);
      }
    }
    return false;
  }

  private boolean nextRecord(FetchedRecords records) {
    try {
      return reader.nextRecord();
    } catch (RuntimeException e) {
      throw unreadable(records, e);
    } catch (Error e) { // no memory to decompress into
      isReaderLost = true;
      throw e;
    }
  }

  private boolean beginBatchSlowPath(FetchedRecords records) {
    AssignedPartition p = partition;
    try {
      while (reader.nextBatch()) {
        p.epoch = reader.partitionLeaderEpoch();
        if (!isSkipped(records) && !reader.isControl()) {
          inBatch = true;
          return true;
        }
        p.position = Math.max(p.position, reader.lastOffset() + 1);
      }
    } catch (RuntimeException e) {
      throw unreadable(records, e);
    } catch (Error e) {
      isReaderLost = true;
      throw e;
    }
    finish(records);
    return false;
  }

  private boolean isSkipped(FetchedRecords records) {
    AbortedTransactions aborted = records.aborted();
    return aborted != null && aborted.contains(reader);
  }

  /** Drops the rest of the response and makes fetching begin anew behind the last record that was handed out. */
  private UnreadableBatchException unreadable(FetchedRecords records, RuntimeException cause) {
    AssignedPartition p = partition;
    long next = Math.max(BatchHeaders.endAt(records.buffer(), batchStart(records), records.to()), p.position + 1);
    ErrorCode code = cause instanceof UnsupportedCompressionException
        ? ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
        : ErrorCode.CORRUPT_MESSAGE;
    isReaderLost = true; // for the case that there is no memory for the exception
    UnreadableBatchException unreadable = new UnreadableBatchException(code, p, next, records.broker(), cause);
    assigned.rewind(p);
    finish(records);
    return unreadable;
  }

  /** A decoder has thrown in the handler, and the handler has not caught that. Throws, or the record is passed over. */
  private void onBadRecord(FetchedRecords records, BadRecordException cause) {
    AssignedPartition p = partition;
    if (cause != view.bad()) {
      throw cause; // of another consumer
    }
    BadRecordPolicy.Decision decision = BadRecordPolicy.Decision.STOP;
    try {
      decision = settings.badRecords().decide(view, cause);
    } finally {
      if (decision == BadRecordPolicy.Decision.STOP && records.seeks() == p.seeks) { // else the handler went elsewhere
        stopAt(records, cause.offset());
      }
    }
    if (decision == BadRecordPolicy.Decision.STOP) {
      throw cause;
    }
    events.skipped(p.topic, p.partition, cause.offset(), cause);
  }

  /** The next poll begins with this record; a handler that has moved past it has it fetched again. */
  private void stopAt(FetchedRecords records, long offset) {
    if (mayPutBack && reader.offset() == offset) {
      putBack(records);
      return;
    }
    partition.position = offset;
    assigned.rewind(partition);
    if (current == records) {
      finish(records);
    }
  }

  /**
   * The handler, or another thread, has sought elsewhere or paused the partition, or the reader is lost. What is left
   * goes before all that is kept: that of the same partition was fetched later.
   */
  private void putAside(FetchedRecords records) {
    AssignedPartition p = partition;
    boolean isWanted = records.seeks() == p.seeks;
    boolean isKept = isWanted && !isReaderLost && kept.addFirst(p, records, batchStart(records));
    if (isWanted && !isKept) {
      assigned.rewind(p); // to be fetched again
    }
    finish(records);
  }

  /** The partition is paused already: nothing of this is handed out now, and what is kept of it was fetched before. */
  private void putBehind(AssignedPartition p, FetchedRecords fetched) {
    boolean isKept = kept.addLast(p, fetched, fetched.from());
    fetched.release();
    if (!isKept) { // there is no memory
      assigned.rewind(p);
    }
  }

  /** Where the batch that the reader is at begins. */
  private int batchStart(FetchedRecords records) {
    return records.to() - reader.unreadBytes() - reader.batchBytes();
  }

  private void finish(FetchedRecords records) {
    current = null;
    inBatch = false;
    isAtRecord = false;
    mayPutBack = false;
    isReaderLost = false;
    records.release();
  }

  private @Nullable FetchedRecords takeNextSlowPath() {
    for (FetchedRecords next = next(); next != null; next = next()) {
      AssignedPartition p = assigned.find(next.partition());
      if (p == null || next.seeks() != p.seeks) { // given up, or sought in, since it was asked for
        next.release();
        continue;
      }
      p.takeFound();
      if (next.isJump()) {
        if (!p.paused) {
          p.position = next.fetchOffset();
          p.epoch = AssignedPartition.NO_EPOCH;
        } else { // not before what was kept
          kept.addLast(p, next, next.from());
        }
        continue;
      }
      if (p.position < 0) {
        p.position = next.fetchOffset();
      }
      if (p.paused) {
        putBehind(p, next);
        continue;
      }
      reader.wrap(next.buffer(), next.from(), next.to());
      inBatch = false;
      current = next;
      partition = p;
      view.in(p);
      return next;
    }
    return null;
  }

  private @Nullable FetchedRecords next() {
    FetchedRecords first = kept.next();
    return first != null ? first : fetcher.next();
  }

  /**
   * Whether there is so much to hand out that the I/O thread should read on meanwhile: a wake-up is worth it only for
   * many records.
   */
  boolean isBusy() {
    FetchedRecords records = current;
    return records != null && records.bytes() >= BUSY_BYTES;
  }

  /** Gives all memory back. A handler that is being called gets no more. */
  @Override
  public void close() {
    FetchedRecords records = current;
    if (records != null) {
      partition.turns++;
      finish(records);
    }
    kept.clear();
    for (FetchedRecords next = fetcher.next(); next != null; next = fetcher.next()) {
      next.release();
    }
    decompression.close();
  }
}
