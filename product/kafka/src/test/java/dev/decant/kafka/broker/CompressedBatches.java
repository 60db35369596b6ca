package dev.decant.kafka.broker;

import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Makes compressed record batches, sound and damaged ones. */
public final class CompressedBatches {
  private CompressedBatches() {}

  /** Compresses the records of a batch with gzip. */
  public static ByteBuffer gzip(ByteBuffer batch) {
    try (Compressor compressor = CompressionCodec.of(CompressionType.GZIP).compressor(-1)) {
      int bytes = batch.remaining() - RecordBatchHeader.BYTES;
      ByteBuffer records = ByteBuffer.allocateDirect(bytes).put(0, batch, RecordBatchHeader.BYTES, bytes);
      ByteBuffer compressed = ByteBuffer.allocateDirect(compressor.mostBytes(bytes));
      compressor.begin(compressed, 0, bytes);
      compressor.add(records, 0, bytes);
      return with(batch, CompressionType.GZIP, compressed.limit(compressor.finish()));
    }
  }

  /** Puts the header of a batch before other bytes, which it declares as compressed; lengths and checksum are right. */
  public static ByteBuffer with(ByteBuffer batch, CompressionType type, ByteBuffer compressed) {
    ByteBuffer made = ByteBuffer.allocate(RecordBatchHeader.BYTES + compressed.remaining());
    made.put(0, batch, 0, RecordBatchHeader.BYTES);
    made.put(RecordBatchHeader.BYTES, compressed, compressed.position(), compressed.remaining());
    made.putInt(RecordBatchHeader.BATCH_LENGTH, made.capacity() - RecordBatchHeader.UNCOUNTED_BYTES);
    made.putShort(RecordBatchHeader.ATTRIBUTES, (short) type.id());
    RecordBatchHeader.seal(new CRC32C(), made, 0, made.capacity());
    return made;
  }
}
