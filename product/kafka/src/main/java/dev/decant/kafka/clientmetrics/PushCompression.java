package dev.decant.kafka.clientmetrics;

import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.record.CompressionType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/**
 * Metrics as they go into a push.
 *
 * @param type how they are compressed
 * @param bytes from position to limit
 */
record PushCompression(CompressionType type, ByteBuffer bytes) {
  private static final int LZ4_LEVEL = 9;
  private static final int ZSTD_LEVEL = 3;

  /**
   * Compresses with the first type for which there is a codec; a codec that fails is passed over. May load native code,
   * so it is not for the owner of the loop.
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

  /** Null if its module is not there, or it fails: the broker takes other types, and none. */
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
