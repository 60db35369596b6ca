package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.WrongClusterException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.net.Printable;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cluster that the brokers of a client have to belong to: the one that the first broker names. An address may pass
 * to a broker of another cluster, which has topics and groups of the same names, and would acknowledge their records.
 * So each connection is compared with this before the client sends a request of its own there (Kafka's {@code
 * metadata.cluster.check.enable}, KIP-1242).
 *
 * <p>One for a client. Owner of the loop only.
 */
public final class ClusterIdentity {
  /** In place of a node id: the metadata names no node at an address, or several. */
  static final int NO_NODE = -1;
  private static final String HOW_TO_GO_ON = "; no request was sent there. If the client is to use that cluster from"
      + " now on, close it and open another, or open it with metadata.cluster.check.enable=false; else correct the"
      + " address";

  private final boolean isChecked;
  private @Nullable String clusterId;
  private int moves;
  /** A broker of this cluster compares the ids itself (ApiVersions v5), so others are expected to do so too. */
  private boolean brokersCompare;
  private Map<BrokerAddress, Integer> nodes = new HashMap<>();
  private Runnable onMismatch = () -> {};

  /**
   * Knows no cluster yet.
   *
   * @param isChecked false to follow the addresses to whatever cluster they lead
   */
  public ClusterIdentity(boolean isChecked) {
    this.isChecked = isChecked;
  }

  boolean isChecked() {
    return isChecked;
  }

  /** What runs when a broker of another cluster was met: the metadata that names it may be stale. */
  void onMismatch(Runnable listener) {
    onMismatch = listener;
  }

  /** Takes over which node listens where. */
  void nodes(Map<Integer, BrokerAddress> brokers) {
    Map<BrokerAddress, Integer> found = new HashMap<>();
    brokers.forEach((node, address) -> found.merge(address, node, (one, other) -> NO_NODE));
    nodes = found;
  }

  /** The node that listens at an address, as the metadata says. */
  int nodeAt(BrokerAddress address) {
    return nodes.getOrDefault(address, NO_NODE);
  }

  /** Null before the first broker has named it. */
  @Nullable
  String clusterId() {
    return clusterId;
  }

  /** How often a client that does not check has come to another cluster. */
  int moves() {
    return moves;
  }

  void brokersCompare() {
    brokersCompare = true;
  }

  /** Tells whether a broker can be asked to compare the ids of cluster and node itself. */
  boolean asksBroker(BrokerAddress address) {
    return isChecked && brokersCompare && clusterId != null && nodeAt(address) != NO_NODE;
  }

  /**
   * Compares the cluster that a broker names. The first one is that of the client from then on.
   *
   * @param broker its name
   * @param told the id of its cluster; null or empty from brokers that tell none, which are believed
   * @throws WrongClusterException if it is another one
   */
  void compare(String broker, @Nullable String told) {
    if (told == null || told.isEmpty()) {
      return;
    }
    String known = clusterId;
    if (told.equals(known)) {
      return;
    }
    if (known == null || !isChecked) {
      moves += known == null ? 0 : 1;
      clusterId = told;
    } else {
      onMismatch.run();
      throw new WrongClusterException("broker " + broker + " belongs to cluster " + Printable.of(told)
          + ", this client to cluster " + Printable.of(known) + HOW_TO_GO_ON, null);
    }
  }

  /**
   * A broker has compared the ids itself, and refuses the connection: it has another node id, or another cluster. The
   * next connection to its address tells which, since it asks for the cluster alone.
   *
   * @return names both sides
   */
  KafkaException refused(BrokerAddress address) {
    int node = nodeAt(address);
    nodes.remove(address);
    onMismatch.run();
    return new KafkaException(ErrorCode.NETWORK_EXCEPTION, "broker " + address + " says that it is not node " + node
        + " of cluster " + Printable.of(String.valueOf(clusterId)) + " (REBOOTSTRAP_REQUIRED): the metadata that named"
        + " it is stale, or its address was taken over; it is asked for its cluster next");
  }
}
