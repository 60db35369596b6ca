package dev.decant.fix.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The tables that validation reads: of tags and of values. */
class TablesTest {
  private static boolean contains(ValueSet set, String value) {
    byte[] bytes = ("=" + value + "\u0001").getBytes(StandardCharsets.ISO_8859_1);
    return set.contains(ByteBuffer.wrap(bytes), 1, bytes.length - 1);
  }

  @Test
  void tagTablesFindWhatTheyHave() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int size : new int[] {0, 1, 2, 3, 4, 7, 8, 9, 100, 1_000}) {
      int[] tags = random.ints(1, Integer.MAX_VALUE).distinct().limit(size).toArray();
      TagTable table = TagTable.ofIndexes(tags);
      for (int i = 0; i < size; i++) {
        assertThat(table.get(tags[i])).as("seed %d", seed).isEqualTo(i);
      }
      Set<Integer> all = new HashSet<>();
      for (int tag : tags) {
        all.add(tag);
      }
      for (int i = 0; i < 1_000; i++) {
        int tag = random.nextInt();
        assertThat(table.contains(tag)).as("seed %d", seed).isEqualTo(all.contains(tag));
      }
      assertThat(table.get(0)).isNegative();
      assertThat(table.get(Integer.MIN_VALUE)).isNegative();
    }
  }

  @Test
  void tagSetsFindWhatIsRepeatedInOneMessage() {
    TagSet set = new TagSet();
    for (int message = 0; message < 3; message++) {
      set.clear();
      for (int tag = -500; tag < 500; tag++) {
        assertThat(set.add(tag * 64)).isTrue();
      }
      for (int tag = -500; tag < 500; tag++) {
        assertThat(set.add(tag * 64)).isFalse();
      }
    }
  }

  @Test
  void valueSetsFindShortAndLongValues() {
    ValueSet set = new ValueSet(List.of("0", "9", "A", "z", "\u00e9", "AB", "ABC", "a longer value", "10"), false);
    assertThat(List.of("0", "9", "A", "z", "\u00e9", "AB", "ABC", "a longer value", "10"))
        .allMatch(value -> contains(set, value));
    assertThat(List.of("1", "a", "Z", "\u00e8", "BA", "ABCD", "a longer", "A B", "@", "p", "0 9"))
        .noneMatch(value -> contains(set, value));
    assertThat(contains(set, "")).isFalse();
  }

  @Test
  void valueSetsOfMultipleValuesLookAtEach() {
    ValueSet set = new ValueSet(List.of("A", "B", "WT"), true);
    assertThat(List.of("A", "A B", "WT A", "B WT A")).allMatch(value -> contains(set, value));
    assertThat(List.of("C", "A C", "C A", "WTA", "A  B", "A ", " A")).noneMatch(value -> contains(set, value));
  }

  @Test
  void emptyValueSetsHaveNothing() {
    assertThat(contains(new ValueSet(List.of(), false), "A")).isFalse();
    assertThat(contains(new ValueSet(List.of(), false), "AB")).isFalse();
  }
}
