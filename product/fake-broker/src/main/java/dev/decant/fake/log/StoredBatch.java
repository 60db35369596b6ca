package dev.decant.fake.log;

import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;

/** A batch as it is in a log: its bytes, with the offset and the leader epoch that the broker has given it. */
public final class StoredBatch {
  private static final int TRANSACTIONAL = 0x10;
  private static final int CONTROL = 0x20;

  private final ByteBuffer bytes;
  /** Bytes of the log before this batch, counted from the first batch that it ever had. */
  private final long position;

  StoredBatch(ByteBuffer bytes, long position) {
    this.bytes = bytes;
    this.position = position;
  }

  /** The bytes from position to limit; a view of its own, not to be written to. */
  public ByteBuffer bytes() {
    return bytes.asReadOnlyBuffer();
  }

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
    return baseOffset() + bytes.getInt(RecordBatchHeader.LAST_OFFSET_DELTA);
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

  /** Whether it is part of a transaction, as a marker is, too. */
  public boolean isTransactional() {
    return (bytes.getShort(RecordBatchHeader.ATTRIBUTES) & TRANSACTIONAL) != 0;
  }

  /** Whether it is a marker of the broker. */
  public boolean isControl() {
    return (bytes.getShort(RecordBatchHeader.ATTRIBUTES) & CONTROL) != 0;
  }

  @Override
  public String toString() {
    return "batch of " + recordCount() + " records at " + baseOffset() + ", " + size() + " bytes";
  }
}
