package dev.decant.kafka.apache;

import dev.decant.event.Registration;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.event.GroupListener;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.telemetry.ClientMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a consumer under Apache's names. They are in Apache's registry, which passes them to the application's
 * reporters. Polls count once per partition, not per record.
 */
final class ConsumerMetrics implements ClientMeter, ConnectionListener, GroupListener, AutoCloseable {
  private static final String DOMAIN = "kafka.consumer";
  private static final String GROUP = "consumer-metrics";
  // Numbers of APIs in Kafka's protocol.
  private static final short FETCH = 1;
  private static final short HEARTBEAT = 12;
  private static final short CONSUMER_GROUP_HEARTBEAT = 68;

  private final String clientId;
  private final MetricSet metrics;
  private final NetworkMetrics network;
  private final FetchMetrics fetches;
  private final GroupMetrics group;
  private final RecordedMetric pollGaps;
  private final RecordedMetric pollIdle;
  private final RecordedMetric commitSync;
  private final RecordedMetric committed;
  /** Metrics that the application has registered. Any thread. */
  private final Map<MetricName, KafkaMetric> foreign = new ConcurrentHashMap<>();
  private final List<Registration> registrations = new ArrayList<>();
  private @Nullable ClientInternals watched;
  private volatile long lastPollMillis = -1;
  private long lastPollEndMillis = -1;

  ConsumerMetrics(ConsumerSettings settings, List<MetricsReporter> reporters) {
    clientId = settings.clientId();
    metrics = new MetricSet(settings.config(), settings.clientId(), reporters, DOMAIN);
    network = new NetworkMetrics(metrics, "consumer");
    fetches = new FetchMetrics(metrics);
    group = new GroupMetrics(metrics, settings.isClassic());
    pollGaps = metrics.metric(GROUP, "poll-gaps")
        .mean("time-between-poll-avg", "The average delay between invocations of poll() in milliseconds.")
        .max("time-between-poll-max", "The max delay between invocations of poll() in milliseconds.");
    pollIdle = metrics.metric(GROUP, "poll-idle").mean("poll-idle-ratio-avg",
        "The average fraction of time the consumer's poll() is idle as opposed to waiting for the user code to process"
            + " records.");
    commitSync = metrics.metric(GROUP, "commit-sync").total("commit-sync-time-ns-total",
        "The total time the consumer has spent in commitSync in nanoseconds");
    committed = metrics.metric(GROUP, "committed").total("committed-time-ns-total",
        "The total time the consumer has spent in committed in nanoseconds");
    metrics.gauge(GROUP, "last-poll-seconds-ago", "The number of seconds since the last poll() invocation.",
        () -> ago(lastPollMillis));
  }

  /** Returns whole seconds since a time; -1 if it never was. */
  private double ago(long thenMillis) {
    return thenMillis < 0 ? -1 : TimeUnit.MILLISECONDS.toSeconds(metrics.now() - thenMillis);
  }

  /** Begins to count, and adds the metrics that are computed when they are read. */
  void watch(KafkaClient client) {
    ClientInternals internals = ClientInternals.of(client);
    watched = internals;
    registrations.addAll(network.watch(client));
    registrations.add(client.events().watchConnections(this));
    registrations.add(client.events()
        .watchConnections(new ConnectionLog("consumer " + clientId, internals.loop().clock()::nanoTime)));
    registrations.add(client.events().watchGroups(this));
    internals.telemetry().metering().meter(this);
    group.watch(client);
  }

  FetchMetrics fetches() {
    return fetches;
  }

  GroupMetrics group() {
    return group;
  }

  // Owner of the loop.

  @Override
  public void onRequest(String broker, short apiKey, int bytes) {
    network.request(broker, bytes);
    if (isHeartbeat(apiKey)) {
      group.heartbeatSent();
    }
  }

  private static boolean isHeartbeat(short apiKey) {
    return apiKey == HEARTBEAT || apiKey == CONSUMER_GROUP_HEARTBEAT;
  }

  @Override
  public void onResponse(String broker, short apiKey, int bytes, long nanos) {
    if (apiKey == FETCH) {
      fetches.responded(nanos);
    } else if (isHeartbeat(apiKey)) {
      group.heartbeatResponded(nanos);
    }
  }

  @Override
  public void onThrottle(int millis) {
    fetches.throttled(millis);
  }

  @Override
  public void onAuthenticated(boolean again, long nanos) {
    network.authenticated(again, nanos);
  }

  @Override
  public void onEncrypted(String cipher, String protocol) {
    network.encrypted(cipher, protocol);
  }

  @Override
  public void onEncryptedEnded(String cipher, String protocol) {
    network.encryptedEnded(cipher, protocol);
  }

  @Override
  public void onAuthenticationFailed(boolean again) {
    network.authenticationFailed(again);
  }

  @Override
  public void onCommitted(String groupId, int partitions, long nanos) {
    group.committed(nanos);
  }

  @Override
  public void onJoined(long nanos) {
    group.joined(nanos);
  }

  @Override
  public void onSynced(long nanos) {
    group.synced(nanos);
  }

  @Override
  public void onRebalanced(long nanos) {
    group.rebalanced(nanos);
  }

  @Override
  public void onRebalanceFailed() {
    group.rebalanceFailed();
  }

  // Polling thread.

  @Override
  public void onDelivered(String topic, int partition, long lag, long lead, int replica) {
    fetches.delivered(topic, partition, lag, lead, replica);
  }

  @Override
  public void onFetchConsumed() {
    fetches.used();
  }

  /** Notes that a poll begins. */
  void pollBegins() {
    long now = metrics.now();
    pollGaps.record(lastPollMillis < 0 ? 0 : (double) (now - lastPollMillis), now);
    lastPollMillis = now;
  }

  /** Notes that a poll ends. */
  void pollEnds() {
    long now = metrics.now();
    long polled = now - lastPollMillis;
    long otherwise = lastPollEndMillis < 0 ? 0 : lastPollMillis - lastPollEndMillis;
    lastPollEndMillis = now;
    double whole = (double) polled + otherwise;
    pollIdle.record(whole == 0 ? 0 : polled / whole, now);
    fetches.pollEnds();
  }

  void commitSyncEnded(long nanos) {
    commitSync.record((double) nanos, metrics.now());
  }

  void committedEnded(long nanos) {
    committed.record((double) nanos, metrics.now());
  }

  /**
   * Registers a metric of the application, for {@link #unregister} only: brokers that ask for clients' metrics get
   * Decant's own.
   */
  void register(KafkaMetric metric) {
    if (!metrics.all().containsKey(metric.metricName())) {
      foreign.put(metric.metricName(), metric);
    }
  }

  void unregister(KafkaMetric metric) {
    foreign.remove(metric.metricName());
  }

  Map<MetricName, KafkaMetric> all() {
    return metrics.all();
  }

  Metrics registry() {
    return metrics.registry();
  }

  @Override
  public void close() {
    registrations.forEach(Registration::close);
    ClientInternals client = watched;
    if (client != null) {
      client.telemetry().metering().meter(null);
    }
    metrics.close();
  }
}
