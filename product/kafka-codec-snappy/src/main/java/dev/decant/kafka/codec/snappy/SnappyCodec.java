package dev.decant.kafka.codec.snappy;

import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.compression.Decompressor;
import dev.decant.kafka.record.CompressionType;

/** Snappy in xerial framing by snappy-java; found by {@link java.util.ServiceLoader}. */
public final class SnappyCodec implements CompressionCodec {
  /** Made by {@link java.util.ServiceLoader}. */
  public SnappyCodec() {}

  @Override
  public CompressionType type() {
    return CompressionType.SNAPPY;
  }

  @Override
  public Compressor compressor(int level) {
    return new SnappyCompressor();
  }

  @Override
  public Decompressor decompressor() {
    return new SnappyDecompressor();
  }
}
