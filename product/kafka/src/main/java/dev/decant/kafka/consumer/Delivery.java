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

/** Delivers fetched records, in order for each partition. Polling thread only. */
final class Delivery<K, V> implements AutoCloseable {
  /** From this size on, delivering the records takes longer than waking the I/O thread. */
  private static final int BUSY_BYTES = 64 * 1024;

  private static final AssignedPartition NO_PARTITION = new AssignedPartition("", -1);

  private final Fetcher fetcher;
  private final AssignedPartitions assigned;
  private final ConsumerEvents events;
  private final ConsumerOptions settings;
  private final KeptRecords kept;
  private final BatchDecompression decompression;
  private final RecordBatchReader reader;
  private final ConsumerRecord<K, V> view;
  private final PartitionRecords<K, V> cursor;
  /** Records being delivered; null if there are none. Their memory is returned after the last of them. */
  private @Nullable FetchedRecords current;
  /** Partition of {@link #current}. */
  private AssignedPartition partition = NO_PARTITION;
  /** True while the reader is within a batch, whose next record it may read. */
  private boolean inBatch;
  /** True while the reader is at a record that is due and not yet delivered: the position is not behind that record. */
  private boolean isAtRecord;
  /** True while the reader is still at the record delivered last, so that the position can be put back before it. */
  private boolean mayPutBack;
  /** True after an error in the middle of a reader's step. The rest of the response is then fetched again. */
  private boolean isReaderLost;
  /** True if the last partition handler wants its poll to end without records, since a position has moved. */
  private boolean isEndWanted;
  /** True if the partition handler could not take a record: its poll ends with the records it has taken. */
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

  /** Delivers what has arrived, {@code max.poll.records} at most. */
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

  /** Delivers records of one partition. Sets {@link #current} to null after the last of them. */
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
      } catch (Error e) { // decoding may have run out of memory: the next poll begins with this record
        putBack(records);
        throw e;
      }
      count++;
      if (p.turns != turns) {
        if (current == records) { // else the handler has closed the consumer, and the memory is no longer its own
          putAside(records);
        }
        return count;
      }
    }
    return count;
  }

  /** Delivers what has arrived to a handler that takes the records of a partition at once. */
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
          // The handler takes none of these records now. Without this end the loop would call it again and again,
          // beyond the poll's timeout.
          isEndWanted = true;
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
    // If `current` has changed, finish() has returned the memory: the handler has read all records or closed the
    // consumer. Putting them aside would return it a second time, while the session receives into it again.
    if (p.turns != turns && current == records) {
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

  /**
   * Ends the poll, because the partition handler cannot take the next record now. The poll delivers no other records
   * and does not wait.
   */
  void endPoll() {
    isRefused = true;
    isEndWanted = true;
  }

  /** Returns true if the handler of {@link #handOutPartitions} wants the poll to end although it has no records. */
  boolean isEndWanted() {
    return isEndWanted;
  }

  /** Moves to the next record that is due, and the position behind it. Returns false at the end of the response. */
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
   * Puts the position back before the record delivered last: the next poll begins with it. Does nothing if the handler
   * has sought since, or has closed the consumer.
   */
  void putBack(FetchedRecords records) {
    if (mayPutBack && current == records && records.seeks() == partition.seeks) {
      mayPutBack = false;
      isAtRecord = true;
      partition.position = reader.offset();
    }
  }

  /** Moves the reader to the next record that is due. Returns false at the end of the response. */
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
    } catch (Error e) { // decompression may have run out of memory
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

  /** Drops the rest of the response, and makes fetching resume behind the last record delivered. */
  private UnreadableBatchException unreadable(FetchedRecords records, RuntimeException cause) {
    AssignedPartition p = partition;
    long next = Math.max(BatchHeaders.endAt(records.buffer(), batchStart(records), records.to()), p.position + 1);
    ErrorCode code = cause instanceof UnsupportedCompressionException
        ? ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
        : ErrorCode.CORRUPT_MESSAGE;
    isReaderLost = true; // set first: there may be no memory for the exception
    UnreadableBatchException unreadable = new UnreadableBatchException(code, p, next, records.broker(), cause);
    assigned.rewind(p);
    finish(records);
    return unreadable;
  }

  /**
   * Applies the policy after the handler has let the exception of a decoder pass. Throws the exception, or skips the
   * record.
   */
  private void onBadRecord(FetchedRecords records, BadRecordException cause) {
    AssignedPartition p = partition;
    if (cause != view.bad()) {
      throw cause; // an exception of another consumer's record, which the handler has polled
    }
    BadRecordPolicy.Decision decision = BadRecordPolicy.Decision.STOP;
    try {
      decision = settings.badRecords().decide(view, cause);
    } finally {
      // If the handler has sought, the next poll begins there and not with this record.
      if (decision == BadRecordPolicy.Decision.STOP && records.seeks() == p.seeks) {
        stopAt(records, cause.offset());
      }
    }
    if (decision == BadRecordPolicy.Decision.STOP) {
      throw cause;
    }
    events.skipped(p.topic, p.partition, cause.offset(), cause);
  }

  /** Makes the next poll begin with this record. If the handler has moved past it, the record is fetched again. */
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
   * Keeps the rest of these records, or fetches them again: the partition was paused or sought meanwhile, or the reader
   * is lost. The rest goes before all records that are kept. An earlier version put it last: after two pauses a later
   * response of the partition was delivered first, and the rest was skipped and lost.
   */
  private void putAside(FetchedRecords records) {
    AssignedPartition p = partition;
    boolean isWanted = records.seeks() == p.seeks;
    boolean isKept = isWanted && !isReaderLost && kept.addFirst(p, records, batchStart(records));
    if (isWanted && !isKept) {
      assigned.rewind(p);
    }
    finish(records);
  }

  /** Keeps all records of a response whose partition is paused, behind those that were kept before. */
  private void putBehind(AssignedPartition p, FetchedRecords fetched) {
    boolean isKept = kept.addLast(p, fetched, fetched.from());
    fetched.release();
    if (!isKept) { // no memory to keep them: they are fetched again
      assigned.rewind(p);
    }
  }

  /** Returns the position in the buffer at which the reader's batch begins. */
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
      if (p == null || next.seeks() != p.seeks) { // revoked, or sought, since the fetch was sent
        next.release();
        continue;
      }
      p.takeFound();
      if (next.isJump()) {
        if (!p.paused) {
          p.position = next.fetchOffset();
          p.epoch = AssignedPartition.NO_EPOCH;
        } else { // the jump must not pass the records that are kept
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

  /** Returns true if so many bytes are left that the I/O thread should read from sockets meanwhile. */
  boolean isBusy() {
    FetchedRecords records = current;
    return records != null && records.bytes() >= BUSY_BYTES;
  }

  /** Returns all memory. A handler that is being called gets no more records. */
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
