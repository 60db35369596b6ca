package dev.decant.kafka;

/**
 * A partition of a topic.
 *
 * @param topic the topic
 * @param partition its number, from 0
 */
public record TopicPartition(String topic, int partition) {
  /** Checks the number. */
  public TopicPartition {
    if (partition < 0) {
      throw new IllegalArgumentException("partition " + partition + " of " + topic + " is negative");
    }
  }

  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
