package dev.decant.kafka.record;

import static dev.decant.kafka.record.RecordBatchHeader.UNCOUNTED_BYTES;

import dev.decant.buffer.MalformedBytesException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the batches and records of one partition in a fetch response. It reads bytes in place, and copies and
 * allocates nothing per batch or record. Values of a record are valid until the next call that moves the cursor. The
 * records of a compressed batch are read from the memory of a {@link RecordDecompressor}.
 *
 * <pre>
 * reader.wrap(buffer, from, to);
 * while (reader.nextBatch()) {
 *   while (reader.nextRecord()) {
 *     use(reader.offset(), reader.buffer(), reader.valueOffset(), reader.valueLength());
 *   }
 * }
 * </pre>
 *
 * <p>The bytes count as hostile. The reader checks checksum, counts and all lengths, and a violation throws {@link
 * CorruptRecordException}; the reader must be wrapped again after that. A broker may cut the last batch. That is no
 * error, and {@link #unreadBytes()} returns the size of the rest. Reusable, not thread safe. While the reader computes
 * a checksum it moves the buffer's position and limit, and restores them.
 */
public final class RecordBatchReader {
  private static final CompressionType[] COMPRESSIONS = CompressionType.values();
  private static final ByteBuffer EMPTY = ByteBuffer.allocateDirect(0);
  /** Least bytes of a header: the lengths of its key and of its value. */
  private static final int MIN_HEADER_BYTES = 2;
  /**
   * Size, attributes, timestamp, offset and the first byte of the key's length, in records whose varints have at most
   * two bytes.
   */
  private static final int PREFIX_BYTES = 8;

  private final CRC32C crc = new CRC32C();
  private final @Nullable RecordDecompressor decompressor;
  private ByteBuffer batches = EMPTY;
  private int end;

  private int batch;
  private int batchEnd;
  /** Memory of the batch's records: among the batches, or decompressed. */
  private ByteBuffer buffer = EMPTY;
  /** End of the records. While the records are still compressed, the range is empty. */
  private int recordsEnd;
  private boolean decompressed;
  private long baseOffset;
  private int lastOffsetDelta;
  private long baseTimestamp;
  private int attributes;
  private int recordsLeft;

  private int next;
  private long offset;
  private long timestampDelta;
  private int keyAt;
  private int keyLength;
  private int valueAt;
  private int valueLength;
  private int headerCount;
  private int headersAt;
  private int recordEnd;

  private int nextHeader;
  private int headersLeft;
  private int headerKeyAt;
  private int headerKeyLength;
  private int headerValueAt;
  private int headerValueLength;

  /** Creates a reader over an empty region that treats compressed batches as errors; {@link #wrap} gives it bytes. */
  public RecordBatchReader() {
    decompressor = null;
  }

  /**
   * Creates a reader over an empty region; {@link #wrap} gives it bytes.
   *
   * @param decompressor called when the first record of a compressed batch is read
   */
  public RecordBatchReader(RecordDecompressor decompressor) {
    this.decompressor = decompressor;
  }

  /**
   * Sets the records to read.
   *
   * @param records a big-endian buffer; direct if there may be compressed batches
   * @param from index of the first byte
   * @param to index after the last byte
   * @return this, before the first batch
   */
  public RecordBatchReader wrap(ByteBuffer records, int from, int to) {
    Objects.checkFromToIndex(from, to, records.capacity());
    batches = records;
    buffer = records;
    end = to;
    batch = from;
    batchEnd = from;
    recordsEnd = from;
    next = from;
    recordsLeft = 0;
    headersLeft = 0;
    return this;
  }

  /**
   * Moves to the next batch and checks its header and checksum. Unread records of the batch before are skipped.
   *
   * @return false if no whole batch is left
   * @throws CorruptRecordException if the batch is damaged
   */
  public boolean nextBatch() {
    int at = batchEnd;
    recordsLeft = 0;
    headersLeft = 0;
    batch = at;
    next = at;
    recordsEnd = at;
    if (end - at <= RecordBatchHeader.MAGIC) {
      return false;
    }
    ByteBuffer b = batches;
    baseOffset = b.getLong(at + RecordBatchHeader.BASE_OFFSET);
    int magic = b.get(at + RecordBatchHeader.MAGIC);
    if (magic != RecordBatchHeader.MAGIC_V2) {
      throw corrupt("magic is " + magic + ", only 2 is known");
    }
    int length = b.getInt(at + RecordBatchHeader.BATCH_LENGTH);
    if (length < RecordBatchHeader.BYTES - UNCOUNTED_BYTES) {
      throw corrupt("a batch length of " + length);
    }
    if (length > end - at - UNCOUNTED_BYTES) {
      return false;
    }
    batchEnd = at + UNCOUNTED_BYTES + length;
    checkCrc(at);
    readHeader(at);
    return true;
  }

  private void checkCrc(int at) {
    crc.reset();
    RecordBatchHeader.updateCrc(crc, batches, at + RecordBatchHeader.ATTRIBUTES, batchEnd);
    int stated = batches.getInt(at + RecordBatchHeader.CRC);
    if (stated != (int) crc.getValue()) {
      throw corrupt("its checksum is " + Integer.toHexString((int) crc.getValue()) + ", stated is "
          + Integer.toHexString(stated));
    }
  }

  private void readHeader(int at) {
    ByteBuffer b = batches;
    attributes = b.getShort(at + RecordBatchHeader.ATTRIBUTES);
    lastOffsetDelta = b.getInt(at + RecordBatchHeader.LAST_OFFSET_DELTA);
    baseTimestamp = b.getLong(at + RecordBatchHeader.BASE_TIMESTAMP);
    int count = b.getInt(at + RecordBatchHeader.RECORD_COUNT);
    int codec = attributes & RecordBatchHeader.COMPRESSION_MASK;
    if (codec >= COMPRESSIONS.length) {
      throw corrupt("compression codec " + codec + " is not known");
    }
    buffer = b;
    next = at + RecordBatchHeader.BYTES;
    decompressed = false;
    recordsEnd = codec == 0 ? batchEnd : next;
    if (count < 0 || codec == 0) {
      checkCount(count, batchEnd - next);
    }
    if (baseOffset < 0 || lastOffsetDelta < 0 || count - 1 > lastOffsetDelta) {
      throw corrupt(count + " records announced, the last offset delta is " + lastOffsetDelta);
    }
    recordsLeft = count;
  }

  private void checkCount(int count, int recordBytes) {
    if (count < 0 || (long) count * RecordWriter.MIN_RECORD_BYTES > recordBytes) {
      throw corrupt(count + " records announced in " + recordBytes + " bytes");
    }
  }

  /**
   * Moves to the next record of the batch.
   *
   * @return false if the batch has no more
   * @throws CorruptRecordException if the record is damaged
   * @throws UnsupportedCompressionException if the batch is compressed and there is no codec for it
   */
  public boolean nextRecord() {
    int left = recordsLeft;
    if (left == 0) {
      return endOfBatch();
    }
    int p = next;
    if (recordsEnd - p < PREFIX_BYTES) {
      return nextRecordSlowPath(left);
    }
    // The processor predicts the branches that find each position, so it reads the fields side by side. A position
    // computed from the value before it makes the reads wait for each other and takes twice as long.
    ByteBuffer b = buffer;
    int size = b.get(p++);
    if (size < 0) {
      int second = b.get(p++);
      if (second < 0) {
        return nextRecordSlowPath(left);
      }
      size = (size & 0x7F) | (second << 7);
    }
    int stop = p + zigzag(size);
    p++; // the attributes of a record have no meaning yet
    int time = b.get(p++);
    if (time < 0) {
      int second = b.get(p++);
      if (second < 0) {
        return nextRecordSlowPath(left);
      }
      time = (time & 0x7F) | (second << 7);
    }
    int delta = b.get(p++);
    if (delta < 0) {
      int second = b.get(p++);
      if (second < 0) {
        return nextRecordSlowPath(left);
      }
      delta = (delta & 0x7F) | (second << 7);
    }
    if (stop > recordsEnd) {
      return nextRecordSlowPath(left);
    }
    timestampDelta = zigzag(time);
    return readKeyAndValue(p, stop, zigzag(delta), left);
  }

  /**
   * Reads the rest of a record. The record ends within its batch. Records of an unusual or unsound form go to the slow
   * path.
   */
  private boolean readKeyAndValue(int at, int stop, int delta, int left) {
    ByteBuffer b = buffer;
    int p = at;
    int length = zigzag(b.get(p++)); // for a longer varint the result is out of bounds, so the slow path follows
    if (length < -1 || length > stop - p || delta < 0 || delta > lastOffsetDelta) {
      return nextRecordSlowPath(left);
    }
    keyAt = p;
    keyLength = length;
    if (length > 0) {
      p += length;
    }
    if (stop - p < 3) { // two bytes of length, and the count of headers
      return nextRecordSlowPath(left);
    }
    length = b.get(p++);
    if (length < 0) {
      int second = b.get(p++);
      if (second < 0) {
        return nextRecordSlowPath(left);
      }
      length = (length & 0x7F) | (second << 7);
    }
    length = zigzag(length);
    if (length < -1 || length > stop - p) {
      return nextRecordSlowPath(left);
    }
    valueAt = p;
    valueLength = length;
    offset = baseOffset + delta;
    recordEnd = stop;
    findHeaders(b, p + Math.max(0, length), stop);
    next = stop;
    recordsLeft = left - 1;
    return true;
  }

  /** Reads any record, field by field, and throws an exception that names the damage. */
  private boolean nextRecordSlowPath(int left) {
    if (isCompressed() && !decompressed) {
      decompress(left);
      return nextRecord();
    }
    ByteBuffer b = buffer;
    long field = varint(b, next, recordsEnd);
    int body = (int) field;
    int size = value(field);
    if (size < RecordWriter.MIN_RECORD_BYTES - 1 || size > recordsEnd - body) {
      throw corrupt("a record of " + size + " bytes, " + (recordsEnd - body) + " remain in its batch");
    }
    int stop = body + size;
    int p = timestampDelta(b, body + 1, stop); // the attributes of a record have no meaning yet
    field = varint(b, p, stop);
    int delta = value(field);
    if (delta < 0 || delta > lastOffsetDelta) {
      throw corrupt("an offset delta of " + delta + ", the last one is " + lastOffsetDelta);
    }
    offset = baseOffset + delta;
    field = varint(b, (int) field, stop);
    p = (int) field;
    int length = checkedLength("key", value(field), stop - p);
    keyAt = p;
    keyLength = length;
    field = varint(b, p + Math.max(0, length), stop);
    p = (int) field;
    length = checkedLength("value", value(field), stop - p);
    valueAt = p;
    valueLength = length;
    recordEnd = stop;
    findHeaders(b, p + Math.max(0, length), stop);
    next = stop;
    recordsLeft = left - 1;
    return true;
  }

  private void findHeaders(ByteBuffer b, int at, int stop) {
    headersLeft = 0;
    if (stop - at == 1 && b.get(at) == 0) {
      headerCount = 0;
      return;
    }
    long field = varint(b, at, stop);
    int count = value(field);
    int bytes = stop - (int) field;
    if (count <= 0 || (long) count * MIN_HEADER_BYTES > bytes) {
      throw corrupt(count + " headers announced in " + bytes + " bytes");
    }
    headerCount = count;
    headersAt = (int) field;
    rewindHeaders();
  }

  private void decompress(int count) {
    RecordDecompressor by = decompressor;
    if (by == null) {
      throw new UnsupportedCompressionException(compression(), baseOffset);
    }
    try {
      buffer = by.decompress(compression(), batches, next, batchEnd);
    } catch (MalformedBytesException e) {
      throw corrupt("its records, compressed with " + compression() + ", cannot be decompressed: " + e.getMessage());
    }
    next = buffer.position();
    recordsEnd = buffer.limit();
    decompressed = true;
    checkCount(count, recordsEnd - next);
  }

  private boolean endOfBatch() {
    if (next != recordsEnd) {
      throw corrupt((recordsEnd - next) + " bytes are left behind its last record");
    }
    return false;
  }

  private boolean isCompressed() {
    return (attributes & RecordBatchHeader.COMPRESSION_MASK) != 0;
  }

  /** Moves back before the first header of the record, the position after {@link #nextRecord()}. */
  public void rewindHeaders() {
    nextHeader = headersAt;
    headersLeft = headerCount;
  }

  /**
   * Moves to the next header of the record.
   *
   * @return false if the record has no more
   * @throws CorruptRecordException if the header is damaged
   */
  public boolean nextHeader() {
    if (headersLeft == 0) {
      return false;
    }
    ByteBuffer b = buffer;
    int stop = recordEnd;
    long field = varint(b, nextHeader, stop);
    int p = (int) field;
    headerKeyLength = checkedLength("header key", value(field), stop - p);
    if (headerKeyLength < 0) {
      throw corrupt("the key of a header is null");
    }
    headerKeyAt = p;
    field = varint(b, p + headerKeyLength, stop);
    p = (int) field;
    headerValueLength = checkedLength("header value", value(field), stop - p);
    headerValueAt = p;
    nextHeader = p + Math.max(0, headerValueLength);
    headersLeft--;
    if (headersLeft == 0 && nextHeader != stop) {
      throw corrupt((stop - nextHeader) + " bytes are left behind the last header of a record");
    }
    return true;
  }

  /**
   * Returns the memory that {@link #copyRecord} takes for the current record.
   *
   * @return bytes of the batch's header and of the record's key, value and headers
   */
  public int copyBytes() {
    return RecordBatchHeader.BYTES + recordEnd - keyAt;
  }

  /**
   * Makes a copy of another reader's current record, with the header of its batch, and sets this reader to it. Each
   * method about a record or its batch returns the same value as the other reader. There is no next record, and no next
   * batch.
   *
   * @param from at a record
   * @param memory the caller's big-endian buffer, which this reader reads until it is wrapped again
   * @param at index of the copy in it, with room for {@link #copyBytes} of the other reader
   */
  public void copyRecord(RecordBatchReader from, ByteBuffer memory, int at) {
    int body = at + RecordBatchHeader.BYTES;
    int length = from.recordEnd - from.keyAt;
    memory.put(at, from.batches, from.batch, RecordBatchHeader.BYTES);
    memory.put(body, from.buffer, from.keyAt, length);
    int shift = body - from.keyAt;
    batches = memory;
    buffer = memory;
    batch = at;
    batchEnd = body + length;
    end = batchEnd;
    recordsEnd = batchEnd;
    next = batchEnd;
    recordsLeft = 0;
    baseOffset = from.baseOffset;
    lastOffsetDelta = from.lastOffsetDelta;
    baseTimestamp = from.baseTimestamp;
    attributes = from.attributes;
    offset = from.offset;
    timestampDelta = from.timestampDelta;
    keyAt = body;
    keyLength = from.keyLength;
    valueAt = from.valueAt + shift;
    valueLength = from.valueLength;
    headerCount = from.headerCount;
    headersAt = from.headersAt + shift;
    recordEnd = batchEnd;
    rewindHeaders();
  }

  /**
   * Returns the buffer that positions of keys, values and headers refer to.
   *
   * @return the buffer given to {@link #wrap}; in a compressed batch that of the {@link RecordDecompressor}
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /**
   * Returns the number of bytes behind the current batch. After {@link #nextBatch()} has returned false, it is the size
   * of a last batch that was cut.
   *
   * @return 0 if the region ended with a whole batch
   */
  public int unreadBytes() {
    return end - batchEnd;
  }

  /**
   * Returns the offset of the batch's first record, as it was before compaction.
   *
   * @return an offset of the partition
   */
  public long baseOffset() {
    return baseOffset;
  }

  /**
   * Returns the offset of the batch's last record, as it was before compaction. The next fetch begins behind it.
   *
   * @return an offset of the partition
   */
  public long lastOffset() {
    return baseOffset + lastOffsetDelta;
  }

  /**
   * Returns the size of the batch.
   *
   * @return bytes, the header included
   */
  public int batchBytes() {
    return batchEnd - batch;
  }

  /**
   * Returns the number of records in the batch.
   *
   * @return 0 for a batch that compaction emptied
   */
  public int recordCount() {
    return batches.getInt(batch + RecordBatchHeader.RECORD_COUNT);
  }

  /**
   * Returns the epoch of the leader that appended the batch.
   *
   * @return the epoch, -1 if unknown
   */
  public int partitionLeaderEpoch() {
    return batches.getInt(batch + RecordBatchHeader.PARTITION_LEADER_EPOCH);
  }

  /**
   * Returns the id of the batch's producer.
   *
   * @return a producer id, -1 if the producer was not idempotent
   */
  public long producerId() {
    return batches.getLong(batch + RecordBatchHeader.PRODUCER_ID);
  }

  /**
   * Returns the epoch of the batch's producer.
   *
   * @return the epoch, -1 if the producer was not idempotent
   */
  public short producerEpoch() {
    return batches.getShort(batch + RecordBatchHeader.PRODUCER_EPOCH);
  }

  /**
   * Returns the sequence number of the batch's first record.
   *
   * @return the number, -1 if the producer was not idempotent
   */
  public int baseSequence() {
    return batches.getInt(batch + RecordBatchHeader.BASE_SEQUENCE);
  }

  /**
   * Returns the largest timestamp of the batch.
   *
   * @return milliseconds since the epoch
   */
  public long maxTimestamp() {
    return batches.getLong(batch + RecordBatchHeader.MAX_TIMESTAMP);
  }

  /**
   * Returns true if the batch is part of a transaction.
   *
   * @return true also for the marker that ends a transaction
   */
  public boolean isTransactional() {
    return (attributes & RecordBatchHeader.TRANSACTIONAL_FLAG) != 0;
  }

  /**
   * Returns true if the batch holds a marker of the broker, which applications must not see.
   *
   * @return true for a control batch
   */
  public boolean isControl() {
    return (attributes & RecordBatchHeader.CONTROL_FLAG) != 0;
  }

  /**
   * Returns how the batch is compressed.
   *
   * @return the codec
   */
  public CompressionType compression() {
    return COMPRESSIONS[attributes & RecordBatchHeader.COMPRESSION_MASK];
  }

  /**
   * Returns the meaning of the batch's timestamps.
   *
   * @return the type
   */
  public TimestampType timestampType() {
    return (attributes & RecordBatchHeader.LOG_APPEND_TIME_FLAG) == 0
        ? TimestampType.CREATE_TIME
        : TimestampType.LOG_APPEND_TIME;
  }

  /**
   * Returns the offset of the record.
   *
   * @return an offset of the partition
   */
  public long offset() {
    return offset;
  }

  /**
   * Returns the timestamp of the record.
   *
   * @return milliseconds since the epoch
   */
  public long timestamp() {
    return (attributes & RecordBatchHeader.LOG_APPEND_TIME_FLAG) == 0
        ? baseTimestamp + timestampDelta
        : maxTimestamp();
  }

  /**
   * Returns true if the record has a key.
   *
   * @return false if it is null
   */
  public boolean hasKey() {
    return keyLength >= 0;
  }

  /**
   * Returns the size of the key.
   *
   * @return bytes, -1 if it is null
   */
  public int keyLength() {
    return keyLength;
  }

  /**
   * Returns where the key is.
   *
   * @return absolute index in the buffer of its first byte
   */
  public int keyOffset() {
    return keyAt;
  }

  /**
   * Returns true if the record has a value.
   *
   * @return false if it is null: a tombstone
   */
  public boolean hasValue() {
    return valueLength >= 0;
  }

  /**
   * Returns the size of the value.
   *
   * @return bytes, -1 if it is null
   */
  public int valueLength() {
    return valueLength;
  }

  /**
   * Returns where the value is.
   *
   * @return absolute index in the buffer of its first byte
   */
  public int valueOffset() {
    return valueAt;
  }

  /**
   * Returns the number of headers of the record.
   *
   * @return their count
   */
  public int headerCount() {
    return headerCount;
  }

  /**
   * Returns the size of the header's key.
   *
   * @return bytes of UTF-8
   */
  public int headerKeyLength() {
    return headerKeyLength;
  }

  /**
   * Returns where the header's key is.
   *
   * @return absolute index in the buffer of its first byte
   */
  public int headerKeyOffset() {
    return headerKeyAt;
  }

  /**
   * Returns the size of the header's value.
   *
   * @return bytes, -1 if it is null
   */
  public int headerValueLength() {
    return headerValueLength;
  }

  /**
   * Returns where the header's value is.
   *
   * @return absolute index in the buffer of its first byte
   */
  public int headerValueOffset() {
    return headerValueAt;
  }

  private int checkedLength(String what, int length, int remaining) {
    if (length < -1 || length > remaining) {
      throw corrupt("a " + what + " of " + length + " bytes, " + remaining + " remain in its record");
    }
    return length;
  }

  /** Sets the record's timestamp delta and returns the index after it. */
  private int timestampDelta(ByteBuffer b, int at, int stop) {
    if (stop - at >= 2) {
      int first = b.get(at);
      if (first >= 0) {
        timestampDelta = zigzag(first);
        return at + 1;
      }
      int second = b.get(at + 1);
      if (second >= 0) {
        timestampDelta = zigzag((first & 0x7F) | (second << 7));
        return at + 2;
      }
    }
    return timestampDeltaSlowPath(b, at, stop);
  }

  private int timestampDeltaSlowPath(ByteBuffer b, int at, int stop) {
    long bits = 0;
    int p = at;
    for (int shift = 0; shift < Long.SIZE && p < stop; shift += 7) {
      long octet = b.get(p++);
      bits |= (octet & 0x7F) << shift;
      if (octet >= 0) {
        timestampDelta = (bits >>> 1) ^ -(bits & 1);
        return p;
      }
    }
    throw corrupt("the timestamp delta at " + at + " does not end");
  }

  /**
   * Reads a zigzag varint. It returns two results in one long, so that neither goes through memory. The value is in the
   * high half, and the index after it in the low half.
   */
  private long varint(ByteBuffer b, int at, int stop) {
    if (stop - at >= 2) {
      int first = b.get(at);
      if (first >= 0) {
        return pack(zigzag(first), at + 1);
      }
      int second = b.get(at + 1);
      if (second >= 0) {
        return pack(zigzag((first & 0x7F) | (second << 7)), at + 2);
      }
    }
    return varintSlowPath(b, at, stop);
  }

  private long varintSlowPath(ByteBuffer b, int at, int stop) {
    int bits = 0;
    int p = at;
    for (int shift = 0; shift < Integer.SIZE && p < stop; shift += 7) {
      int octet = b.get(p++);
      bits |= (octet & 0x7F) << shift;
      if (octet >= 0) {
        return pack(zigzag(bits), p);
      }
    }
    throw corrupt("the varint at " + at + " does not end");
  }

  private static int zigzag(int bits) {
    return (bits >>> 1) ^ -(bits & 1);
  }

  private static long pack(int value, int after) {
    return ((long) value << 32) | after;
  }

  private static int value(long packed) {
    return (int) (packed >> 32);
  }

  private CorruptRecordException corrupt(String what) {
    return new CorruptRecordException(baseOffset, what);
  }
}
