package dev.decant.kafka.apache;

import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.KafkaStatistics;
import dev.decant.kafka.consumer.ConsumerStatus;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.event.GroupListener;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.KafkaMetricsContext;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.metrics.stats.Avg;
import org.apache.kafka.common.metrics.stats.CumulativeSum;
import org.apache.kafka.common.metrics.stats.Max;
import org.apache.kafka.common.metrics.stats.Meter;
import org.apache.kafka.common.metrics.stats.WindowedCount;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a consumer that dashboards rely on, under Apache's names:
 *
 * <table>
 * <caption>group, and names</caption>
 * <tr><td>consumer-fetch-manager-metrics</td><td>records-consumed-rate, -total and bytes-consumed-rate, -total (also by
 * topic), records-per-request-avg, records-lag-max, records-lag (by partition), fetch-latency-avg, -max, fetch-rate,
 * fetch-total</td></tr>
 * <tr><td>consumer-coordinator-metrics</td><td>commit-latency-avg, -max, commit-rate, commit-total, rebalance-total,
 * rebalance-latency-avg, rebalance-latency-total, failed-rebalance-total, assigned-partitions,
 * last-rebalance-seconds-ago</td></tr>
 * <tr><td>consumer-metrics</td><td>last-poll-seconds-ago, time-between-poll-avg, -max, poll-idle-ratio-avg,
 * commit-sync-time-ns-total, committed-time-ns-total, connection-count, connection-creation-total,
 * connection-close-total, incoming-byte-total, response-total</td></tr>
 * </table>
 *
 * <p>Polls count once for each partition, not for each record. Gauges read what the client counts anyway.
 */
final class ConsumerMetrics implements RecordCollector.RecordSizes, AutoCloseable {
  private static final String JMX_PREFIX = "kafka.consumer";
  private static final String FETCHES = "consumer-fetch-manager-metrics";
  private static final String GROUP = "consumer-coordinator-metrics";
  private static final String CONSUMER = "consumer-metrics";
  /** The API of fetches, as Kafka's protocol numbers it. */
  private static final short FETCH = 1;
  /** How long figures of a topic stay that is not read any more: they survive rebalances. */
  private static final long TOPIC_LASTS_MILLIS = TimeUnit.MINUTES.toMillis(5);

  private final Metrics metrics;
  private final Time time = Time.SYSTEM;
  private final Sensor records;
  private final Sensor bytes;
  private final Sensor pollGap;
  private final Sensor pollIdle;
  private final Sensor commits;
  private final Sensor fetches;
  private final Sensor commitSync;
  private final Sensor committed;
  private final Map<String, TopicSensors> byTopic = new HashMap<>();
  private final Map<TopicPartition, MetricName> lags = new HashMap<>();
  private volatile @Nullable KafkaClient watched;
  /** What the application has registered; any thread. */
  private final Map<MetricName, KafkaMetric> foreign = new ConcurrentHashMap<>();
  private volatile long lastPollMillis = -1;
  private volatile long lastRebalanceMillis = -1;
  private long lastPollEndMillis = -1;
  private long betweenPollsMillis;

  /** The counters of one topic. Polling thread only. */
  private static final class TopicSensors {
    final Sensor records;
    final Sensor bytes;
    long usedMillis;

    TopicSensors(Sensor records, Sensor bytes) {
      this.records = records;
      this.bytes = bytes;
    }
  }

  ConsumerMetrics(ConsumerSettings settings, List<MetricsReporter> reporters) {
    ConsumerConfig config = settings.config();
    MetricConfig samples = new MetricConfig().samples(config.getInt(ConsumerConfig.METRICS_NUM_SAMPLES_CONFIG))
        .timeWindow(config.getLong(ConsumerConfig.METRICS_SAMPLE_WINDOW_MS_CONFIG), TimeUnit.MILLISECONDS)
        .recordLevel(Sensor.RecordingLevel.forName(config.getString(ConsumerConfig.METRICS_RECORDING_LEVEL_CONFIG)))
        .tags(Map.of("client-id", settings.clientId()));
    metrics = new Metrics(samples, reporters, time, new KafkaMetricsContext(JMX_PREFIX,
        config.originalsWithPrefix(CommonClientConfigs.METRICS_CONTEXT_PREFIX)));
    records = meter("records-consumed", FETCHES, "records consumed", Map.of());
    bytes = meter("bytes-consumed", FETCHES, "bytes of keys and values consumed", Map.of());
    records.add(name("records-per-request-avg", FETCHES, "The average number of records of a partition in a poll"),
        new Avg());
    pollGap = metrics.sensor("time-between-poll");
    pollGap.add(name("time-between-poll-avg", CONSUMER, "The average milliseconds between two polls"), new Avg());
    pollGap.add(name("time-between-poll-max", CONSUMER, "The most milliseconds between two polls"), new Max());
    pollIdle = metrics.sensor("poll-idle-ratio-avg");
    pollIdle.add(name("poll-idle-ratio-avg", CONSUMER, "The part of the time that polls take"), new Avg());
    commits = metrics.sensor("commit-latency");
    commits.add(name("commit-latency-avg", GROUP, "The average milliseconds of a commit"), new Avg());
    commits.add(name("commit-latency-max", GROUP, "The most milliseconds of a commit"), new Max());
    commits.add(new Meter(new WindowedCount(), name("commit-rate", GROUP, "Commits a second"),
        name("commit-total", GROUP, "Commits")));
    fetches = metrics.sensor("fetch-latency");
    fetches.add(name("fetch-latency-avg", FETCHES, "The average milliseconds of a fetch"), new Avg());
    fetches.add(name("fetch-latency-max", FETCHES, "The most milliseconds of a fetch"), new Max());
    fetches.add(new Meter(new WindowedCount(), name("fetch-rate", FETCHES, "Fetches a second"),
        name("fetch-total", FETCHES, "Fetches that got a response")));
    commitSync = metrics.sensor("commit-sync-time-ns-total");
    commitSync.add(name("commit-sync-time-ns-total", CONSUMER, "Nanoseconds spent in commitSync"), new CumulativeSum());
    committed = metrics.sensor("committed-time-ns-total");
    committed.add(name("committed-time-ns-total", CONSUMER, "Nanoseconds spent in committed"), new CumulativeSum());
    gauge("last-poll-seconds-ago", CONSUMER, "Seconds since the last poll began; -1 before it",
        () -> ago(lastPollMillis));
    gauge("last-rebalance-seconds-ago", GROUP, "Seconds since the last rebalance; -1 before it",
        () -> ago(lastRebalanceMillis));
  }

  private long ago(long thenMillis) {
    return thenMillis < 0 ? -1 : TimeUnit.MILLISECONDS.toSeconds(time.milliseconds() - thenMillis);
  }

  private MetricName name(String name, String group, String description) {
    return metrics.metricName(name, group, description);
  }

  private Sensor meter(String name, String group, String what, Map<String, String> tags) {
    Sensor sensor = metrics.sensor(tags.isEmpty() ? name : "topic." + tags.get("topic") + "." + name);
    sensor.add(new Meter(metrics.metricName(name + "-rate", group, "The average number of " + what + " a second", tags),
        metrics.metricName(name + "-total", group, "The number of " + what, tags)));
    return sensor;
  }

  private void gauge(String name, String group, String description, LongSupplier value) {
    metrics.addMetric(name(name, group, description), (Gauge<Double>) (config, now) -> (double) value.getAsLong());
  }

  /** Adds what the client counts. */
  void watch(KafkaClient client) {
    watched = client;
    client.events().watchConnections(new ConnectionListener() {
      @Override
      public void onResponse(String broker, short apiKey, int size, long nanos) {
        if (apiKey == FETCH) {
          fetches.record((double) TimeUnit.NANOSECONDS.toMillis(nanos));
        }
      }
    });
    client.events().watchGroups(new GroupListener() {
      @Override
      public void onCommitted(String group, int partitions, long nanos) {
        commits.record((double) TimeUnit.NANOSECONDS.toMillis(nanos));
      }
    });
    counter("rebalance-total", GROUP, "Rebalances", client, Statistic.REBALANCES);
    counter("rebalance-latency-total", GROUP, "Milliseconds that rebalances took", client, Statistic.REBALANCE_MILLIS);
    counter("failed-rebalance-total", GROUP, "Rebalances that failed", client, Statistic.REBALANCES_FAILED);
    counter("connection-creation-total", CONSUMER, "Connections that became ready", client,
        Statistic.CONNECTIONS_READY);
    counter("connection-close-total", CONSUMER, "Connections that were closed", client, Statistic.CONNECTIONS_CLOSED);
    counter("incoming-byte-total", CONSUMER, "Bytes of responses", client, Statistic.BYTES_RECEIVED);
    counter("response-total", CONSUMER, "Responses", client, Statistic.RESPONSES);
    gauge("connection-count", CONSUMER, "Connections that are ready", () -> client.status().connections().stream()
        .filter(ConnectionStatus::ready).count());
    gauge("assigned-partitions", GROUP, "Partitions that are assigned", () -> client.consumers().stream()
        .mapToLong(consumer -> consumer.partitions().size()).sum());
    metrics.addMetric(name("records-lag-max", FETCHES, "The largest lag of a partition"),
        (Gauge<Double>) (config, now) -> maxLag(client));
    metrics.addMetric(name("rebalance-latency-avg", GROUP, "The average milliseconds of a rebalance"),
        (Gauge<Double>) (config, now) -> {
          KafkaStatistics all = statistics(client);
          return all.value(Statistic.REBALANCE_MILLIS) / (double) all.value(Statistic.REBALANCES);
        });
  }

  private void counter(String name, String group, String description, KafkaClient client, Statistic statistic) {
    gauge(name, group, description, () -> statistics(client).value(statistic));
  }

  private static KafkaStatistics statistics(KafkaClient client) {
    KafkaStatistics all = new KafkaStatistics();
    client.statistics(all);
    return all;
  }

  private static double maxLag(KafkaClient client) {
    return client.consumers().stream().mapToLong(ConsumerStatus::maxLag).filter(lag -> lag >= 0)
        .mapToDouble(lag -> lag).max().orElse(Double.NaN);
  }

  @Override
  public void consumed(TopicPartition partition, int count, long size) {
    records.record(count);
    bytes.record((double) size);
    TopicSensors ofTopic = byTopic.get(partition.topic());
    if (ofTopic == null) {
      ofTopic = sensors(partition.topic());
    }
    ofTopic.usedMillis = time.milliseconds();
    ofTopic.records.record(count);
    ofTopic.bytes.record((double) size);
    if (!lags.containsKey(partition)) {
      addLag(partition);
    }
  }

  private void addLag(TopicPartition partition) {
    MetricName name = metrics.metricName("records-lag", FETCHES, "The lag of the partition",
        Map.of("topic", partition.topic(), "partition", Integer.toString(partition.partition())));
    lags.put(partition, name);
    metrics.addMetricIfAbsent(name, null, (Gauge<Double>) (config, now) -> lag(partition));
  }

  private double lag(TopicPartition partition) {
    KafkaClient client = watched;
    return client == null
        ? Double.NaN
        : client.consumers().stream().flatMap(consumer -> consumer.partitions().stream())
            .filter(p -> p.partition() == partition.partition() && p.topic().equals(partition.topic()))
            .mapToDouble(ConsumerStatus.PartitionStatus::lag).findFirst().orElse(Double.NaN);
  }

  /** Forgets partitions that are not assigned any more, and topics of which none was for long. */
  void retain(Set<TopicPartition> assigned) {
    retain(assigned, time.milliseconds() - TOPIC_LASTS_MILLIS);
  }

  /** The same; topics that no partition is assigned of go if nothing was read of them since then. */
  void retain(Set<TopicPartition> assigned, long sinceMillis) {
    Set<String> topics = new HashSet<>();
    assigned.forEach(p -> topics.add(p.topic()));
    byTopic.entrySet().removeIf(entry -> {
      TopicSensors sensors = entry.getValue();
      boolean gone = !topics.contains(entry.getKey()) && sensors.usedMillis < sinceMillis;
      if (gone) {
        metrics.removeSensor(sensors.records.name());
        metrics.removeSensor(sensors.bytes.name());
      }
      return gone;
    });
    lags.entrySet().removeIf(entry -> {
      boolean gone = !assigned.contains(entry.getKey());
      if (gone) {
        metrics.removeMetric(entry.getValue());
      }
      return gone;
    });
  }

  private TopicSensors sensors(String topic) {
    Map<String, String> tags = Map.of("topic", topic.replace('.', '_'));
    TopicSensors made = new TopicSensors(meter("records-consumed", FETCHES, "records consumed of a topic", tags),
        meter("bytes-consumed", FETCHES, "bytes of keys and values consumed of a topic", tags));
    byTopic.put(topic, made);
    return made;
  }

  /** A poll begins. */
  void pollBegins() {
    long now = time.milliseconds();
    betweenPollsMillis = lastPollMillis < 0 ? 0 : now - lastPollMillis;
    pollGap.record((double) betweenPollsMillis, now);
    lastPollMillis = now;
  }

  /** A poll ends. */
  void pollEnds() {
    long now = time.milliseconds();
    long polled = now - lastPollMillis;
    long otherwise = lastPollEndMillis < 0 ? 0 : lastPollMillis - lastPollEndMillis;
    lastPollEndMillis = now;
    double whole = (double) polled + otherwise;
    pollIdle.record(whole == 0 ? 0 : polled / whole, now);
  }

  void rebalanced() {
    lastRebalanceMillis = time.milliseconds();
  }

  void commitSyncEnded(long nanos) {
    commitSync.record((double) nanos);
  }

  void committedEnded(long nanos) {
    committed.record((double) nanos);
  }

  /** Brokers that ask for clients' metrics get Decant's own; this one is kept for {@link #unregister} alone. */
  void register(KafkaMetric metric) {
    if (!metrics.metrics().containsKey(metric.metricName())) {
      foreign.put(metric.metricName(), metric);
    }
  }

  void unregister(KafkaMetric metric) {
    foreign.remove(metric.metricName());
  }

  Map<MetricName, KafkaMetric> all() {
    return metrics.metrics();
  }

  Metrics registry() {
    return metrics;
  }

  @Override
  public void close() {
    metrics.close();
  }
}
