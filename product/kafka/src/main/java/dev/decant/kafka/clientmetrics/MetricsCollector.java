package dev.decant.kafka.clientmetrics;

import dev.decant.kafka.Statistic;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.telemetry.Counters;
import dev.decant.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes a snapshot of the client's counters as the metrics that a broker asks for. Deltas and rates begin at the last
 * push that a broker has taken, or may have taken. Owner of the loop only.
 */
@SuppressWarnings("EnumOrdinal") // index into arrays of this process
final class MetricsCollector {
  private static final double NANOS_PER_SECOND = 1e9;

  private final Clock clock;
  private final Cluster cluster;
  private final Counters counters;
  private final PushSources sources;
  private final LatencyRecorder latencies;

  /** Snapshot of the last push that a broker may have taken. */
  private Snapshot before;
  /** Snapshot of the push in preparation, or of the last one. */
  private Snapshot now;
  private final long startMillis;

  // State of the push in preparation.
  private MetricsDataWriter out = new MetricsDataWriter(0);
  private Set<PushedMetric> wanted = Set.of();
  private boolean delta;

  /** All counters at one moment. */
  private static final class Snapshot {
    final long nanos;
    final long epochMillis;
    private final long[] values = new long[Statistic.values().length];

    /** Creates a snapshot whose counters are 0. */
    Snapshot(Clock clock) {
      nanos = clock.nanoTime();
      epochMillis = clock.epochMillis();
    }

    Snapshot(Clock clock, Counters counters) {
      this(clock);
      for (Statistic statistic : Statistic.values()) {
        values[statistic.ordinal()] = counters.get(statistic);
      }
    }

    long value(Statistic statistic) {
      return values[statistic.ordinal()];
    }
  }

  MetricsCollector(Clock clock, Cluster cluster, Counters counters, PushSources sources, LatencyRecorder latencies) {
    this.clock = clock;
    this.cluster = cluster;
    this.counters = counters;
    this.sources = sources;
    this.latencies = latencies;
    this.before = new Snapshot(clock);
    this.now = before;
    this.startMillis = before.epochMillis;
  }

  /** Writes the requested metrics; none if there are neither producers nor consumers. */
  MetricsDataWriter collect(Set<PushedMetric> metrics, boolean deltas) {
    now = new Snapshot(clock, counters);
    out = new MetricsDataWriter(now.epochMillis);
    wanted = metrics;
    delta = deltas;
    List<PushSource> producers = sources.of(true);
    List<PushSource> consumers = sources.of(false);
    Map<String, Integer> nodes = nodes();
    if (!producers.isEmpty()) {
      out.beginResource(PushSources.shared(producers));
      producers(nodes);
      out.endResource();
    }
    if (!consumers.isEmpty()) {
      out.beginResource(PushSources.shared(consumers));
      consumers(nodes);
      lag(consumers);
      out.endResource();
      groups(consumers);
    }
    return out;
  }

  /** Empties the latency windows, since the collected metrics are being sent. */
  void sent() {
    latencies.reset();
  }

  /** Begins the next delta at the collected metrics, since the broker has taken them, or may have. */
  void markTaken() {
    before = now;
  }

  private Map<String, Integer> nodes() {
    Map<String, Integer> nodes = new LinkedHashMap<>();
    cluster.snapshot().brokers().forEach((id, address) -> nodes.put(address.toString(), id));
    return nodes;
  }

  private void producers(Map<String, Integer> nodes) {
    sum(PushedMetric.PRODUCER_CONNECTION_CREATION_TOTAL, PushedMetric.PRODUCER_CONNECTION_CREATION_RATE,
        Statistic.CONNECTIONS_READY);
    gauge(PushedMetric.PRODUCER_CONNECTION_COUNT, cluster.readyConnections());
    nodes(PushedMetric.PRODUCER_NODE_REQUEST_LATENCY_AVG, PushedMetric.PRODUCER_NODE_REQUEST_LATENCY_MAX,
        latencies.producerNodes, nodes);
    window(PushedMetric.PRODUCER_THROTTLE_TIME_AVG, PushedMetric.PRODUCER_THROTTLE_TIME_MAX,
        latencies.produceThrottle);
    window(PushedMetric.PRODUCER_RECORD_QUEUE_TIME_AVG, PushedMetric.PRODUCER_RECORD_QUEUE_TIME_MAX, latencies.queue);
    window(PushedMetric.PRODUCER_REQUEST_LATENCY_AVG, PushedMetric.PRODUCER_REQUEST_LATENCY_MAX, latencies.produce);
    sum(PushedMetric.PRODUCER_RECORD_SEND_TOTAL, PushedMetric.PRODUCER_RECORD_SEND_RATE,
        Statistic.RECORDS_ACKNOWLEDGED);
    sum(PushedMetric.PRODUCER_RECORD_ERROR_TOTAL, PushedMetric.PRODUCER_RECORD_ERROR_RATE, Statistic.RECORDS_FAILED);
    long batches = change(Statistic.BATCHES_SENT);
    if (batches > 0) {
      gauge(PushedMetric.PRODUCER_BATCH_SIZE_AVG, (double) change(Statistic.BATCH_BYTES_SENT) / batches);
    }
    sum(PushedMetric.PRODUCER_RESPONSE_TOTAL, PushedMetric.PRODUCER_RESPONSE_RATE, Statistic.RESPONSES);
    sum(PushedMetric.PRODUCER_INCOMING_BYTE_TOTAL, PushedMetric.PRODUCER_INCOMING_BYTE_RATE,
        Statistic.BYTES_RECEIVED);
  }

  private void consumers(Map<String, Integer> nodes) {
    sum(PushedMetric.CONSUMER_CONNECTION_CREATION_TOTAL, PushedMetric.CONSUMER_CONNECTION_CREATION_RATE,
        Statistic.CONNECTIONS_READY);
    gauge(PushedMetric.CONSUMER_CONNECTION_COUNT, cluster.readyConnections());
    nodes(PushedMetric.CONSUMER_NODE_REQUEST_LATENCY_AVG, PushedMetric.CONSUMER_NODE_REQUEST_LATENCY_MAX,
        latencies.consumerNodes, nodes);
    window(PushedMetric.CONSUMER_REBALANCE_LATENCY_AVG, PushedMetric.CONSUMER_REBALANCE_LATENCY_MAX,
        latencies.rebalance);
    sum(PushedMetric.CONSUMER_REBALANCE_LATENCY_TOTAL, Statistic.REBALANCE_MILLIS);
    sum(PushedMetric.CONSUMER_REBALANCE_TOTAL, Statistic.REBALANCES);
    sum(PushedMetric.CONSUMER_FAILED_REBALANCE_TOTAL, Statistic.REBALANCES_FAILED);
    window(PushedMetric.CONSUMER_FETCH_LATENCY_AVG, PushedMetric.CONSUMER_FETCH_LATENCY_MAX, latencies.fetch);
    window(PushedMetric.CONSUMER_FETCH_THROTTLE_TIME_AVG, PushedMetric.CONSUMER_FETCH_THROTTLE_TIME_MAX,
        latencies.fetchThrottle);
    sum(PushedMetric.CONSUMER_FETCH_TOTAL, PushedMetric.CONSUMER_FETCH_RATE, Statistic.FETCHES);
    sum(PushedMetric.CONSUMER_RECORDS_CONSUMED_TOTAL, PushedMetric.CONSUMER_RECORDS_CONSUMED_RATE,
        Statistic.RECORDS_CONSUMED);
    sum(PushedMetric.CONSUMER_RESPONSE_TOTAL, PushedMetric.CONSUMER_RESPONSE_RATE, Statistic.RESPONSES);
    sum(PushedMetric.CONSUMER_INCOMING_BYTE_TOTAL, PushedMetric.CONSUMER_INCOMING_BYTE_RATE,
        Statistic.BYTES_RECEIVED);
  }

  /** Writes the largest lag of all partitions, if any is known. */
  private void lag(List<PushSource> consumers) {
    long most = -1;
    for (PushSource consumer : consumers) {
      most = Math.max(most, consumer.largestLag());
    }
    if (most >= 0) {
      gauge(PushedMetric.CONSUMER_RECORDS_LAG_MAX, (double) most);
    }
  }

  /** Writes a resource per group. Members of one group in this client count together. */
  private void groups(List<PushSource> consumers) {
    Map<String, List<PushSource>> members = new LinkedHashMap<>();
    for (PushSource consumer : consumers) {
      String group = consumer.labels().get(PushSource.GROUP_ID);
      if (group != null) {
        members.computeIfAbsent(group, key -> new ArrayList<>()).add(consumer);
      }
    }
    members.forEach((group, of) -> {
      out.beginResource(PushSources.shared(of));
      gauge(PushedMetric.CONSUMER_ASSIGNED_PARTITIONS, of.stream().mapToInt(PushSource::assignedPartitions).sum());
      window(PushedMetric.CONSUMER_COMMIT_LATENCY_AVG, PushedMetric.CONSUMER_COMMIT_LATENCY_MAX,
          latencies.commits.get(group));
      out.endResource();
    });
  }

  private long change(Statistic statistic) {
    return now.value(statistic) - before.value(statistic);
  }

  private void gauge(PushedMetric metric, double value) {
    gauge(metric, value, Map.of());
  }

  private void gauge(PushedMetric metric, double value, Map<String, String> attributes) {
    if (wanted.contains(metric)) {
      out.gauge(metric.fullName(), value, attributes);
    }
  }

  private void sum(PushedMetric total, Statistic statistic) {
    if (wanted.contains(total)) {
      out.sum(total.fullName(), (double) (delta ? change(statistic) : now.value(statistic)),
          delta ? before.epochMillis : startMillis, delta);
    }
  }

  private void sum(PushedMetric total, PushedMetric rate, Statistic statistic) {
    sum(total, statistic);
    double seconds = (now.nanos - before.nanos) / NANOS_PER_SECOND;
    if (seconds > 0) {
      gauge(rate, change(statistic) / seconds);
    }
  }

  private void window(PushedMetric mean, PushedMetric max, @Nullable LatencyWindow window) {
    window(mean, max, window, Map.of());
  }

  /** Writes mean and maximum, which a window without durations does not have. */
  private void window(PushedMetric mean, PushedMetric max, @Nullable LatencyWindow window,
      Map<String, String> attributes) {
    if (window != null && !window.isEmpty()) {
      gauge(mean, window.meanMillis(), attributes);
      gauge(max, window.maxMillis(), attributes);
    }
  }

  /** Writes the latency per broker. A broker without metadata has no node id and is left out. */
  private void nodes(PushedMetric mean, PushedMetric max, Map<String, LatencyWindow> windows,
      Map<String, Integer> nodes) {
    windows.forEach((broker, window) -> {
      Integer id = nodes.get(broker);
      if (id != null) {
        window(mean, max, window, Map.of("node_id", "node-" + id));
      }
    });
  }
}
