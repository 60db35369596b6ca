package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

class Murmur2Test {
  @Test
  void hashesAndPartitionsAreThoseOfApachesPartitioner() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      byte[] key = new byte[random.nextInt(40)];
      random.nextBytes(key);
      int apache = Utils.murmur2(key);
      assertThat(Murmur2.hash(key, key.length)).as("seed %d", seed).isEqualTo(apache);
      assertThat(Murmur2.partition(key, key.length, 7)).as("seed %d", seed).isEqualTo(Utils.toPositive(apache) % 7);
    }
  }
}
