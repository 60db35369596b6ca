package dev.decant.kafka.apache;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.PartitionInfo;
import org.jspecify.annotations.Nullable;

/** Sends to the last partition, and records its arguments. Settings name it. */
public final class ClusterPartitioner implements Partitioner {
  static final List<String> CALLS = new CopyOnWriteArrayList<>();

  /** Made by its name. */
  public ClusterPartitioner() {}

  @Override
  public void configure(Map<String, ?> configs) {}

  @Override
  public int partition(String topic, @Nullable Object key, byte @Nullable [] keyBytes, @Nullable Object value,
      byte @Nullable [] valueBytes, Cluster cluster) {
    PartitionInfo last = cluster.partitionsForTopic(topic).getLast();
    CALLS.add(topic + " " + key + " " + Arrays.toString(keyBytes) + " " + value + " leader " + last.leader().id()
        + " replicas " + last.replicas().length + " in sync " + last.inSyncReplicas().length + " available "
        + cluster.availablePartitionsForTopic(topic).size());
    return "negative".equals(value) ? -1 : last.partition();
  }

  @Override
  public void close() {
    CALLS.add("closed");
  }
}
