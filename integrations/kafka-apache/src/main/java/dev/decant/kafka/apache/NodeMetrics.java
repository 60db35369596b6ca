package dev.decant.kafka.apache;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Metrics by broker, under the names of Apache's {@code producer-node-metrics} and {@code consumer-node-metrics}. All
 * connections to a broker count together. Owner of the client's loop only.
 */
final class NodeMetrics {
  /** The id of brokers that are known only by a bootstrap address. */
  private static final int BOOTSTRAP = -1;
  /** How long metrics stay of a broker that has left the cluster or is not used. */
  private static final long LASTS_MILLIS = TimeUnit.MINUTES.toMillis(5);

  private final MetricSet metrics;
  private final String group;
  private final Supplier<Map<String, Integer>> ids;
  private final Map<Integer, Node> nodes = new HashMap<>();
  /** Brokers by host and port, without bootstrap addresses. */
  private final Map<String, Node> byBroker = new HashMap<>();

  /** The metrics of one broker. */
  private final class Node {
    final RecordedMetric requests;
    final RecordedMetric responses;
    final RecordedMetric latencies;
    long usedMillis;

    Node(int id) {
      List<Map<String, String>> tags = List.of(Map.of("node-id", "node-" + id));
      requests = metrics.metric(group, "requests", tags)
          .sums("outgoing-byte", "The number of outgoing bytes per second", "The total number of outgoing bytes")
          .counts("request", "The number of requests sent per second", "The total number of requests sent")
          .mean("request-size-avg", "The average size of requests sent.")
          .max("request-size-max", "The maximum size of any request sent.");
      responses = metrics.metric(group, "responses", tags)
          .sums("incoming-byte", "The number of incoming bytes per second", "The total number of incoming bytes")
          .counts("response", "The number of responses received per second", "The total number of responses received");
      latencies = metrics.metric(group, "latencies", tags).mean("request-latency-avg", "")
          .max("request-latency-max", "");
    }

    void remove() {
      requests.remove();
      responses.remove();
      latencies.remove();
    }
  }

  /**
   * Makes metrics without a broker.
   *
   * @param ids the ids of brokers by host and port, from metadata
   */
  NodeMetrics(MetricSet metrics, String group, Supplier<Map<String, Integer>> ids) {
    this.metrics = metrics;
    this.group = group;
    this.ids = ids;
  }

  void request(String broker, int bytes, long now) {
    of(broker, now).requests.record(bytes, now);
  }

  void response(String broker, int bytes, long now) {
    of(broker, now).responses.record(bytes, now);
  }

  /** Records a latency. As with Apache's clients, only Produce and Fetch requests count. */
  void latency(String broker, double millis, long now) {
    of(broker, now).latencies.record(millis, now);
  }

  private Node of(String broker, long now) {
    Node known = byBroker.get(broker);
    Node node = known == null ? added(broker, now) : known;
    node.usedMillis = now;
    return node;
  }

  private Node added(String broker, long now) {
    int id = ids.get().getOrDefault(broker, BOOTSTRAP);
    Node node = nodes.get(id);
    if (node == null) {
      forgetUnused(now);
      node = new Node(id);
      nodes.put(id, node);
    }
    if (id != BOOTSTRAP) {
      byBroker.put(broker, node);
    }
    return node;
  }

  /** Notes new metadata, in which brokers may have other addresses. */
  void metadataChanged() {
    byBroker.clear();
  }

  private void forgetUnused(long now) {
    nodes.values().removeIf(node -> {
      boolean isUnused = now - node.usedMillis > LASTS_MILLIS;
      if (isUnused) {
        node.remove();
        byBroker.values().remove(node);
      }
      return isUnused;
    });
  }
}
