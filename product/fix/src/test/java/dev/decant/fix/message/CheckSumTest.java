package dev.decant.fix.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CheckSumTest {
  private static int sumByByte(byte[] bytes, int from, int to) {
    int sum = 0;
    for (int i = from; i < to; i++) {
      sum += bytes[i] & 0xFF;
    }
    return sum & 0xFF;
  }

  @Test
  void sumIsThatOfTheBytesForEachLengthAndStart() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    byte[] bytes = new byte[3_100];
    for (int round = 0; round < 3; round++) {
      random.nextBytes(bytes);
      if (round == 1) {
        Arrays.fill(bytes, (byte) 0xFF); // the largest sums
      }
      ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
      ByteBuffer little = direct.duplicate().order(ByteOrder.LITTLE_ENDIAN);
      for (int length = 0; length < 3_000; length++) {
        int from = random.nextInt(100);
        int expected = sumByByte(bytes, from, from + length);
        assertThat(CheckSum.of(direct, from, from + length)).as("seed %d, length %d", seed, length).isEqualTo(expected);
        assertThat(CheckSum.of(little, from, from + length)).isEqualTo(expected);
      }
    }
  }
}
