package dev.decant.kafka.apache;

import dev.decant.event.Registration;
import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.event.MetadataListener;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.loop.LoopTimes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of a client's connections, under the names that Apache's producers and consumers share. Owner of the client's
 * loop only.
 */
final class NetworkMetrics implements ConnectionListener, MetadataListener {
  /** Bytes of the length before each request and response. Listeners get the size without it. */
  private static final int LENGTH_PREFIX_BYTES = Integer.BYTES;
  // Numbers of APIs in Kafka's protocol.
  private static final short PRODUCE = 0;
  private static final short FETCH = 1;
  private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final MetricSet metrics;
  private final String group;
  private final NodeMetrics nodes;
  private final CipherMetrics ciphers;
  private final RecordedMetric operations;
  private final RecordedMetric requests;
  private final RecordedMetric responses;
  private final RecordedMetric created;
  private final RecordedMetric closed;
  private final RecordedMetric authenticated;
  private final RecordedMetric authenticatedOnce;
  private final RecordedMetric refused;
  private final RecordedMetric reauthenticated;
  private final RecordedMetric reauthenticationLatency;
  private final RecordedMetric reauthenticationRefused;
  private final RecordedMetric selects;
  private final RecordedMetric waits;
  private final RecordedMetric waitsPerSelect;
  private final RecordedMetric busy;
  private final RecordedMetric busyPerSelect;
  private @Nullable ClientInternals watched;
  // The loop's totals when they were last recorded.
  private long polled;
  private long waitedNanos;
  private long busyNanos;

  /**
   * Registers the metrics.
   *
   * @param kind {@code producer} or {@code consumer}
   */
  NetworkMetrics(MetricSet metrics, String kind) {
    this.metrics = metrics;
    this.group = kind + "-metrics";
    nodes = new NodeMetrics(metrics, kind + "-node-metrics", this::brokerIds);
    ciphers = new CipherMetrics(metrics, group);
    operations = metric("operations").counts("network-io",
        "The number of network operations (reads or writes) on all connections per second",
        "The total number of network operations (reads or writes) on all connections");
    requests = metric("requests")
        .sums("outgoing-byte", "The number of outgoing bytes sent to all servers per second",
            "The total number of outgoing bytes sent to all servers")
        .counts("request", "The number of requests sent per second", "The total number of requests sent")
        .mean("request-size-avg", "The average size of requests sent.")
        .max("request-size-max", "The maximum size of any request sent.");
    responses = metric("responses")
        .sums("incoming-byte", "The number of bytes read off all sockets per second",
            "The total number of bytes read off all sockets")
        .counts("response", "The number of responses received per second", "The total number of responses received");
    created = metric("created").sums("connection-creation", "The number of new connections established per second",
        "The total number of new connections established");
    closed = metric("closed").sums("connection-close", "The number of connections closed per second",
        "The total number of connections closed");
    authenticated = metric("authenticated").sums("successful-authentication",
        "The number of connections with successful authentication per second",
        "The total number of connections with successful authentication");
    authenticatedOnce = metric("authenticated-once").total("successful-authentication-no-reauth-total",
        "The total number of connections with successful authentication where the client does not support"
            + " re-authentication");
    refused = metric("refused").sums("failed-authentication",
        "The number of connections with failed authentication per second",
        "The total number of connections with failed authentication");
    reauthenticated = metric("reauthenticated").sums("successful-reauthentication",
        "The number of successful re-authentication of connections per second",
        "The total number of successful re-authentication of connections");
    reauthenticationLatency = metric("reauthentication")
        .max("reauthentication-latency-max", "The max latency observed due to re-authentication")
        .mean("reauthentication-latency-avg", "The average latency observed due to re-authentication");
    reauthenticationRefused = metric("reauthentication-refused").sums("failed-reauthentication",
        "The number of failed re-authentication of connections per second",
        "The total number of failed re-authentication of connections");
    selects = metric("looks").sums("select",
        "The number of times the I/O layer checked for new I/O to perform per second",
        "The total number of times the I/O layer checked for new I/O to perform");
    waits = metric("waits").partOfTime("io-wait-ratio", "The fraction of time the I/O thread spent waiting",
        "io-wait-time-ns-total", "The total time the I/O thread spent waiting");
    waitsPerSelect = metric("waits-per-look").mean("io-wait-time-ns-avg",
        "The average length of time the I/O thread spent waiting for a socket ready for reads or writes in"
            + " nanoseconds.");
    busy = metric("busy").partOfTime("io-ratio", "The fraction of time the I/O thread spent doing I/O",
        "io-time-ns-total", "The total time the I/O thread spent doing I/O");
    busyPerSelect = metric("busy-per-look").mean("io-time-ns-avg",
        "The average length of time for I/O per select call in nanoseconds.");
    if (ClientsRelease.HAS_OLD_TIMES) {
      waits.total("io-waittime-total", "*Deprecated* The total time the I/O thread spent waiting");
      busy.total("iotime-total", "*Deprecated* The total time the I/O thread spent doing I/O");
    }
  }

  private RecordedMetric metric(String key) {
    return metrics.metric(group, key);
  }

  /** Registers listeners and begins to count. */
  List<Registration> watch(KafkaClient client) {
    ClientInternals internals = ClientInternals.of(client);
    watched = internals;
    internals.loop().times().start();
    metrics.gauge(group, "connection-count", "The current number of active connections.",
        () -> client.status().connections().stream().filter(ConnectionStatus::ready).count());
    return List.of(client.events().watchConnections(this), client.events().watchMetadata(this));
  }

  private Map<String, Integer> brokerIds() {
    Map<String, Integer> ids = new HashMap<>();
    ClientInternals internals = watched;
    if (internals != null) {
      internals.cluster().snapshot().brokers().forEach((id, address) -> ids.put(address.toString(), id));
    }
    return ids;
  }

  @Override
  public void onUpdated(int brokers, int topics) {
    nodes.metadataChanged();
  }

  void request(String broker, int bytes) {
    long now = metrics.now();
    operations.record(1, now);
    requests.record(bytes, now);
    nodes.request(broker, bytes, now);
  }

  @Override
  public void onResponse(String broker, short apiKey, int bytes, long nanos) {
    long now = metrics.now();
    operations.record(1, now);
    responses.record(LENGTH_PREFIX_BYTES + (double) bytes, now);
    nodes.response(broker, LENGTH_PREFIX_BYTES + bytes, now);
    if (apiKey == PRODUCE || apiKey == FETCH) {
      nodes.latency(broker, nanos / NANOS_PER_MILLI, now);
    }
    loopTimes(now);
  }

  /** Records the loop's times since the last response. */
  private void loopTimes(long now) {
    ClientInternals internals = watched;
    if (internals == null) {
      return;
    }
    LoopTimes times = internals.loop().times();
    long count = times.polls() - polled;
    if (count > 0) {
      long waited = times.waitNanos() - waitedNanos;
      long worked = times.busyNanos() - busyNanos;
      polled += count;
      waitedNanos += waited;
      busyNanos += worked;
      selects.record((double) count, now);
      waits.record((double) waited, now);
      waitsPerSelect.record((double) waited / count, now);
      busy.record((double) worked, now);
      busyPerSelect.record((double) worked / count, now);
    }
  }

  @Override
  public void onReady(String broker, long nanos) {
    created.record(1, metrics.now());
  }

  @Override
  public void onEnded(String broker, int unanswered, KafkaException cause) {
    closed.record(1, metrics.now());
  }

  @Override
  public void onClosed(String broker, String reason) {
    closed.record(1, metrics.now());
  }

  void authenticated(boolean again, long nanos) {
    long now = metrics.now();
    if (again) {
      reauthenticated.record(1, now);
      reauthenticationLatency.record(nanos / NANOS_PER_MILLI, now);
    } else {
      authenticated.record(1, now);
      authenticatedOnce.record(1, now);
    }
  }

  void encrypted(String cipher, String protocol) {
    ciphers.add(cipher, protocol);
  }

  void encryptedEnded(String cipher, String protocol) {
    ciphers.remove(cipher, protocol);
  }

  void authenticationFailed(boolean again) {
    (again ? reauthenticationRefused : refused).record(1, metrics.now());
  }
}
