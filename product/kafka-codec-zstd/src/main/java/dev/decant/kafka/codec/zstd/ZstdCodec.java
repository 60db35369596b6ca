package dev.decant.kafka.codec.zstd;

import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.compression.Decompressor;
import dev.decant.kafka.record.CompressionType;

/** Zstandard frames by zstd-jni; found by {@link java.util.ServiceLoader}. */
public final class ZstdCodec implements CompressionCodec {
  /** Made by {@link java.util.ServiceLoader}. */
  public ZstdCodec() {}

  @Override
  public CompressionType type() {
    return CompressionType.ZSTD;
  }

  @Override
  public Compressor compressor(int level) {
    return new ZstdCompressor(level);
  }

  @Override
  public Decompressor decompressor() {
    return new ZstdDecompressor();
  }
}
