package dev.decant.fake.group;

/** A partition by the name of its topic, for committed offsets. */
public record TopicPartition(String topic, int partition) implements Comparable<TopicPartition> {
  @Override
  public int compareTo(TopicPartition other) {
    int byTopic = topic.compareTo(other.topic);
    return byTopic == 0 ? Integer.compare(partition, other.partition) : byTopic;
  }

  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
