package dev.decant.fake.cluster;

import dev.decant.fake.log.PartitionLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The topics of a cluster with their records, and the settings of its brokers, at one moment. */
public final class ClusterSnapshot {
  private final Map<String, String> settings;
  private final List<SavedTopic> topics = new ArrayList<>();

  private record SavedPartition(List<Integer> replicas, int leaderEpoch, @Nullable PartitionLog log) {}

  private record SavedTopic(String name, Map<String, String> overrides, List<SavedPartition> partitions) {}

  /**
   * Takes a snapshot.
   *
   * @throws IllegalStateException if a transaction is open
   */
  public ClusterSnapshot(Cluster cluster) {
    settings = cluster.settings().dynamicOverrides();
    for (Topic topic : cluster.topics().all()) {
      if (!topic.isInternal()) {
        topics.add(new SavedTopic(topic.name(), topic.settings().overrides(),
            topic.partitions().stream().map(p -> saved(cluster, p)).toList()));
      }
    }
  }

  private static SavedPartition saved(Cluster cluster, Partition partition) {
    PartitionLog log = partition.usedLog();
    if (log != null && log.hasOpenTransaction()) {
      throw new IllegalStateException("a transaction is open in " + partition + "; commit or abort it first");
    }
    return new SavedPartition(partition.replicas(), partition.leaderEpoch(),
        log == null ? null : cluster.topics().copy(log));
  }

  /** Creates the topics, with other ids, in a cluster without topics. The snapshot may be restored again. */
  public void restore(Cluster cluster) {
    settings.forEach(cluster.settings()::setDynamic);
    for (SavedTopic saved : topics) {
      List<List<Integer>> replicas = saved.partitions().stream().map(SavedPartition::replicas).toList();
      Topic topic = cluster.createTopic(saved.name(), replicas, saved.overrides());
      for (int i = 0; i < saved.partitions().size(); i++) {
        SavedPartition partition = saved.partitions().get(i);
        PartitionLog log = partition.log();
        if (log != null) {
          topic.partitions().get(i).adopt(cluster.topics().copy(log), partition.leaderEpoch());
        }
      }
    }
  }
}
