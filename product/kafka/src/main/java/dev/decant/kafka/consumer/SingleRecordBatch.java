package dev.decant.kafka.consumer;

import dev.decant.buffer.BufferTooSmallException;
import dev.decant.buffer.BytesWriter;
import dev.decant.kafka.Header;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordWriter;
import dev.decant.kafka.serialization.EncodeContext;
import dev.decant.kafka.serialization.Encoder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Encodes one record of the application as a batch in the format of a broker. */
final class SingleRecordBatch {
  private static final int SCRATCH_BYTES = 256;

  /** Context for an encoder, which may add headers. */
  private record Context(String topic, List<Header> headers, boolean isKey) implements EncodeContext {
    @Override
    public void addHeader(String key, byte @Nullable [] value) {
      headers.add(new Header(key, value));
    }

    @Override
    public byte @Nullable [] header(String key) {
      for (Header header : headers.reversed()) {
        if (header.key().equals(key)) {
          return header.value();
        }
      }
      return null;
    }
  }

  private SingleRecordBatch() {}

  /** Returns a buffer that the batch fills. */
  static <K, V> ByteBuffer encode(OwnedRecord<K, V> record, Encoder<? super K> keys, Encoder<? super V> values) {
    List<Header> headers = new ArrayList<>(record.headers());
    byte[] key = bytes(record.key(), keys, new Context(record.topic(), headers, true));
    byte[] value = bytes(record.value(), values, new Context(record.topic(), headers, false));
    int keySize = key == null ? RecordWriter.NULL : key.length;
    int valueSize = value == null ? RecordWriter.NULL : value.length;
    int headersSize = BytesWriter.sizeOfVarint(headers.size());
    for (Header header : headers) {
      byte[] bytes = header.value();
      headersSize += RecordWriter.headerSize(header.key(), bytes == null ? RecordWriter.NULL : bytes.length);
    }
    int bodySize = RecordWriter.bodySize(0, 0, keySize, valueSize, headersSize);
    int recordSize = RecordWriter.totalSize(bodySize);
    ByteBuffer batch = ByteBuffer.allocate(RecordBatchHeader.BYTES + recordSize);
    int at = RecordWriter.writePrefix(batch, RecordBatchHeader.BYTES, bodySize, 0, 0, keySize);
    at = put(batch, at, key);
    at = RecordWriter.writeValueSize(batch, at, valueSize);
    at = put(batch, at, value);
    at = RecordWriter.writeHeaderCount(batch, at, headers.size());
    BytesWriter writer = new BytesWriter().wrap(batch, at, batch.capacity());
    for (Header header : headers) {
      RecordWriter.writeHeader(writer, header.key(), header.value());
    }
    writeHeader(batch, record.offset(), record.timestamp(), recordSize);
    return batch;
  }

  private static void writeHeader(ByteBuffer batch, long offset, long timestamp, int recordSize) {
    RecordBatchHeader header = new RecordBatchHeader();
    header.baseOffset = offset;
    header.baseTimestamp = timestamp;
    header.maxTimestamp = timestamp;
    header.recordCount = 1;
    header.writeTo(batch, 0, recordSize);
    RecordBatchHeader.seal(new CRC32C(), batch, 0, batch.capacity());
  }

  private static int put(ByteBuffer batch, int at, byte @Nullable [] bytes) {
    if (bytes == null) {
      return at;
    }
    batch.put(at, bytes);
    return at + bytes.length;
  }

  /**
   * Encodes an object. If the encoder needs more room, it is called again, as a producer does; the headers that it
   * added are removed before.
   */
  private static <T> byte @Nullable [] bytes(@Nullable T object, Encoder<? super T> encoder, Context context) {
    if (object == null) {
      return null;
    }
    BytesWriter writer = new BytesWriter();
    ByteBuffer scratch = ByteBuffer.allocate(SCRATCH_BYTES);
    int headersBefore = context.headers().size();
    while (true) {
      try {
        encoder.encode(object, context, writer.wrap(scratch, 0, scratch.capacity()));
        byte[] bytes = new byte[writer.position()];
        scratch.get(0, bytes);
        return bytes;
      } catch (BufferTooSmallException e) {
        context.headers().subList(headersBefore, context.headers().size()).clear();
        scratch = ByteBuffer.allocate(Math.multiplyExact(scratch.capacity(), 2));
      }
    }
  }
}
