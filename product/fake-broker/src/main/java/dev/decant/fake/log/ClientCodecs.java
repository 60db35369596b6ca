package dev.decant.fake.log;

import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.compression.DecompressedRecords;
import dev.decant.kafka.compression.Decompressor;
import dev.decant.kafka.record.CompressionType;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;

/** The codecs of the Decant client. Only this class needs the client's module, which a test may lack. */
final class ClientCodecs implements AutoCloseable {
  /** Kafka's defaults of {@code compression.lz4.level} and {@code compression.zstd.level}. */
  private static final int LZ4_LEVEL = 9;
  private static final int ZSTD_LEVEL = 3;

  private final DecompressedRecords records;
  private final Map<CompressionType, Decompressor> decompressors = new EnumMap<>(CompressionType.class);

  ClientCodecs(int mostBytes) {
    records = new DecompressedRecords(mostBytes);
  }

  /** Decompresses; the result is valid until the next call. */
  ByteBuffer decompress(CompressionType type, byte[] compressed) {
    Decompressor decompressor = decompressors.computeIfAbsent(type, CompressionCodec::decompressor);
    ByteBuffer source = ByteBuffer.allocateDirect(compressed.length).put(0, compressed);
    records.clear();
    decompressor.decompress(source, 0, compressed.length, records);
    return records.buffer().limit(records.end()).position(0);
  }

  byte[] compress(CompressionType type, byte[] plain) {
    int level = type == CompressionType.LZ4 ? LZ4_LEVEL : ZSTD_LEVEL;
    try (Compressor compressor = CompressionCodec.compressor(type, level)) {
      ByteBuffer source = ByteBuffer.allocateDirect(plain.length).put(0, plain);
      ByteBuffer target = ByteBuffer.allocateDirect(compressor.mostBytes(plain.length));
      compressor.begin(target, 0, plain.length);
      compressor.add(source, 0, plain.length);
      byte[] compressed = new byte[compressor.finish()];
      target.get(0, compressed);
      return compressed;
    }
  }

  @Override
  public void close() {
    decompressors.values().forEach(Decompressor::close);
    decompressors.clear();
  }
}
