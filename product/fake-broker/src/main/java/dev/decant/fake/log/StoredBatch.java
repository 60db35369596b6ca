package dev.decant.fake.log;

import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;

/** A batch as it is in a log: its bytes, with the offset and the leader epoch that the broker has given it. */
public final class StoredBatch {
  /** The base timestamp is the time from which tombstones and markers may be deleted (KIP-534). */
  static final int DELETE_HORIZON = 0x40;
  private static final int LOG_APPEND_TIME = 0x08;
  private static final int TRANSACTIONAL = 0x10;
  private static final int CONTROL = 0x20;

  private final ByteBuffer bytes;
  /** Bytes of the log before this batch, counted from the first batch that it ever had. */
  private final long position;

  StoredBatch(ByteBuffer bytes, long position) {
    this.bytes = bytes;
    this.position = position;
  }

  /** The bytes from 0 to the limit, shared with the log and not to be written to. */
  ByteBuffer shared() {
    return bytes;
  }

  /** Its size, with the header. */
  public int size() {
    return bytes.limit();
  }

  long position() {
    return position;
  }

  long end() {
    return position + bytes.limit();
  }

  /** Offset of the first record. */
  public long baseOffset() {
    return bytes.getLong(RecordBatchHeader.BASE_OFFSET);
  }

  /** Offset of the last record. */
  public long lastOffset() {
    return baseOffset() + lastOffsetDelta();
  }

  /** The last offset less the first one, also after a cleaner has removed records. */
  int lastOffsetDelta() {
    return bytes.getInt(RecordBatchHeader.LAST_OFFSET_DELTA);
  }

  /** The epoch of the leader that has appended it. */
  public int leaderEpoch() {
    return bytes.getInt(RecordBatchHeader.PARTITION_LEADER_EPOCH);
  }

  /** The largest timestamp of its records. */
  public long maxTimestamp() {
    return bytes.getLong(RecordBatchHeader.MAX_TIMESTAMP);
  }

  /** The id of its producer, -1 for none. */
  public long producerId() {
    return bytes.getLong(RecordBatchHeader.PRODUCER_ID);
  }

  /** The epoch of its producer, -1 for none. */
  public short producerEpoch() {
    return bytes.getShort(RecordBatchHeader.PRODUCER_EPOCH);
  }

  /** The sequence number of its first record, -1 for none. */
  public int baseSequence() {
    return bytes.getInt(RecordBatchHeader.BASE_SEQUENCE);
  }

  /** How many records it has. */
  public int recordCount() {
    return bytes.getInt(RecordBatchHeader.RECORD_COUNT);
  }

  int attributes() {
    return bytes.getShort(RecordBatchHeader.ATTRIBUTES);
  }

  /** What the timestamps of its records count from; the delete horizon if it has one. */
  long baseTimestamp() {
    return bytes.getLong(RecordBatchHeader.BASE_TIMESTAMP);
  }

  boolean hasDeleteHorizon() {
    return (attributes() & DELETE_HORIZON) != 0;
  }

  boolean isLogAppendTime() {
    return (attributes() & LOG_APPEND_TIME) != 0;
  }

  /** Whether it is part of a transaction, as a marker is, too. */
  public boolean isTransactional() {
    return (attributes() & TRANSACTIONAL) != 0;
  }

  /** Whether it is a marker of the broker. */
  public boolean isControl() {
    return (attributes() & CONTROL) != 0;
  }

  @Override
  public String toString() {
    return "batch of " + recordCount() + " records at " + baseOffset() + ", " + size() + " bytes";
  }
}
