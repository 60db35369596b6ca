package dev.decant.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.protocol.Uuid;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;

/** Tests the table by which responses find the topics of a fetch session. */
class SessionTopicsTest {
  @RepeatedTest(5)
  void sessionTopicsAreFoundUntilTheyAreRemoved() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    SessionTopics topics = new SessionTopics();
    Map<Uuid, SessionTopic> expected = new HashMap<>();
    for (int step = 0; step < 20_000; step++) {
      Uuid id = new Uuid(random.nextInt(4), random.nextInt(100)); // few ids, so that they collide
      SessionTopic known = expected.get(id);
      assertThat(topics.find(id.mostSignificantBits(), id.leastSignificantBits())).as("seed %d", seed).isSameAs(known);
      if (known == null) {
        SessionTopic topic = new SessionTopic(id, "any");
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
