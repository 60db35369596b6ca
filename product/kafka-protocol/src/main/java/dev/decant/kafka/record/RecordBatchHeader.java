package dev.decant.kafka.record;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The 61 bytes before the records of a batch, magic 2 (Kafka protocol guide, "Record Batch"; KIP-98). All integers are
 * big endian.
 *
 * <pre>
 *    0        4        8            12           16 17       21      23              27
 *   +-----------------+------------+------------+--+--------+-------+---------------+
 *   | baseOffset      | batch      | partition  |m | crc    | attri | lastOffset    |
 *   |                 | Length     | LeaderEpoch|2 | CRC32C | butes | Delta         |
 *   +-----------------+------------+------------+--+--------+-------+---------------+
 *    27               35               43              51     53           57          61
 *   +----------------+----------------+---------------+------+------------+-----------+
 *   | baseTimestamp  | maxTimestamp   | producerId    | prod | base       | record    | records ...
 *   |                |                |               | Epoch| Sequence   | Count     |
 *   +----------------+----------------+---------------+------+------------+-----------+
 *
 *   batchLength counts the bytes behind itself, from 12 on; crc covers all bytes from 21 on.
 *
 *   attributes:  15 .. 7   6                 5         4               3               2 .. 0
 *                unused    hasDeleteHorizon  isControl isTransactional timestampType   compression
 * </pre>
 *
 * An instance is the set of values to write: mutable, reusable, owned by one thread.
 */
public final class RecordBatchHeader {
  /** Offset of the first record's offset, int64. */
  public static final int BASE_OFFSET = 0;
  /** Offset of the batch length, int32: the number of bytes behind it. */
  public static final int BATCH_LENGTH = 8;
  /**
   * Offset of the leader epoch, int32. The broker sets it after the producer has computed the checksum, which therefore
   * begins behind it.
   */
  public static final int PARTITION_LEADER_EPOCH = 12;
  /** Offset of the format's version, int8. */
  public static final int MAGIC = 16;
  /** Offset of the checksum, uint32. */
  public static final int CRC = 17;
  /** Offset of the flags, int16. The checksum covers the bytes from here on. */
  public static final int ATTRIBUTES = 21;
  /** Offset of the last record's offset minus the first one's, int32. */
  public static final int LAST_OFFSET_DELTA = 23;
  /** Offset of the base timestamp, int64. The records' deltas count from it. */
  public static final int BASE_TIMESTAMP = 27;
  /** Offset of the largest timestamp, int64. */
  public static final int MAX_TIMESTAMP = 35;
  /** Offset of the producer id, int64. */
  public static final int PRODUCER_ID = 43;
  /** Offset of the producer epoch, int16. */
  public static final int PRODUCER_EPOCH = 51;
  /** Offset of the first record's sequence number, int32. */
  public static final int BASE_SEQUENCE = 53;
  /** Offset of the count of records, int32. */
  public static final int RECORD_COUNT = 57;
  /** Size of the header; the records follow it. */
  public static final int BYTES = 61;
  /** Bytes at the beginning that the batch length does not count. */
  public static final int UNCOUNTED_BYTES = 12;
  /** The version of the format that this package reads and writes. */
  public static final byte MAGIC_V2 = 2;
  /** Producer id, epoch and sequence of a producer that is not idempotent. */
  public static final int NO_PRODUCER = -1;
  /** Leader epoch of a batch that no broker has appended. */
  public static final int NO_LEADER_EPOCH = -1;

  static final int COMPRESSION_MASK = 0x07;
  static final int LOG_APPEND_TIME_FLAG = 0x08;
  static final int TRANSACTIONAL_FLAG = 0x10;
  static final int CONTROL_FLAG = 0x20;

  /** Offset of the first record; 0 in batches that a producer sends. */
  public long baseOffset;
  /** Epoch of the partition's leader. */
  public int partitionLeaderEpoch = NO_LEADER_EPOCH;
  /** Compression of the records. */
  public CompressionType compression = CompressionType.NONE;
  /** Meaning of the timestamps. */
  public TimestampType timestampType = TimestampType.CREATE_TIME;
  /** True if the batch is part of a transaction. */
  public boolean transactional;
  /** True if the batch holds a marker of the broker instead of data. */
  public boolean control;
  /** Offset of the last record minus that of the first. */
  public int lastOffsetDelta;
  /** Timestamp that the records' deltas count from, in milliseconds since the epoch. */
  public long baseTimestamp;
  /** Largest timestamp, in milliseconds since the epoch. */
  public long maxTimestamp;
  /** Id of an idempotent producer. */
  public long producerId = NO_PRODUCER;
  /** Epoch of an idempotent producer. */
  public short producerEpoch = NO_PRODUCER;
  /** Sequence number of the first record. */
  public int baseSequence = NO_PRODUCER;
  /** Count of records. */
  public int recordCount;

  /** Creates a header of an empty batch of a producer that is not idempotent. */
  public RecordBatchHeader() {}

  /**
   * Writes all fields, with 0 as the checksum, which {@link #writeCrc} completes.
   *
   * @param buffer a big-endian buffer; absolute access only
   * @param at index of the header's first byte
   * @param recordBytes bytes of all records behind the header
   */
  public void writeTo(ByteBuffer buffer, int at, int recordBytes) {
    if (at > buffer.capacity() - BYTES) {
      throw new IndexOutOfBoundsException("a batch header at " + at + " of " + buffer.capacity() + " bytes");
    }
    buffer.putLong(at + BASE_OFFSET, baseOffset);
    buffer.putInt(at + BATCH_LENGTH, BYTES - UNCOUNTED_BYTES + recordBytes);
    buffer.putInt(at + PARTITION_LEADER_EPOCH, partitionLeaderEpoch);
    buffer.put(at + MAGIC, MAGIC_V2);
    buffer.putInt(at + CRC, 0);
    buffer.putShort(at + ATTRIBUTES, attributes());
    buffer.putInt(at + LAST_OFFSET_DELTA, lastOffsetDelta);
    buffer.putLong(at + BASE_TIMESTAMP, baseTimestamp);
    buffer.putLong(at + MAX_TIMESTAMP, maxTimestamp);
    buffer.putLong(at + PRODUCER_ID, producerId);
    buffer.putShort(at + PRODUCER_EPOCH, producerEpoch);
    buffer.putInt(at + BASE_SEQUENCE, baseSequence);
    buffer.putInt(at + RECORD_COUNT, recordCount);
  }

  /** Returns the flags as they are on the wire. */
  private short attributes() {
    int flags = compression.id();
    if (timestampType == TimestampType.LOG_APPEND_TIME) {
      flags |= LOG_APPEND_TIME_FLAG;
    }
    if (transactional) {
      flags |= TRANSACTIONAL_FLAG;
    }
    if (control) {
      flags |= CONTROL_FLAG;
    }
    return (short) flags;
  }

  /**
   * Adds bytes to a checksum. For a batch in several chunks, call {@code crc.reset()}, this method for the header from
   * {@link #ATTRIBUTES} on and for each chunk in order, and then {@link #writeCrc(ByteBuffer, int, CRC32C)}.
   *
   * @param crc the sum so far
   * @param buffer holds the bytes; its position and limit are moved during this call and restored
   * @param from index of the first byte
   * @param to index after the last byte
   */
  public static void updateCrc(CRC32C crc, ByteBuffer buffer, int from, int to) {
    int position = buffer.position();
    int limit = buffer.limit();
    buffer.limit(to).position(from);
    crc.update(buffer);
    buffer.limit(limit).position(position);
  }

  /**
   * Stores a finished checksum in a header.
   *
   * @param buffer holds the header
   * @param at index of the header's first byte
   * @param crc the sum over the batch from {@link #ATTRIBUTES} to its end
   */
  public static void writeCrc(ByteBuffer buffer, int at, CRC32C crc) {
    buffer.putInt(at + CRC, (int) crc.getValue());
  }

  /**
   * Computes and stores the checksum of a batch that is in one piece.
   *
   * @param crc used for the computation; its former value is lost
   * @param buffer holds the batch; its position and limit are moved during this call and restored
   * @param at index of the header's first byte
   * @param batchBytes size of the batch, its header included
   */
  public static void seal(CRC32C crc, ByteBuffer buffer, int at, int batchBytes) {
    crc.reset();
    updateCrc(crc, buffer, at + ATTRIBUTES, at + batchBytes);
    writeCrc(buffer, at, crc);
  }
}
