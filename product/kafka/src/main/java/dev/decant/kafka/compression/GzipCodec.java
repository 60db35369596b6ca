package dev.decant.kafka.compression;

import dev.decant.kafka.record.CompressionType;

/** Gzip (RFC 1952) by the JDK's own deflate. */
final class GzipCodec implements CompressionCodec {
  @Override
  public CompressionType type() {
    return CompressionType.GZIP;
  }

  @Override
  public Compressor compressor(int level) {
    return new GzipCompressor(level);
  }

  @Override
  public Decompressor decompressor() {
    return new GzipDecompressor();
  }
}
