package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.WrongClusterException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.net.Printable;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cluster to which all brokers of a client must belong: the one that the first broker names. A client compares each
 * connection with it before it sends a request of its own (Kafka's {@code metadata.cluster.check.enable}, KIP-1242).
 *
 * <p>An address may pass to a broker of another cluster with topics and groups of the same names. Without this check,
 * records were acknowledged there.
 *
 * <p>Each client has one. Owner of the loop only.
 */
public final class ClusterIdentity {
  /** A value in the place of a node id: the metadata names no node at an address, or several. */
  static final int NO_NODE = -1;
  private static final String HOW_TO_GO_ON = "; no request was sent there. If the client is to use that cluster from"
      + " now on, close it and open another, or open it with metadata.cluster.check.enable=false; else correct the"
      + " address";

  private final boolean isChecked;
  private @Nullable String clusterId;
  private int moves;
  /** True once a broker of this cluster has offered ApiVersions v5, with which brokers compare the ids themselves. */
  private boolean brokersCompare;
  private Map<BrokerAddress, Integer> nodes = new HashMap<>();
  private Runnable onMismatch = () -> {};

  /**
   * Makes an identity without a cluster.
   *
   * @param isChecked false to follow the addresses to whatever cluster they lead
   */
  public ClusterIdentity(boolean isChecked) {
    this.isChecked = isChecked;
  }

  boolean isChecked() {
    return isChecked;
  }

  /** Sets the listener that runs when a broker names another cluster. The metadata that led there may be stale. */
  void onMismatch(Runnable listener) {
    onMismatch = listener;
  }

  /** Takes the addresses of all nodes from new metadata. */
  void nodes(Map<Integer, BrokerAddress> brokers) {
    Map<BrokerAddress, Integer> found = new HashMap<>();
    brokers.forEach((node, address) -> found.merge(address, node, (one, other) -> NO_NODE));
    nodes = found;
  }

  /** Returns the node that listens at an address, as the metadata says; {@link #NO_NODE} if that is not clear. */
  int nodeAt(BrokerAddress address) {
    return nodes.getOrDefault(address, NO_NODE);
  }

  /** Returns the id of the cluster; null before the first broker has named it. */
  @Nullable
  String clusterId() {
    return clusterId;
  }

  /** Returns the number of times that a client without the check has come to another cluster. */
  int moves() {
    return moves;
  }

  void brokersCompare() {
    brokersCompare = true;
  }

  /** Returns true if the client can have this broker compare the ids of cluster and node (KIP-1242). */
  boolean asksBroker(BrokerAddress address) {
    return isChecked && brokersCompare && clusterId != null && nodeAt(address) != NO_NODE;
  }

  /**
   * Compares the cluster that a broker names. The first one becomes that of the client.
   *
   * @param reported the id of the broker's cluster; null or empty from brokers that name none, which pass
   * @throws WrongClusterException if it is another cluster
   */
  void compare(String broker, @Nullable String reported) {
    if (reported == null || reported.isEmpty()) {
      return;
    }
    String known = clusterId;
    if (reported.equals(known)) {
      return;
    }
    if (known == null || !isChecked) {
      moves += known == null ? 0 : 1;
      clusterId = reported;
    } else {
      onMismatch.run();
      throw new WrongClusterException("broker " + broker + " belongs to cluster " + Printable.of(reported)
          + ", this client to cluster " + Printable.of(known) + HOW_TO_GO_ON, null);
    }
  }

  /**
   * Returns the error for a broker that has compared the ids itself and refuses the connection (REBOOTSTRAP_REQUIRED).
   * Its node id or its cluster differs. The next connection to the address shows which, because it requests the cluster
   * alone.
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
