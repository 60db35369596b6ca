package dev.decant.kafka.apache;

import dev.decant.kafka.cluster.BrokerAddress;
import dev.decant.kafka.cluster.ClusterSnapshot;
import dev.decant.kafka.cluster.PartitionMetadata;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;

/** The metadata as Apache's {@link Cluster}, made again only after a change. Any thread. */
final class ClusterViews {
  private record View(ClusterSnapshot snapshot, Cluster cluster) {}

  private volatile View last = new View(new ClusterSnapshot(-1, null, -1, Map.of(), Map.of(), Map.of()),
      Cluster.empty());

  @SuppressWarnings("ReferenceEquality") // of the very snapshot
  Cluster of(ClusterSnapshot snapshot) {
    View view = last;
    if (view.snapshot != snapshot) {
      view = new View(snapshot, made(snapshot));
      last = view;
    }
    return view.cluster;
  }

  private static Cluster made(ClusterSnapshot snapshot) {
    Map<Integer, Node> nodes = new HashMap<>();
    for (Map.Entry<Integer, BrokerAddress> broker : snapshot.brokers().entrySet()) {
      int id = broker.getKey();
      nodes.put(id, new Node(id, broker.getValue().host(), broker.getValue().port(), snapshot.racks().get(id)));
    }
    List<PartitionInfo> partitions = new ArrayList<>();
    for (TopicMetadata topic : snapshot.topics().values()) {
      if (topic.error() == ErrorCode.NONE) {
        for (int p = 0; p < topic.partitions().size(); p++) {
          partitions.add(info(topic.name(), p, topic.partitions().get(p), nodes));
        }
      }
    }
    return new Cluster(snapshot.clusterId(), nodes.values(), partitions, Set.of(), Set.of(), Set.of(),
        nodes.get(snapshot.controllerId()));
  }

  private static PartitionInfo info(String topic, int partition, PartitionMetadata known, Map<Integer, Node> nodes) {
    return new PartitionInfo(topic, partition, nodes.get(known.leaderId()), nodes(known.replicas().all(), nodes),
        nodes(known.replicas().inSync(), nodes), nodes(known.replicas().offline(), nodes));
  }

  /** Returns the nodes of replicas. As with Apache's clients, the node of a broker that is down has no address. */
  private static Node[] nodes(int[] ids, Map<Integer, Node> known) {
    Node[] found = new Node[ids.length];
    for (int i = 0; i < ids.length; i++) {
      Node node = known.get(ids[i]);
      found[i] = node == null ? new Node(ids[i], "", -1) : node;
    }
    return found;
  }
}
