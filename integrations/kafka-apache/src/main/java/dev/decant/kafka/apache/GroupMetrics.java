package dev.decant.kafka.apache;

import dev.decant.kafka.client.KafkaClient;
import java.util.EnumMap;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Commits, heartbeats and rebalances of a consumer, under Apache's names. Any thread. */
final class GroupMetrics implements ListenerAdapter.Times {
  private static final String GROUP = "consumer-coordinator-metrics";
  private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final String CALLBACK = " rebalance listener callback";

  private final MetricSet metrics;
  private final RecordedMetric commits;
  private final RecordedMetric heartbeats;
  private final RecordedMetric joins;
  private final RecordedMetric syncs;
  private final RecordedMetric rebalanceTimes;
  private final RecordedMetric rebalances;
  private final RecordedMetric failures;
  private final EnumMap<ListenerAdapter.Call, RecordedMetric> callbacks = new EnumMap<>(ListenerAdapter.Call.class);
  private volatile long beatMillis = -1;
  private volatile long rebalancedMillis = -1;

  /**
   * Registers the metrics.
   *
   * @param isClassic false under the consumer protocol, which has neither joins nor syncs
   */
  GroupMetrics(MetricSet metrics, boolean isClassic) {
    this.metrics = metrics;
    commits = metric("commits").mean("commit-latency-avg", "The average time taken for a commit request")
        .max("commit-latency-max", "The max time taken for a commit request")
        .counts("commit", "The number of commit calls per second", "The total number of commit calls");
    heartbeats = metric("heartbeats")
        .max("heartbeat-response-time-max", "The max time taken to receive a response to a heartbeat request")
        .counts("heartbeat", "The number of heartbeats per second", "The total number of heartbeats");
    joins = metric("joins");
    syncs = metric("syncs");
    if (isClassic) {
      joins.mean("join-time-avg", "The average time taken for a group rejoin")
          .max("join-time-max", "The max time taken for a group rejoin")
          .counts("join", "The number of group joins per second", "The total number of group joins");
      syncs.mean("sync-time-avg", "The average time taken for a group sync")
          .max("sync-time-max", "The max time taken for a group sync")
          .counts("sync", "The number of group syncs per second", "The total number of group syncs");
    }
    rebalanceTimes = metric("rebalance-times")
        .mean("rebalance-latency-avg", "The average time in ms taken for a group to complete a rebalance")
        .max("rebalance-latency-max", "The max time in ms taken for a group to complete a rebalance")
        .total("rebalance-latency-total", "The total number of milliseconds spent in rebalances");
    rebalances = metric("rebalances").countsPerHour("rebalance", "The number of rebalance events per hour",
        "The total number of rebalance events");
    failures = metric("failures").countsPerHour("failed-rebalance", "The number of failed rebalance events per hour",
        "The total number of failed rebalance events");
    for (ListenerAdapter.Call call : ListenerAdapter.Call.values()) {
      callbacks.put(call, callback(call.name().toLowerCase(Locale.ROOT)));
    }
    metrics.gauge(GROUP, "last-heartbeat-seconds-ago",
        "The number of seconds since the last coordinator heartbeat was sent", () -> ago(beatMillis));
    metrics.gauge(GROUP, "last-rebalance-seconds-ago",
        "The number of seconds since the last successful rebalance event", () -> ago(rebalancedMillis));
  }

  private RecordedMetric metric(String key) {
    return metrics.metric(GROUP, key);
  }

  private RecordedMetric callback(String what) {
    String name = "partition-" + what + "-latency-";
    return metric(what)
        .mean(name + "avg", "The average time taken for a partition-" + what + CALLBACK)
        .max(name + "max", "The max time taken for a partition-" + what + CALLBACK);
  }

  /** Returns whole seconds since a time; -1 if it never was. */
  private double ago(long thenMillis) {
    return thenMillis < 0 ? -1 : TimeUnit.MILLISECONDS.toSeconds(metrics.now() - thenMillis);
  }

  void watch(KafkaClient client) {
    metrics.gauge(GROUP, "assigned-partitions", "The number of partitions currently assigned to this consumer",
        () -> client.consumers().stream().mapToInt(consumer -> consumer.partitions().size()).sum());
  }

  void committed(long nanos) {
    commits.record(nanos / NANOS_PER_MILLI, metrics.now());
  }

  void heartbeatSent() {
    beatMillis = metrics.now();
  }

  void heartbeatResponded(long nanos) {
    heartbeats.record(nanos / NANOS_PER_MILLI, metrics.now());
  }

  void joined(long nanos) {
    joins.record(nanos / NANOS_PER_MILLI, metrics.now());
  }

  void synced(long nanos) {
    syncs.record(nanos / NANOS_PER_MILLI, metrics.now());
  }

  void rebalanced(long nanos) {
    long now = metrics.now();
    rebalancedMillis = now;
    rebalanceTimes.record((double) TimeUnit.NANOSECONDS.toMillis(nanos), now);
    rebalances.record(1, now);
  }

  void rebalanceFailed() {
    failures.record(1, metrics.now());
  }

  @Override
  public void called(ListenerAdapter.Call which, long nanos) {
    RecordedMetric times = callbacks.get(which);
    if (times != null) {
      times.record(nanos / NANOS_PER_MILLI, metrics.now());
    }
  }
}
