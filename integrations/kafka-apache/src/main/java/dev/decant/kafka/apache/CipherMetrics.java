package dev.decant.kafka.apache;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.MetricName;

/**
 * Counts encrypted connections by cipher suite and protocol, under Apache's name {@code connections}. As with Apache's
 * clients, a pair without connections has no metric. Owner of the client's loop only; any thread reads the metrics.
 */
final class CipherMetrics {
  private final MetricSet metrics;
  private final String group;
  private final Map<Cipher, Count> counts = new HashMap<>();

  /** The cipher suite and protocol of a connection. */
  private record Cipher(String suite, String protocol) {}

  /** The metric of one pair, with its count. */
  private record Count(MetricName name, AtomicInteger connections) {}

  CipherMetrics(MetricSet metrics, String group) {
    this.metrics = metrics;
    this.group = group;
  }

  void add(String suite, String protocol) {
    counts.computeIfAbsent(new Cipher(suite, protocol), this::count).connections.incrementAndGet();
  }

  private Count count(Cipher cipher) {
    AtomicInteger connections = new AtomicInteger();
    MetricName name = metrics.count(group, "connections",
        "The number of connections with this SSL cipher and protocol.",
        Map.of("cipher", cipher.suite, "protocol", cipher.protocol), connections::get);
    return new Count(name, connections);
  }

  /** Counts a closed connection. A connection from before the registration of metrics is in no count. */
  void remove(String suite, String protocol) {
    Cipher cipher = new Cipher(suite, protocol);
    Count count = counts.get(cipher);
    if (count != null && count.connections.decrementAndGet() == 0) {
      counts.remove(cipher);
      metrics.remove(count.name);
    }
  }
}
