package dev.decant.kafka.apache;

import dev.decant.buffer.BufferPool;
import dev.decant.event.Registration;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.KafkaStatistics;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.event.ProducerListener;
import dev.decant.kafka.internal.ClientInternals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.LongToDoubleFunction;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.KafkaMetricsContext;
import org.apache.kafka.common.metrics.Measurable;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a producer under Apache's names, in Apache's registry, which hands them to the application's
 * reporters. Batches and responses are counted as they come; all else is computed when somebody reads it.
 */
final class ProducerFigures implements ProducerListener, ConnectionListener {
  private static final String GROUP = "producer-metrics";
  private static final String TOPIC_GROUP = "producer-topic-metrics";
  private static final String JMX_PREFIX = "kafka.producer";
  private static final short PRODUCE = 0;
  /** How often idle topics are looked for within the time after which a topic is idle. */
  private static final int LOOKS_WHILE_IDLE = 5;
  private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final double MILLIS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);

  private final Map<String, String> tags;
  private final long windowNanos;
  private final List<MetricsReporter> reporters;
  private final Metrics metrics;
  private final TopicFigures all = new TopicFigures();
  private final Map<String, TopicFigures> byTopic = new ConcurrentHashMap<>();
  private final long idleNanos;
  /** When idle topics were looked for last. Owner of the loop only. */
  private long lookedNanos = System.nanoTime();
  private final Window batchSizes;
  private final Window recordsPerBatch;
  private final Window latencies;
  private final Window throttled;
  private final LongAdder exhausted = new LongAdder();
  private final LongAdder flushNanos = new LongAdder();
  private final LongAdder metadataNanos = new LongAdder();
  private final EnumMap<TransactionFigure, LongAdder> callNanos = new EnumMap<>(TransactionFigure.class);
  private final List<Registration> registrations = new ArrayList<>();
  /** Under its monitor. */
  private final KafkaStatistics statistics = new KafkaStatistics();

  ProducerFigures(ProducerOptions options) {
    this(options, TimeUnit.MILLISECONDS.toNanos(options.config().getLong(ProducerConfig.METADATA_MAX_IDLE_CONFIG)));
  }

  /** The same; figures of a topic go when nothing was sent to it for so long, and another topic comes. */
  ProducerFigures(ProducerOptions options, long idleNanos) {
    this.idleNanos = idleNanos;
    ProducerConfig config = options.config();
    tags = Map.of("client-id", options.clientId());
    long windowMillis = config.getLong(ProducerConfig.METRICS_SAMPLE_WINDOW_MS_CONFIG);
    windowNanos = TimeUnit.MILLISECONDS.toNanos(windowMillis);
    MetricConfig metricConfig = new MetricConfig().samples(config.getInt(ProducerConfig.METRICS_NUM_SAMPLES_CONFIG))
        .timeWindow(windowMillis, TimeUnit.MILLISECONDS)
        .recordLevel(Sensor.RecordingLevel.forName(config.getString(ProducerConfig.METRICS_RECORDING_LEVEL_CONFIG)))
        .tags(tags);
    reporters = CommonClientConfigs.metricsReporters(options.clientId(), config);
    metrics = new Metrics(metricConfig, new ArrayList<>(reporters), Time.SYSTEM, new KafkaMetricsContext(JMX_PREFIX,
        config.originalsWithPrefix(CommonClientConfigs.METRICS_CONTEXT_PREFIX)));
    batchSizes = window();
    recordsPerBatch = window();
    latencies = window();
    throttled = window();
    for (TransactionFigure figure : TransactionFigure.values()) {
      LongAdder nanos = new LongAdder();
      callNanos.put(figure, nanos);
      total(figure.metric, figure.description, nanos);
    }
    total("flush-time-ns-total", "Nanoseconds in flush.", flushNanos);
    total("metadata-wait-time-ns-total", "Nanoseconds of waiting for metadata of topics.", metadataNanos);
    ofBatches();
  }

  private Window window() {
    return new Window(windowNanos, System.nanoTime());
  }

  private void ofBatches() {
    counted("record-send", "records sent, repeats included", all.records);
    counted("record-retry", "records to be sent again", all.retries);
    counted("record-error", "records that were not stored", all.errors);
    counted("buffer-exhausted", "records that found no memory in time", exhausted);
    gauge("batch-size-avg", "Mean bytes of a batch.", batchSizes::mean);
    gauge("batch-size-max", "Largest bytes of a batch.", batchSizes::max);
    gauge("records-per-request-avg", "Mean records of a batch: a request has one batch for each partition.",
        recordsPerBatch::mean);
    gauge("request-latency-avg", "Mean milliseconds from a Produce request to its response.", latencies::mean);
    gauge("request-latency-max", "Most milliseconds from a Produce request to its response.", latencies::max);
    gauge("produce-throttle-time-avg", "Mean milliseconds for which a broker has throttled the client.",
        throttled::mean);
    gauge("produce-throttle-time-max", "Most milliseconds for which a broker has throttled the client.",
        throttled::max);
  }

  /** Begins to count, and adds the metrics that the client counts itself. */
  void watch(KafkaClient client) {
    registrations.add(client.events().watchProducers(this));
    registrations.add(client.events().watchConnections(this));
    counted("outgoing-byte", "bytes of batches sent, repeats included", client, Statistic.BATCH_BYTES_SENT);
    counted("incoming-byte", "bytes of responses", client, Statistic.BYTES_RECEIVED);
    counted("request", "requests that were answered", client, Statistic.RESPONSES);
    counted("response", "responses", client, Statistic.RESPONSES);
    counted("connection-creation", "connections opened", client, Statistic.CONNECTIONS_READY);
    counted("connection-close", "connections ended", client, Statistic.CONNECTIONS_ENDED,
        Statistic.CONNECTIONS_CLOSED);
    gauge("connection-count", "Connections to brokers.",
        now -> client.status().connections().stream().filter(c -> c.ready()).count());
    gauge("requests-in-flight", "Requests without a response.",
        now -> client.status().connections().stream().mapToInt(c -> c.requestsInFlight()).sum());
    gauge("metadata-age", "Seconds since the last metadata.", now -> seconds(client.status().metadataAge()));
    BufferPool memory = ClientInternals.of(client).sendMemory().pool();
    gauge("buffer-total-bytes", "Bound of the memory for records.", now -> memory.maxBytes());
    gauge("buffer-available-bytes", "Memory for records that is free.",
        now -> memory.maxBytes() - memory.leasedBytes());
  }

  private static double seconds(@Nullable Duration age) {
    return age == null ? Double.NaN : age.toMillis() / MILLIS_PER_SECOND;
  }

  /** Tells plugins that want to know it the cluster's id, once it is known. */
  void tellCluster(ClientInternals client, List<List<?>> plugins) {
    List<List<?>> wanting = new ArrayList<>(plugins);
    wanting.add(reporters);
    ClusterResourceListeners listeners = ClientUtils
        .configureClusterResourceListeners(wanting.toArray(List<?>[]::new));
    AtomicReference<@Nullable String> told = new AtomicReference<>();
    client.loop().execute(() -> client.cluster().onChange(() -> {
      String id = client.cluster().snapshot().clusterId();
      if (id != null && !id.equals(told.getAndSet(id))) {
        listeners.onUpdate(new ClusterResource(id));
      }
    }));
  }

  private void counted(String name, String what, KafkaClient client, Statistic... summed) {
    counted(new ArrayList<>(), name, what, () -> {
      synchronized (statistics) {
        client.statistics(statistics);
        double sum = 0;
        for (Statistic statistic : summed) {
          sum += statistics.value(statistic);
        }
        return sum;
      }
    }, GROUP, tags);
  }

  private void counted(String name, String what, LongAdder counter) {
    counted(new ArrayList<>(), name, what, counter::sum, GROUP, tags);
  }

  /** Adds two metrics, and their names to a list. */
  private void counted(List<MetricName> names, String name, String what, DoubleSupplier counter, String group,
      Map<String, String> labels) {
    Rate rate = new Rate(counter, windowNanos, System.nanoTime());
    MetricName total = metrics.metricName(name + "-total", group, "Number of " + what + ".", labels);
    MetricName perSecond = metrics.metricName(name + "-rate", group, "Per second: " + what + ".", labels);
    add(total, now -> counter.getAsDouble());
    add(perSecond, rate::perSecond);
    names.add(total);
    names.add(perSecond);
  }

  /** Topics come and go: those that no batch was sent to within {@code metadata.max.idle.ms} are not counted apart. */
  private void forgetIdle(long now) {
    if (now - lookedNanos < idleNanos / LOOKS_WHILE_IDLE) {
      return;
    }
    lookedNanos = now;
    byTopic.values().removeIf(figures -> {
      boolean isIdle = now - figures.usedNanos > idleNanos;
      if (isIdle) {
        figures.names.forEach(metrics::removeMetric);
      }
      return isIdle;
    });
  }

  private void total(String name, String description, LongAdder counter) {
    gauge(name, description, now -> counter.sum());
  }

  private void gauge(String name, String description, LongToDoubleFunction value) {
    add(metrics.metricName(name, GROUP, description, tags), value);
  }

  /** The value is a function of the monotonic time. */
  private void add(MetricName name, LongToDoubleFunction value) {
    Measurable measurable = (config, now) -> value.applyAsDouble(System.nanoTime());
    metrics.addMetric(name, measurable);
  }

  Map<MetricName, KafkaMetric> metrics() {
    return metrics.metrics();
  }

  // Owner of the loop only.

  @Override
  public void onBatchSent(String topic, int partition, int records, int bytes, int attempt) {
    long now = System.nanoTime();
    batchSizes.add(bytes, now);
    recordsPerBatch.add(records, now);
    TopicFigures of = of(topic);
    of.usedNanos = now;
    all.records.add(records);
    of.records.add(records);
    of.bytes.add(bytes);
  }

  @Override
  public void onBatchRetried(String topic, int partition, int records, KafkaException cause) {
    all.retries.add(records);
    of(topic).retries.add(records);
  }

  @Override
  public void onBatchFailed(String topic, int partition, int records, KafkaException cause) {
    all.errors.add(records);
    of(topic).errors.add(records);
  }

  @Override
  public void onResponse(String broker, short apiKey, int bytes, long nanos) {
    if (apiKey == PRODUCE) {
      latencies.add(nanos / NANOS_PER_MILLI, System.nanoTime());
    }
  }

  @Override
  public void onThrottled(String broker, int millis) {
    throttled.add(millis, System.nanoTime());
  }

  private TopicFigures of(String topic) {
    TopicFigures known = byTopic.get(topic);
    return known == null ? added(topic) : known;
  }

  private TopicFigures added(String topic) {
    TopicFigures figures = new TopicFigures();
    figures.usedNanos = System.nanoTime();
    forgetIdle(figures.usedNanos);
    byTopic.put(topic, figures);
    Map<String, String> labels = new HashMap<>(tags);
    labels.put("topic", topic);
    counted(figures.names, "record-send", "records sent to the topic, repeats included", figures.records::sum,
        TOPIC_GROUP, labels);
    counted(figures.names, "byte", "bytes of batches sent to the topic", figures.bytes::sum, TOPIC_GROUP, labels);
    counted(figures.names, "record-retry", "records of the topic to be sent again", figures.retries::sum, TOPIC_GROUP,
        labels);
    counted(figures.names, "record-error", "records of the topic that were not stored", figures.errors::sum,
        TOPIC_GROUP, labels);
    return figures;
  }

  // Any thread.

  void metadataWaited(long nanos) {
    metadataNanos.add(nanos);
  }

  void flushed(long nanos) {
    flushNanos.add(nanos);
  }

  /** A call has ended well. */
  void took(TransactionFigure figure, long nanos) {
    LongAdder counter = callNanos.get(figure);
    if (counter != null) {
      counter.add(nanos);
    }
  }

  /** A record found no memory. */
  void exhausted() {
    exhausted.increment();
  }

  /** A record was not accepted. */
  void failed() {
    all.errors.increment();
  }

  /** The first exception, if any, is left in the reference. */
  void close(AtomicReference<@Nullable Throwable> failure) {
    registrations.forEach(Registration::close);
    Closing.quietly(metrics, "metrics", failure);
  }
}
