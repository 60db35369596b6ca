package dev.decant.kafka.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.protocol.Uuid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** The two tables for many partitions and topics, beside maps of the JDK's. */
class PartitionIndexTest {
  private static final List<String> TOPICS = List.of("a", "b", "Aa", "BB"); // the last two have one hash code

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

  @RepeatedTest(5)
  void sessionTopicsAreFoundUntilTheyAreRemoved() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    SessionTopics topics = new SessionTopics();
    Map<Uuid, SessionTopic> expected = new HashMap<>();
    for (int step = 0; step < 20_000; step++) {
      Uuid id = new Uuid(random.nextInt(4), random.nextInt(100)); // few, so that they are in each other's way
      SessionTopic known = expected.get(id);
      assertThat(topics.find(id.mostSignificantBits(), id.leastSignificantBits())).as("seed %d", seed).isSameAs(known);
      if (known == null) {
        SessionTopic topic = new SessionTopic(id);
        topics.add(topic);
        expected.put(id, topic);
      } else if (random.nextInt(3) > 0) {
        topics.remove(known);
        expected.remove(id);
      }
    }
    topics.clear();
    assertThat(expected.keySet())
        .allMatch(id -> topics.find(id.mostSignificantBits(), id.leastSignificantBits()) == null);
  }
}
