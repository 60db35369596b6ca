package dev.decant.kafka.codec.lz4;

import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.compression.Decompressor;
import dev.decant.kafka.record.CompressionType;

/** LZ4 frames by lz4-java; found by {@link java.util.ServiceLoader}. */
public final class Lz4Codec implements CompressionCodec {
  /** Made by {@link java.util.ServiceLoader}. */
  public Lz4Codec() {}

  @Override
  public CompressionType type() {
    return CompressionType.LZ4;
  }

  @Override
  public Compressor compressor(int level) {
    return new Lz4Compressor(level);
  }

  @Override
  public Decompressor decompressor() {
    return new Lz4Decompressor();
  }
}
