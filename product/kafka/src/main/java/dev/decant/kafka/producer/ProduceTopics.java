package dev.decant.kafka.producer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The topics to which the producers of a client write. Any thread. */
final class ProduceTopics {
  private final Map<String, ProduceTopic> topics = new ConcurrentHashMap<>();

  /** The topic of a producer that is being opened. */
  ProduceTopic open(String name) {
    return count(name, 1);
  }

  /** Forgets the topic with the last of its producers. */
  void close(ProduceTopic topic) {
    count(topic.name, -1);
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time is within compute
  private ProduceTopic count(String name, int change) {
    ProduceTopic[] found = new ProduceTopic[1];
    topics.compute(name, (same, known) -> {
      ProduceTopic topic = known == null ? new ProduceTopic(name) : known;
      found[0] = topic;
      topic.producers += change;
      return topic.producers == 0 ? null : topic;
    });
    return found[0];
  }
}
