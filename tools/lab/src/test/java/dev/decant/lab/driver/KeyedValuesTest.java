package dev.decant.lab.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeyedValuesTest {
  private static final int RECORDS = 10_000;

  private static KeyedValues values(int keys, int hotPercent, long seed) {
    return new KeyedValues(new WorkSpec.Load(100, "random", 1, false, 0, seed, 0, new WorkSpec.Keys(keys, hotPercent),
        WorkSpec.Handlers.NONE));
  }

  private static int[] keys(KeyedValues values) {
    return IntStream.range(0, RECORDS).map(i -> values.nextKey()).toArray();
  }

  @Test
  void aSeedDecidesTheKeysAndAllOfThemComeAsOften() {
    int[] keys = keys(values(10, 0, 1));

    assertThat(keys(values(10, 0, 1))).isEqualTo(keys).isNotEqualTo(keys(values(10, 0, 2)));
    for (int key = 0; key < 10; key++) {
      int each = key;
      assertThat(IntStream.of(keys).filter(k -> k == each).count()).as("key %s of seed 1", key).isBetween(850L, 1150L);
    }
  }

  @Test
  void aHotKeyHasItsShareBesideThatOfAnyKey() {
    int[] keys = keys(values(1000, 20, 1));

    assertThat(IntStream.of(keys).filter(key -> key == 0).count()).as("seed 1").isBetween(1850L, 2150L);
    assertThat(IntStream.of(keys).distinct().count()).isGreaterThan(990);
  }

  @Test
  void aValueSaysWhichRecordItIsAndWhenItWasDue() {
    KeyedValues values = values(10, 0, 1);
    values.nextValue(3, 7);

    byte[] second = values.nextValue(4, 8);

    ByteBuffer read = ByteBuffer.wrap(second);
    assertThat(read.getInt()).isEqualTo(4);
    assertThat(read.getInt()).as("its number").isEqualTo(1);
    assertThat(read.getLong()).isEqualTo(8);
    assertThat(second).hasSize(100);
    assertThat(values.bytesOf(4)).isEqualTo(new byte[] {'k', 'e', 'y', '-', '0', '0', '0', '0', '0', '4'});
  }
}
