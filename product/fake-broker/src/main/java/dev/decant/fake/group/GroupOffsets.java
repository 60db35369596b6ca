package dev.decant.fake.group;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.Uuid;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The offsets that a group has committed. Those of a topic go with it: a topic of the same name that is made later has
 * none. Owner of the loop only.
 */
final class GroupOffsets {
  private final Cluster cluster;
  private final TreeMap<TopicPartition, Entry> committed = new TreeMap<>();

  /**
   * A committed offset.
   *
   * @param value what was committed
   * @param topicId the topic at that time
   * @param number counts the commits of the cluster: of two the later one holds, even if its transaction ends earlier
   */
  record Entry(CommittedOffset value, Uuid topicId, long number) {}

  GroupOffsets(Cluster cluster) {
    this.cluster = cluster;
  }

  /** Stores offsets, but for those that are older than what is stored. */
  void store(Map<TopicPartition, Entry> offsets) {
    offsets.forEach((partition, entry) -> committed.merge(partition, entry,
        (old, newer) -> newer.number() > old.number() ? newer : old));
  }

  /** What is committed for a partition, or null. */
  @Nullable
  CommittedOffset of(TopicPartition partition) {
    dropGone();
    Entry entry = committed.get(partition);
    return entry == null ? null : entry.value();
  }

  /** All that is committed, by topic and partition. */
  Map<TopicPartition, Entry> all() {
    dropGone();
    return committed;
  }

  private void dropGone() {
    committed.entrySet().removeIf(e -> {
      Topic topic = cluster.topics().named(e.getKey().topic());
      return topic == null || !topic.id().equals(e.getValue().topicId());
    });
  }

  /** Forgets what is committed for a partition. */
  void forget(TopicPartition partition) {
    committed.remove(partition);
  }
}
