package dev.decant.fake.log;

import dev.decant.buffer.BytesWriter;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.record.RecordWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The records of a batch that a log cleaner keeps. The batch keeps its first and its last offset, and with them the
 * sequence numbers of its producer.
 */
final class CleanedBatch {
  /** The bytes of a removed batch. */
  static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  /** Leaves the batch's delete horizon as it is. */
  static final long SAME_HORIZON = -1;
  private static final int NULL = RecordWriter.NULL;
  private static final int CODEC = 0x07;

  private final StoredBatch batch;
  private final List<Kept> records = new ArrayList<>();
  private boolean hasTombstones;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Header(String key, byte @Nullable [] value) {}

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Kept(int offsetDelta, long timestamp, byte @Nullable [] key, byte @Nullable [] value,
      List<Header> headers) {
    int headersSize() {
      int size = BytesWriter.sizeOfVarint(headers.size());
      for (Header header : headers) {
        byte[] of = header.value();
        size += RecordWriter.headerSize(header.key(), of == null ? NULL : of.length);
      }
      return size;
    }
  }

  CleanedBatch(StoredBatch batch) {
    this.batch = batch;
  }

  /** Keeps the record at which a reader stands. */
  void keep(RecordBatchReader reader) {
    byte[] key = bytes(reader, reader.keyOffset(), reader.keyLength());
    byte[] value = bytes(reader, reader.valueOffset(), reader.valueLength());
    List<Header> headers = new ArrayList<>();
    while (reader.nextHeader()) {
      byte[] name = bytes(reader, reader.headerKeyOffset(), reader.headerKeyLength());
      headers.add(new Header(name == null ? "" : new String(name, StandardCharsets.UTF_8),
          bytes(reader, reader.headerValueOffset(), reader.headerValueLength())));
    }
    hasTombstones |= value == null;
    records.add(new Kept((int) (reader.offset() - batch.baseOffset()), reader.timestamp(), key, value, headers));
  }

  private static byte @Nullable [] bytes(RecordBatchReader reader, int at, int length) {
    if (length < 0) {
      return null;
    }
    byte[] copy = new byte[length];
    reader.buffer().get(at, copy);
    return copy;
  }

  boolean isEmpty() {
    return records.isEmpty();
  }

  boolean isWhole() {
    return records.size() == batch.recordCount();
  }

  boolean hasTombstones() {
    return hasTombstones;
  }

  /** Returns a batch without records, which keeps the offsets and sequence numbers of a batch. */
  static ByteBuffer empty(StoredBatch batch, CRC32C crc) {
    ByteBuffer bytes = ByteBuffer.allocate(RecordBatchHeader.BYTES)
        .put(0, batch.shared(), 0, RecordBatchHeader.BYTES);
    int attributes = batch.attributes() & ~(CODEC | StoredBatch.DELETE_HORIZON);
    return sealed(bytes, attributes, batch.maxTimestamp(), batch.maxTimestamp(), 0, crc);
  }

  /**
   * Writes the kept records.
   *
   * @param horizon time at which tombstones and markers may be deleted, {@link #SAME_HORIZON} for no change
   */
  ByteBuffer written(long horizon, Codecs codecs, CRC32C crc) {
    int attributes = batch.attributes();
    long baseTimestamp = records.getFirst().timestamp();
    if (horizon != SAME_HORIZON) {
      attributes |= StoredBatch.DELETE_HORIZON;
      baseTimestamp = horizon;
    } else if (batch.hasDeleteHorizon()) {
      baseTimestamp = batch.baseTimestamp();
    }
    byte[] body = codecs.compress(CompressionType.of(attributes & CODEC), body(baseTimestamp));
    ByteBuffer bytes = ByteBuffer.allocate(RecordBatchHeader.BYTES + body.length)
        .put(0, batch.shared(), 0, RecordBatchHeader.BYTES).put(RecordBatchHeader.BYTES, body);
    long newest = batch.isLogAppendTime()
        ? batch.maxTimestamp()
        : records.stream().mapToLong(Kept::timestamp).max().orElse(baseTimestamp);
    return sealed(bytes, attributes, baseTimestamp, newest, records.size(), crc);
  }

  private byte[] body(long baseTimestamp) {
    int size = 0;
    for (Kept one : records) {
      size += RecordWriter.totalSize(bodySize(one, baseTimestamp));
    }
    ByteBuffer out = ByteBuffer.allocate(size);
    int at = 0;
    for (Kept one : records) {
      at = write(one, baseTimestamp, out, at);
    }
    return out.array();
  }

  private static int sizeOf(byte @Nullable [] bytes) {
    return bytes == null ? NULL : bytes.length;
  }

  private static int bodySize(Kept one, long baseTimestamp) {
    return RecordWriter.bodySize(one.offsetDelta(), one.timestamp() - baseTimestamp, sizeOf(one.key()),
        sizeOf(one.value()), one.headersSize());
  }

  private static int write(Kept one, long baseTimestamp, ByteBuffer out, int from) {
    int at = RecordWriter.writePrefix(out, from, bodySize(one, baseTimestamp), one.timestamp() - baseTimestamp,
        one.offsetDelta(), sizeOf(one.key()));
    byte[] key = one.key();
    if (key != null) {
      out.put(at, key);
      at += key.length;
    }
    byte[] value = one.value();
    at = RecordWriter.writeValueSize(out, at, sizeOf(value));
    if (value != null) {
      out.put(at, value);
      at += value.length;
    }
    at = RecordWriter.writeHeaderCount(out, at, one.headers().size());
    BytesWriter writer = new BytesWriter().wrap(out, at, out.capacity());
    for (Header header : one.headers()) {
      RecordWriter.writeHeader(writer, header.key(), header.value());
    }
    return writer.position();
  }

  private static ByteBuffer sealed(ByteBuffer bytes, int attributes, long baseTimestamp, long maxTimestamp, int count,
      CRC32C crc) {
    bytes.putInt(RecordBatchHeader.BATCH_LENGTH, bytes.limit() - RecordBatchHeader.UNCOUNTED_BYTES);
    bytes.putShort(RecordBatchHeader.ATTRIBUTES, (short) attributes);
    bytes.putLong(RecordBatchHeader.BASE_TIMESTAMP, baseTimestamp);
    bytes.putLong(RecordBatchHeader.MAX_TIMESTAMP, maxTimestamp);
    bytes.putInt(RecordBatchHeader.RECORD_COUNT, count);
    RecordBatchHeader.seal(crc, bytes, 0, bytes.limit());
    return bytes;
  }
}
