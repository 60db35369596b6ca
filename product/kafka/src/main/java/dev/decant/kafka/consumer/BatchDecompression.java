package dev.decant.kafka.consumer;

import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.DecompressedRecords;
import dev.decant.kafka.compression.Decompressor;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.RecordDecompressor;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses the batch that is being delivered, always into the same memory. Looks a codec up when the first batch of
 * its type arrives. Polling thread only.
 */
final class BatchDecompression implements RecordDecompressor, AutoCloseable {
  private final DecompressedRecords records;
  private final @Nullable Decompressor[] byType = new @Nullable Decompressor[CompressionType.values().length];

  BatchDecompression(int maxBytes) {
    records = new DecompressedRecords(maxBytes);
  }

  @Override
  public ByteBuffer decompress(CompressionType type, ByteBuffer batches, int from, int to) {
    Decompressor decompressor = byType[type.id()];
    if (decompressor == null) {
      decompressor = CompressionCodec.decompressor(type);
      byType[type.id()] = decompressor;
    }
    records.clear();
    decompressor.decompress(batches, from, to, records);
    return records.buffer().limit(records.end());
  }

  @Override
  public void close() {
    for (Decompressor decompressor : byType) {
      if (decompressor != null) {
        decompressor.close();
      }
    }
  }
}
