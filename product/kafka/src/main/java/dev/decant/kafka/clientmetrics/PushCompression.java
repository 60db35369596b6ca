package dev.decant.kafka.clientmetrics;

import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.record.CompressionType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/**
 * Metrics as a push contains them.
 *
 * @param type of their compression
 * @param bytes from position to limit
 */
record PushCompression(CompressionType type, ByteBuffer bytes) {
  private static final int LZ4_LEVEL = 9;
  private static final int ZSTD_LEVEL = 3;

  /**
   * Compresses with the first type whose codec is installed and works. May load native code, so the owner of the loop
   * must not call it.
   */
  static PushCompression of(ByteBuffer metrics, List<CompressionType> types) {
    for (CompressionType type : types) {
      ByteBuffer bytes = type == CompressionType.NONE ? metrics : compressed(metrics, type);
      if (bytes != null) {
        return new PushCompression(type, bytes);
      }
    }
    return new PushCompression(CompressionType.NONE, metrics);
  }

  /** Returns null if the codec is missing or fails: the broker takes other types, and uncompressed bytes. */
  private static @Nullable ByteBuffer compressed(ByteBuffer metrics, CompressionType type) {
    try (Compressor compressor = CompressionCodec.compressor(type, level(type))) {
      int length = metrics.capacity();
      ByteBuffer target = ByteBuffer.allocateDirect(compressor.mostBytes(length));
      compressor.begin(target, 0, length);
      compressor.add(metrics, 0, length);
      return target.limit(compressor.finish());
    } catch (RuntimeException | LinkageError e) {
      return null;
    }
  }

  private static int level(CompressionType type) {
    return switch (type) {
      case GZIP -> Deflater.DEFAULT_COMPRESSION;
      case LZ4 -> LZ4_LEVEL;
      case ZSTD -> ZSTD_LEVEL;
      case NONE, SNAPPY -> 0;
    };
  }
}
