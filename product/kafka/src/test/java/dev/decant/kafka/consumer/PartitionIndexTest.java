package dev.decant.kafka.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.TopicPartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Compares the table of partitions with a map of the JDK. */
class PartitionIndexTest {
  private static final List<String> TOPICS = List.of("a", "b", "Aa", "BB"); // the last two have the same hash code

  @Test
  void emptyIndexFindsNothing() {
    assertThat(PartitionIndex.EMPTY.find("a", 0)).isNull();
    assertThat(PartitionIndex.EMPTY.all()).isEmpty();
  }

  @RepeatedTest(5)
  void indexFindsWhatItWasMadeOf() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<AssignedPartition> all = new ArrayList<>();
    Map<TopicPartition, AssignedPartition> expected = new HashMap<>();
    for (int n = random.nextInt(3000); n > 0; n--) {
      AssignedPartition p = new AssignedPartition(TOPICS.get(random.nextInt(TOPICS.size())), random.nextInt(2000));
      all.add(p);
      expected.putIfAbsent(p.name(), p);
    }
    PartitionIndex index = new PartitionIndex(all);
    assertThat(index.all()).as("seed %d", seed).isEqualTo(all);
    for (String topic : TOPICS) {
      for (int number = 0; number < 2000; number++) {
        assertThat(index.find(topic, number)).as("seed %d", seed)
            .isSameAs(expected.get(new TopicPartition(topic, number)));
      }
    }
    for (AssignedPartition p : expected.values()) {
      assertThat(index.contains(p)).isTrue();
      assertThat(index.contains(new AssignedPartition(p.topic, p.partition))).as("another of its name").isFalse();
    }
  }
}
