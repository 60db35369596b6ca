package dev.decant.fake.group;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.Uuid;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The committed offsets of a group. Those of a topic are deleted with it: a later topic of the same name has none.
 * Owner of the loop only.
 */
final class GroupOffsets {
  private final Cluster cluster;
  private final TreeMap<TopicPartition, Entry> committed = new TreeMap<>();

  /**
   * A committed offset.
   *
   * @param value the committed value
   * @param topicId id of the topic at that time
   * @param number number of the commit in the cluster: the later of two commits wins, even if its transaction ends
   *     earlier
   */
  record Entry(CommittedOffset value, Uuid topicId, long number) {}

  GroupOffsets(Cluster cluster) {
    this.cluster = cluster;
  }

  /** Stores offsets, except those that are older than the stored ones. */
  void store(Map<TopicPartition, Entry> offsets) {
    offsets.forEach((partition, entry) -> committed.merge(partition, entry,
        (old, newer) -> newer.number() > old.number() ? newer : old));
  }

  /** Returns the committed offset of a partition, or null. */
  @Nullable
  CommittedOffset of(TopicPartition partition) {
    dropGone();
    Entry entry = committed.get(partition);
    return entry == null ? null : entry.value();
  }

  /** Returns all committed offsets, by topic and partition. */
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

  /** Deletes the committed offset of a partition. */
  void forget(TopicPartition partition) {
    committed.remove(partition);
  }
}
