package dev.decant.kafka;

import java.util.Objects;

/**
 * A partition of a topic.
 *
 * @param topic the topic
 * @param partition its number, from 0
 */
public record TopicPartition(String topic, int partition) {
  /** Checks that there is a topic, and that the number is not negative. */
  public TopicPartition {
    Objects.requireNonNull(topic, "topic");
    if (partition < 0) {
      throw new IllegalArgumentException("partition " + partition + " of " + topic + " is negative");
    }
  }

  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
