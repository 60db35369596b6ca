package dev.decant.kafka.producer;

import dev.decant.kafka.cluster.BrokerAddress;
import dev.decant.kafka.cluster.PartitionMetadata;
import dev.decant.kafka.protocol.ProtocolReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The leaders that a Produce response names beside the errors of a broker that does not lead its partitions (KIP-951):
 * a tagged field of each such partition, and another one of the whole response with the addresses. Owner of the loop
 * only.
 */
final class LeaderHints {
  private static final int CURRENT_LEADER = 0;
  private static final int NODE_ENDPOINTS = 0;
  private static final int SMALLEST_ENDPOINT_BYTES = 11;

  private record Hint(ProduceTopic topic, int partition, PartitionMetadata leader) {}

  private final Sender sender;
  private final List<Hint> hints = new ArrayList<>();

  LeaderHints(Sender sender) {
    this.sender = sender;
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
    for (int i = 0; i < hints.size(); i++) {
      Hint hint = hints.get(i);
      sender.onLeaderMoved(hint.topic(), hint.partition(), hint.leader());
    }
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
      sender.onBrokerFound(node, new BrokerAddress(host, port));
    }
  }
}
