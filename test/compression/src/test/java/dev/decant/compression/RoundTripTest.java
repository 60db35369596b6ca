package dev.decant.compression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.compression.DecompressedRecords;
import dev.decant.kafka.compression.Decompressor;
import dev.decant.kafka.record.CompressionType;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a codec has compressed it decompresses to the same bytes, however they came and whatever was before. */
class RoundTripTest {
  private static final int[] SIZES = {1, 2, 15, 16, 61, 1_000, 16_384, 32_767, 32_768, 32_769, 65_535, 65_536, 65_537,
      200_000};

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  private byte[] bytes(int size, int kind) {
    byte[] bytes = kind == 0 ? new byte[size] : Codecs.json(random, size);
    if (kind == 2) {
      random.nextBytes(bytes);
    }
    return bytes;
  }

  private int[] cuts(int size) {
    return random.ints(random.nextInt(5), 0, size + 1).sorted().toArray();
  }

  @ParameterizedTest
  @MethodSource("dev.decant.compression.Codecs#types")
  void everyLevelSizeAndPiecewiseInputComesBack(CompressionType type) {
    System.out.println("RoundTripTest " + type + " seed " + seed);
    CompressionCodec codec = CompressionCodec.of(type);
    assertThat(codec.type()).isEqualTo(type);
    DecompressedRecords output = new DecompressedRecords(Codecs.BOUND);
    try (Decompressor decompressor = codec.decompressor()) {
      for (int level : Codecs.levels(type)) {
        try (Compressor compressor = codec.compressor(level)) {
          for (int size : SIZES) {
            for (int kind = 0; kind < 3; kind++) {
              byte[] bytes = bytes(size, kind);
              byte[] whole = Codecs.compress(compressor, bytes);
              byte[] pieces = Codecs.compress(compressor, bytes, cuts(size));
              assertThat(Codecs.decompress(decompressor, whole, output)).as("level %d, size %d, kind %d", level, size,
                  kind).isEqualTo(bytes);
              assertThat(Codecs.decompress(decompressor, pieces, output)).as("in pieces, level %d, size %d, kind %d",
                  level, size, kind).isEqualTo(bytes);
            }
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dev.decant.compression.Codecs#types")
  void resultIsNeverLargerThanAnnounced(CompressionType type) {
    for (int level : Codecs.levels(type)) {
      try (Compressor compressor = CompressionCodec.of(type).compressor(level)) {
        for (int size : SIZES) {
          byte[] noise = bytes(size, 2);
          assertThat(Codecs.compress(compressor, noise, cuts(size)).length)
              .as("seed %d, level %d, size %d", seed, level,
                  size)
              .isLessThanOrEqualTo(compressor.mostBytes(size));
        }
      }
    }
  }

  /** A batch whose compression was broken off must leave no trace in the next. */
  @ParameterizedTest
  @MethodSource("dev.decant.compression.Codecs#types")
  void batchThatWasNotFinishedIsForgotten(CompressionType type) {
    try (Compressor compressor = CompressionCodec.of(type).compressor(Codecs.usualLevel(type))) {
      byte[] first = bytes(100_000, 1);
      compressor.begin(Codecs.direct(new byte[compressor.mostBytes(first.length)]), 0, first.length);
      compressor.add(Codecs.direct(first), 0, 50_000);
      byte[] second = bytes(70_000, 1);
      assertThat(Codecs.decompress(type, Codecs.compress(compressor, second, 1_000, 2_000))).isEqualTo(second);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.decant.compression.Codecs#types")
  void textBecomesSmaller(CompressionType type) {
    byte[] text = bytes(16 * 1024, 1);
    assertThat(Codecs.compress(type, text).length).isLessThan(text.length / 2);
  }
}
