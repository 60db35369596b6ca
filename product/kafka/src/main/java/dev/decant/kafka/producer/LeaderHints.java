package dev.decant.kafka.producer;

import dev.decant.kafka.cluster.BrokerAddress;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.PartitionMetadata;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.loop.EventLoop;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The leaders that a Produce response names beside its errors (KIP-951). A broker that does not lead a partition adds a
 * tagged field to the partition, and another one with the addresses to the whole response. Owner of the loop only.
 */
final class LeaderHints {
  private static final int CURRENT_LEADER = 0;
  private static final int NODE_ENDPOINTS = 0;
  private static final int SMALLEST_ENDPOINT_BYTES = 11;

  private record Hint(ProduceTopic topic, int partition, PartitionMetadata leader) {}

  private final Cluster cluster;
  private final QueueSchedule schedule;
  private final EventLoop loop;
  private final List<Hint> hints = new ArrayList<>();

  LeaderHints(Cluster cluster, QueueSchedule schedule, EventLoop loop) {
    this.cluster = cluster;
    this.schedule = schedule;
    this.loop = loop;
  }

  boolean isEmpty() {
    return hints.isEmpty();
  }

  void clear() {
    hints.clear();
  }

  /** Reads the tagged fields of a partition. */
  void readLeader(ProtocolReader in, @Nullable ProduceTopic topic, int partition) {
    int fields = in.readUnsignedVarint();
    for (int i = 0; i < fields; i++) {
      int tag = in.readUnsignedVarint();
      int size = in.readUnsignedVarint();
      int start = in.position();
      if (tag == CURRENT_LEADER) {
        int node = in.readInt();
        int epoch = in.readInt();
        if (node >= 0 && topic != null) {
          hints.add(new Hint(topic, partition, new PartitionMetadata(node, epoch)));
        }
      }
      in.skip(size - (in.position() - start));
    }
  }

  /** Reads the tagged fields of the response, and applies them. */
  void readEndpoints(ProtocolReader in) {
    int fields = in.readUnsignedVarint();
    for (int i = 0; i < fields; i++) {
      int tag = in.readUnsignedVarint();
      int size = in.readUnsignedVarint();
      int start = in.position();
      if (tag == NODE_ENDPOINTS) {
        readNodes(in);
      }
      in.skip(size - (in.position() - start));
    }
    hints.forEach(this::apply);
    hints.clear();
  }

  private void readNodes(ProtocolReader in) {
    int nodes = in.readCompactArrayLength(SMALLEST_ENDPOINT_BYTES);
    for (int n = 0; n < nodes; n++) {
      int node = in.readInt();
      String host = in.readCompactString();
      int port = in.readInt();
      in.readCompactNullableString(); // rack
      in.skipTaggedFields();
      cluster.brokerAt(node, new BrokerAddress(host, port));
    }
  }

  /** Ends the back-off of a partition whose leader is known now: it would hold up the batch for nothing. */
  private void apply(Hint hint) {
    if (cluster.leaderMoved(hint.topic().name, hint.partition(), hint.leader())) {
      for (int i = 0; i < schedule.active().size(); i++) {
        PartitionSendState sends = schedule.active().get(i);
        if (sends.producer.topic == hint.topic() && sends.partition == hint.partition()) {
          sends.clearBackoff(loop.nowNanos());
        }
      }
    }
  }
}
