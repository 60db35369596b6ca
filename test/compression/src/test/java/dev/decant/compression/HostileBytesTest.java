package dev.decant.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.DecompressedRecords;
import dev.decant.kafka.compression.Decompressor;
import dev.decant.kafka.record.CompressionType;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes that no codec wrote: each decompressor ends with records or with {@link MalformedBytesException}, within its
 * bound of memory.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HostileBytesTest {
  private static final int BOMB_BYTES = 4 * Codecs.BOUND;
  private static final int ROUNDS = 3_000;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final DecompressedRecords output = new DecompressedRecords(Codecs.BOUND);

  private void decompress(Decompressor decompressor, byte[] bytes) {
    try {
      Codecs.decompress(decompressor, bytes, output);
    } catch (MalformedBytesException e) {
      assertThat(e.getMessage()).as("seed %d", seed).isNotBlank();
    }
    assertThat(output.buffer().capacity()).as("seed %d", seed).isLessThanOrEqualTo(Codecs.BOUND);
  }

  @ParameterizedTest
  @MethodSource("dev.decant.compression.Codecs#types")
  void cutBytesAreAnErrorOrFewerRecords(CompressionType type) {
    byte[] text = Codecs.json(random, 70_000);
    byte[] whole = Codecs.compress(type, text);
    try (Decompressor decompressor = CompressionCodec.of(type).decompressor()) {
      for (int cut = 0; cut < whole.length; cut += 1 + random.nextInt(20)) {
        byte[] bytes = Arrays.copyOf(whole, cut);
        if (type != CompressionType.SNAPPY) {
          assertThatThrownBy(() -> Codecs.decompress(decompressor, bytes, output)).as("seed %d, cut at %d", seed, cut)
              .isInstanceOf(MalformedBytesException.class);
          continue;
        }
        try { // its streams have no end: what is cut between two blocks is whole
          byte[] read = Codecs.decompress(decompressor, bytes, output);
          assertThat(read).as("seed %d, cut at %d", seed, cut).isEqualTo(Arrays.copyOf(text, read.length));
        } catch (MalformedBytesException e) {
          assertThat(e.getMessage()).isNotBlank();
        }
      }
      assertThat(Codecs.decompress(decompressor, whole, output)).isEqualTo(text);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.decant.compression.Codecs#types")
  void randomAndDamagedBytesAreAnErrorOrRecords(CompressionType type) {
    System.out.println("HostileBytesTest " + type + " seed " + seed);
    byte[] text = Codecs.json(random, 70_000);
    byte[] whole = Codecs.compress(type, text);
    try (Decompressor decompressor = CompressionCodec.of(type).decompressor()) {
      for (int round = 0; round < ROUNDS; round++) {
        byte[] noise = new byte[random.nextInt(300)];
        random.nextBytes(noise);
        decompress(decompressor, noise);
        System.arraycopy(whole, 0, noise, 0, Math.min(noise.length, 1 + random.nextInt(20)));
        decompress(decompressor, noise);
        byte[] damaged = whole.clone();
        for (int flips = random.nextInt(4); flips >= 0; flips--) {
          damaged[random.nextInt(random.nextBoolean() ? 32 : damaged.length)] ^= (byte) (1 << random.nextInt(8));
        }
        decompress(decompressor, damaged);
      }
      assertThat(Codecs.decompress(decompressor, whole, output)).as("after all that, seed %d", seed).isEqualTo(text);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.decant.compression.Codecs#types")
  void bombEndsAtTheBound(CompressionType type) {
    byte[] bomb = Codecs.compress(type, new byte[BOMB_BYTES]);
    assertThat(bomb.length).isLessThan(BOMB_BYTES / 20);
    try (Decompressor decompressor = CompressionCodec.of(type).decompressor()) {
      assertThatThrownBy(() -> Codecs.decompress(decompressor, bomb, output))
          .isInstanceOf(MalformedBytesException.class).hasMessageContaining("more than " + Codecs.BOUND + " bytes");
      assertThat(output.buffer().capacity()).isLessThanOrEqualTo(Codecs.BOUND);
      byte[] text = Codecs.json(random, 10_000);
      assertThat(Codecs.decompress(decompressor, Codecs.compress(type, text), output)).isEqualTo(text);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.decant.compression.Codecs#types")
  void recordsThatFillTheBoundAreNoBomb(CompressionType type) {
    byte[] most = Codecs.json(random, Codecs.BOUND - 100);
    byte[] compressed = Codecs.compress(type, most);
    DecompressedRecords exact = new DecompressedRecords(most.length);
    DecompressedRecords less = new DecompressedRecords(most.length - 1);
    try (Decompressor decompressor = CompressionCodec.of(type).decompressor()) {
      assertThat(Codecs.decompress(decompressor, compressed, exact)).isEqualTo(most);
      assertThatThrownBy(() -> Codecs.decompress(decompressor, compressed, less))
          .isInstanceOf(MalformedBytesException.class)
          .hasMessageContaining("more than " + (most.length - 1) + " bytes");
    }
  }
}
