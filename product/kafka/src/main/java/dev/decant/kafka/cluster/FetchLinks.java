package dev.decant.kafka.cluster;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one consumer for requests that wait at the broker. A broker responds to the requests of a
 * connection in order, so a fetch that waits for records holds up every request behind it. Consumers of a client once
 * shared these connections, and each waited for the fetches of the others.
 *
 * <p>Owner of the loop only.
 */
public final class FetchLinks {
  private final Cluster cluster;
  private final Function<BrokerAddress, BrokerLink> newLink;
  private final Map<BrokerAddress, BrokerLink> links = new HashMap<>();

  FetchLinks(Cluster cluster, Function<BrokerAddress, BrokerLink> newLink) {
    this.cluster = cluster;
    this.newLink = newLink;
  }

  /** Returns the link to a node; null if the node is not known. */
  public @Nullable BrokerLink to(int nodeId) {
    BrokerAddress address = cluster.snapshot().brokers().get(nodeId);
    return address == null ? null : links.computeIfAbsent(address, newLink);
  }

  /** Returns all links, by the address of their broker. */
  Map<BrokerAddress, BrokerLink> byAddress() {
    return links;
  }

  /** Ends each link with its last response. The consumer that used them is closed. */
  public void close() {
    cluster.forget(this);
    links.values().forEach(link -> link.leave("the consumer was closed"));
    links.clear();
  }
}
