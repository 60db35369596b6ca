package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The table of pending keys counts as a map does, in little memory. */
class PendingKeysTest {
  @Test
  void countsAsAMapDoes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    PendingKeys keys = new PendingKeys();
    Map<Long, Integer> expected = new HashMap<>();
    for (int i = 0; i < 100_000; i++) {
      // The number of keys varies, so that the table grows and shrinks. Zero is a key like any other.
      long key = random.nextInt(1 + (i / 10_000 % 2 == 0 ? 5_000 : 20));
      if (random.nextInt(100) < (i / 20_000 % 2 == 0 ? 60 : 30)) {
        keys.add(key);
        expected.merge(key, 1, Integer::sum);
      } else {
        keys.remove(key);
        expected.computeIfPresent(key, (k, count) -> count == 1 ? null : count - 1);
      }
      assertThat(keys.contains(key)).as("seed %s step %s", seed, i).isEqualTo(expected.containsKey(key));
    }
    for (long key = 0; key < 5_001; key++) {
      assertThat(keys.contains(key)).as("seed %s key %s", seed, key).isEqualTo(expected.containsKey(key));
    }
    assertThat(keys.keys()).isEqualTo(expected.size());
    assertThat(keys.records()).isEqualTo(expected.values().stream().mapToLong(Integer::longValue).sum());
    expected.forEach((key, count) -> {
      for (int i = 0; i < count; i++) {
        keys.remove(key);
      }
    });
    assertThat(keys.records()).isZero();
    assertThat(keys.bytes()).as("it is small again").isLessThanOrEqualTo(2 * 64 * 12);
  }

  @Test
  void aMillionKeysTakeLessThanThirtyBytesEach() {
    PendingKeys keys = new PendingKeys();
    for (long key = 0; key < 1_000_000; key++) {
      keys.add(key << 40 ^ key); // keys with equal low and high bits
    }
    assertThat(keys.keys()).isEqualTo(1_000_000);
    assertThat(keys.bytes()).isEqualTo(2_097_152 * 12L);
  }
}
