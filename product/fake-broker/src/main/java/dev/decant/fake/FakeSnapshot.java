package dev.decant.fake;

import dev.decant.fake.cluster.ClusterSnapshot;
import dev.decant.fake.group.CommittedOffset;
import dev.decant.fake.group.TopicPartition;
import java.util.Map;

/**
 * Topics, records and committed offsets of a fake cluster at one moment; see {@link FakeCluster#snapshot()}. Immutable.
 */
public final class FakeSnapshot {
  private final FakeCluster taken;
  private final ClusterSnapshot topics;
  private final Map<String, Map<TopicPartition, CommittedOffset>> offsets;

  FakeSnapshot(FakeCluster taken, ClusterSnapshot topics, Map<String, Map<TopicPartition, CommittedOffset>> offsets) {
    this.taken = taken;
    this.topics = topics;
    this.offsets = offsets;
  }

  /** Returns the cluster of which the snapshot was taken. */
  FakeCluster taken() {
    return taken;
  }

  ClusterSnapshot topics() {
    return topics;
  }

  Map<String, Map<TopicPartition, CommittedOffset>> offsets() {
    return offsets;
  }
}
