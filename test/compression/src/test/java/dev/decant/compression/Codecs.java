package dev.decant.compression;

import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.compression.DecompressedRecords;
import dev.decant.kafka.compression.Decompressor;
import dev.decant.kafka.record.CompressionType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** The codecs, and short ways to use them. */
final class Codecs {
  static final int BOUND = 8 << 20;

  private Codecs() {}

  static Stream<CompressionType> types() {
    return Arrays.stream(CompressionType.values()).filter(type -> type != CompressionType.NONE);
  }

  /** The levels to be tried: the ends, the usual one, and those on both sides of a change of method. */
  static List<Integer> levels(CompressionType type) {
    return switch (type) {
      case GZIP -> List.of(-1, 1, 2, 3, 4, 5, 6, 7, 8, 9);
      case LZ4 -> List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
      case ZSTD -> List.of(-131_072, -7, -1, 1, 3, 4, 9, 13, 16, 19, 22);
      case NONE, SNAPPY -> List.of(0);
    };
  }

  static int usualLevel(CompressionType type) {
    return switch (type) {
      case GZIP -> -1;
      case LZ4 -> 9;
      case ZSTD -> 3;
      case NONE, SNAPPY -> 0;
    };
  }

  static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
  }

  /** Compresses bytes in pieces that end at these indexes, and gives the result with some bytes before and behind. */
  static byte[] compress(Compressor compressor, byte[] bytes, int... ends) {
    ByteBuffer target = ByteBuffer.allocateDirect(3 + compressor.mostBytes(bytes.length));
    compressor.begin(target, 3, bytes.length);
    int from = 0;
    for (int i = 0; i <= ends.length; i++) {
      int end = i == ends.length ? bytes.length : ends[i];
      compressor.add(direct(bytes), from, end);
      from = end;
    }
    return copy(target, 3, compressor.finish());
  }

  static byte[] compress(CompressionType type, byte[] bytes) {
    try (Compressor compressor = CompressionCodec.of(type).compressor(usualLevel(type))) {
      return compress(compressor, bytes);
    }
  }

  /** Decompresses bytes that lie among others. */
  static byte[] decompress(Decompressor decompressor, byte[] bytes, DecompressedRecords output)
      throws MalformedBytesException {
    ByteBuffer source = ByteBuffer.allocateDirect(bytes.length + 7).put(5, bytes);
    output.clear();
    decompressor.decompress(source, 5, 5 + bytes.length, output);
    return copy(output.buffer(), 0, output.end());
  }

  static byte[] decompress(CompressionType type, byte[] bytes) throws MalformedBytesException {
    try (Decompressor decompressor = CompressionCodec.of(type).decompressor()) {
      return decompress(decompressor, bytes, new DecompressedRecords(BOUND));
    }
  }

  private static byte[] copy(ByteBuffer buffer, int from, int to) {
    byte[] bytes = new byte[to - from];
    buffer.get(from, bytes);
    return bytes;
  }

  /** Text as events have it: names again and again, numbers that differ. */
  static byte[] json(Random random, int bytes) {
    StringBuilder text = new StringBuilder(bytes + 128);
    while (text.length() < bytes) {
      text.append("{\"id\":").append(random.nextInt(1_000_000)).append(",\"customer\":\"c-")
          .append(random.nextInt(5_000))
          .append("\",\"amount\":").append(random.nextInt(100_000) / 100.0).append(",\"currency\":\"EUR\",\"ok\":")
          .append(random.nextBoolean()).append("}\n");
    }
    return Arrays.copyOf(text.toString().getBytes(StandardCharsets.US_ASCII), bytes);
  }
}
