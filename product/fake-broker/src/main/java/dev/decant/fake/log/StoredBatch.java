package dev.decant.fake.log;

import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;

/** A batch in a log: its bytes, with the offset and the leader epoch that the broker has set. */
public final class StoredBatch {
  /**
   * The attribute of a batch whose base timestamp is the time from which tombstones and markers may be deleted
   * (KIP-534).
   */
  static final int DELETE_HORIZON = 0x40;
  private static final int LOG_APPEND_TIME = 0x08;
  private static final int TRANSACTIONAL = 0x10;
  private static final int CONTROL = 0x20;

  private final ByteBuffer bytes;
  /** Bytes of the log before this batch, counted from the log's first batch ever. */
  private final long position;

  StoredBatch(ByteBuffer bytes, long position) {
    this.bytes = bytes;
    this.position = position;
  }

  /** Returns the bytes from 0 to the limit; shared with the log, not to be written to. */
  ByteBuffer shared() {
    return bytes;
  }

  /** Returns the size, with the header. */
  public int size() {
    return bytes.limit();
  }

  long position() {
    return position;
  }

  long end() {
    return position + bytes.limit();
  }

  /** Returns the offset of the first record. */
  public long baseOffset() {
    return bytes.getLong(RecordBatchHeader.BASE_OFFSET);
  }

  /** Returns the offset of the last record. */
  public long lastOffset() {
    return baseOffset() + lastOffsetDelta();
  }

  /** Returns the difference of the last offset to the first; a cleaner does not change it. */
  int lastOffsetDelta() {
    return bytes.getInt(RecordBatchHeader.LAST_OFFSET_DELTA);
  }

  /** Returns the epoch of the leader that has appended the batch. */
  public int leaderEpoch() {
    return bytes.getInt(RecordBatchHeader.PARTITION_LEADER_EPOCH);
  }

  /** Returns the largest timestamp of the records. */
  public long maxTimestamp() {
    return bytes.getLong(RecordBatchHeader.MAX_TIMESTAMP);
  }

  /** Returns the producer id, -1 for none. */
  public long producerId() {
    return bytes.getLong(RecordBatchHeader.PRODUCER_ID);
  }

  /** Returns the producer epoch, -1 for none. */
  public short producerEpoch() {
    return bytes.getShort(RecordBatchHeader.PRODUCER_EPOCH);
  }

  /** Returns the sequence number of the first record, -1 for none. */
  public int baseSequence() {
    return bytes.getInt(RecordBatchHeader.BASE_SEQUENCE);
  }

  /** Returns the number of records. */
  public int recordCount() {
    return bytes.getInt(RecordBatchHeader.RECORD_COUNT);
  }

  int attributes() {
    return bytes.getShort(RecordBatchHeader.ATTRIBUTES);
  }

  /** Returns the base of the records' timestamps; the delete horizon if the batch has one. */
  long baseTimestamp() {
    return bytes.getLong(RecordBatchHeader.BASE_TIMESTAMP);
  }

  boolean hasDeleteHorizon() {
    return (attributes() & DELETE_HORIZON) != 0;
  }

  boolean isLogAppendTime() {
    return (attributes() & LOG_APPEND_TIME) != 0;
  }

  /** Returns true if the batch is part of a transaction, also for a marker. */
  public boolean isTransactional() {
    return (attributes() & TRANSACTIONAL) != 0;
  }

  /** Returns true for a marker of the broker. */
  public boolean isControl() {
    return (attributes() & CONTROL) != 0;
  }

  @Override
  public String toString() {
    return "batch of " + recordCount() + " records at " + baseOffset() + ", " + size() + " bytes";
  }
}
