package dev.decant.kafka.apache;

import dev.decant.event.Registration;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.event.ProducerListener;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.telemetry.ClientMeter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoubleSupplier;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a producer under Apache's names. They are in Apache's registry, which passes them to the application's
 * reporters. Batches, requests and responses are counted as they come; all other values are computed when they are
 * read.
 */
final class ProducerMetrics implements ProducerListener, ConnectionListener, ClientMeter {
  private static final String GROUP = "producer-metrics";
  private static final String DOMAIN = "kafka.producer";
  private static final short PRODUCE = 0;
  /** How many times idle topics are removed within {@code metadata.max.idle.ms}. */
  private static final int CHECKS_WHILE_IDLE = 5;
  private static final double MILLIS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);

  private final List<MetricsReporter> reporters;
  private final String clientId;
  private final MetricSet metrics;
  private final NetworkMetrics network;
  private final BatchMetrics batches;
  /** Metrics by topic. Owner of the loop only. */
  private final Map<String, TopicMetrics> byTopic = new HashMap<>();
  private final long idleNanos;
  /** When idle topics were last removed. Owner of the loop only. */
  private long checkedNanos = System.nanoTime();
  private final RecordedMetric exhausted;
  private final RecordedMetric memoryWaits;
  private final RecordedMetric flushes;
  private final RecordedMetric metadataWaits;
  private final EnumMap<TransactionMetric, RecordedMetric> calls = new EnumMap<>(TransactionMetric.class);
  private final List<Registration> registrations = new ArrayList<>();
  private @Nullable ClientInternals watched;

  ProducerMetrics(ProducerOptions options) {
    this(options, TimeUnit.MILLISECONDS.toNanos(options.config().getLong(ProducerConfig.METADATA_MAX_IDLE_CONFIG)));
  }

  /** Makes the metrics. Metrics of a topic that was idle for this time are removed when another topic is used. */
  ProducerMetrics(ProducerOptions options, long idleNanos) {
    this.idleNanos = idleNanos;
    clientId = options.clientId();
    reporters = CommonClientConfigs.metricsReporters(options.clientId(), options.config());
    metrics = new MetricSet(options.config(), options.clientId(), reporters, DOMAIN);
    network = new NetworkMetrics(metrics, "producer");
    batches = new BatchMetrics(metrics);
    exhausted = metrics.metric(GROUP, "exhausted").sums("buffer-exhausted",
        "The average per-second number of record sends that are dropped due to buffer exhaustion",
        "The total number of record sends that are dropped due to buffer exhaustion");
    memoryWaits = metrics.metric(GROUP, "memory-waits").partOfTime("bufferpool-wait-ratio",
        "The fraction of time an appender waits for space allocation.", "bufferpool-wait-time-ns-total",
        "The total time in nanoseconds an appender waits for space allocation.");
    if (ClientsRelease.HAS_OLD_TIMES) {
      memoryWaits.total("bufferpool-wait-time-total",
          "*Deprecated* The total time an appender waits for space allocation.");
    }
    flushes = total("flush-time-ns-total", "Total time producer has spent in flush in nanoseconds.");
    metadataWaits = total("metadata-wait-time-ns-total",
        "Total time producer has spent waiting on topic metadata in nanoseconds.");
    for (TransactionMetric call : TransactionMetric.values()) {
      calls.put(call, total(call.metric, call.description));
    }
  }

  private RecordedMetric total(String name, String description) {
    return metrics.metric(GROUP, name).total(name, description);
  }

  private void gauge(String name, String description, DoubleSupplier value) {
    metrics.gauge(GROUP, name, description, value);
  }

  /** Begins to count, and adds the metrics that are computed when they are read. */
  void watch(KafkaClient client) {
    ClientInternals internals = ClientInternals.of(client);
    watched = internals;
    registrations.addAll(network.watch(client));
    registrations.add(client.events().watchProducers(this));
    registrations.add(client.events().watchConnections(this));
    registrations.add(client.events()
        .watchConnections(new ConnectionLog("producer " + clientId, internals.loop().clock()::nanoTime)));
    internals.telemetry().metering().meter(this);
    gauge("requests-in-flight", "The current number of in-flight requests awaiting a response.",
        () -> client.status().connections().stream().mapToInt(c -> c.requestsInFlight()).sum());
    gauge("metadata-age", "The age in seconds of the current producer metadata being used.",
        () -> seconds(client.status().metadataAge()));
    SendMemory memory = internals.sendMemory();
    gauge("buffer-total-bytes",
        "The maximum amount of buffer memory the client can use (whether or not it is currently used).",
        () -> memory.pool().maxBytes());
    gauge("buffer-available-bytes",
        "The total amount of buffer memory that is not being used (either unallocated or in the free list).",
        () -> memory.pool().maxBytes() - memory.pool().leasedBytes());
    gauge("waiting-threads", "The number of user threads blocked waiting for buffer memory to enqueue their records",
        memory::waiters);
  }

  private static double seconds(@Nullable Duration age) {
    return age == null ? Double.NaN : age.toMillis() / MILLIS_PER_SECOND;
  }

  /** Passes the cluster's id to plug-ins that listen for it, once it is known. */
  void passClusterId(ClientInternals client, List<List<?>> plugins) {
    List<List<?>> wanting = new ArrayList<>(plugins);
    wanting.add(reporters);
    ClusterResourceListeners listeners = ClientUtils
        .configureClusterResourceListeners(wanting.toArray(List<?>[]::new));
    AtomicReference<@Nullable String> passed = new AtomicReference<>();
    Runnable passId = () -> {
      String id = client.cluster().snapshot().clusterId();
      if (id != null && !id.equals(passed.getAndSet(id))) {
        listeners.onUpdate(new ClusterResource(id));
      }
    };
    client.loop().execute(() -> {
      client.cluster().onChange(passId);
      passId.run(); // without this, a response that came before would be missed until metadata changes minutes later
    });
  }

  /**
   * Removes metrics of topics without a batch within {@code metadata.max.idle.ms}: otherwise a producer kept each topic
   * that it ever had.
   */
  private void forgetIdle(long now) {
    if (now - checkedNanos < idleNanos / CHECKS_WHILE_IDLE) {
      return;
    }
    checkedNanos = now;
    byTopic.values().removeIf(figures -> {
      boolean isIdle = now - figures.usedNanos > idleNanos;
      if (isIdle) {
        figures.remove();
      }
      return isIdle;
    });
  }

  Map<MetricName, KafkaMetric> metrics() {
    return metrics.all();
  }

  // Owner of the loop only.

  @Override
  public void onBatch(String topic, int records, int bytes, int plainBytes) {
    long now = metrics.now();
    double ratio = BatchMetrics.ratio(bytes, plainBytes);
    batches.batch(records, bytes, ratio, now);
    TopicMetrics of = of(topic);
    of.usedNanos = System.nanoTime();
    of.records.record(records, now);
    of.bytes.record(bytes, now);
    of.compression.record(ratio, now);
  }

  @Override
  public void onQueued(long nanos) {
    batches.queued(nanos);
  }

  @Override
  public void onSplit() {
    batches.split();
  }

  @Override
  public void onBatchRetried(String topic, int partition, int records, KafkaException cause) {
    long now = metrics.now();
    batches.retries.record(records, now);
    of(topic).retries.record(records, now);
  }

  @Override
  public void onBatchFailed(String topic, int partition, int records, KafkaException cause) {
    long now = metrics.now();
    batches.errors.record(records, now);
    of(topic).errors.record(records, now);
  }

  @Override
  public void onRequest(String broker, short apiKey, int bytes) {
    network.request(broker, bytes);
    if (apiKey == PRODUCE) {
      batches.requested();
    }
  }

  @Override
  public void onResponse(String broker, short apiKey, int bytes, long nanos) {
    if (apiKey == PRODUCE) {
      batches.responded(nanos);
    }
  }

  @Override
  public void onThrottle(int millis) {
    batches.throttled(millis);
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

  private TopicMetrics of(String topic) {
    TopicMetrics known = byTopic.get(topic);
    return known == null ? added(topic) : known;
  }

  private TopicMetrics added(String topic) {
    long now = System.nanoTime();
    forgetIdle(now);
    TopicMetrics figures = new TopicMetrics(metrics, topic);
    figures.usedNanos = now;
    byTopic.put(topic, figures);
    return figures;
  }

  // Any thread.

  @Override
  public void onMemoryAwaited(long nanos) {
    memoryWaits.record((double) nanos, metrics.now());
  }

  /** Notes the upper bound of a record's size. */
  void recordSize(int bytes) {
    batches.recordSize(bytes);
  }

  void metadataWaited(long nanos) {
    metadataWaits.record((double) nanos, metrics.now());
  }

  void flushed(long nanos) {
    flushes.record((double) nanos, metrics.now());
  }

  /** Records the time of a successful call. */
  void took(TransactionMetric call, long nanos) {
    RecordedMetric times = calls.get(call);
    if (times != null) {
      times.record((double) nanos, metrics.now());
    }
  }

  /** Counts a record that found no memory. */
  void exhausted() {
    exhausted.record(1, metrics.now());
  }

  /** Counts a record that was not accepted. */
  void failed() {
    batches.errors.record(1, metrics.now());
  }

  /** Closes the metrics; the first exception, if any, is stored in the reference. */
  void close(AtomicReference<@Nullable Throwable> failure) {
    registrations.forEach(Registration::close);
    ClientInternals client = watched;
    if (client != null) {
      client.telemetry().metering().meter(null);
    }
    QuietClose.close(metrics, "metrics", failure);
  }
}
