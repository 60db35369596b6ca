package dev.decant.kafka.apache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.KafkaMetricsContext;
import org.apache.kafka.common.metrics.Measurable;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.utils.Time;

/**
 * Apache's registry of the metrics of one client. Its statistics are Apache's own classes, because publishing programs
 * distinguish a counter from a gauge by the class. Any thread.
 */
final class MetricSet implements AutoCloseable {
  private final Metrics metrics;
  private final Time time = Time.SYSTEM;
  private final AppInfo appInfo;
  private final ReentrantLock changing = new ReentrantLock();
  /** Number of metrics that use a sensor, by its name. Under the lock. */
  private final Map<String, Integer> uses = new HashMap<>();

  /**
   * Makes the registry, and initialises its reporters.
   *
   * @param config has the settings of samples
   * @param clientId the tag of all metrics
   * @param reporters closed with the registry
   * @param domain of the MBeans, such as {@code kafka.producer}
   */
  MetricSet(AbstractConfig config, String clientId, List<MetricsReporter> reporters, String domain) {
    MetricConfig samples = new MetricConfig().samples(config.getInt(CommonClientConfigs.METRICS_NUM_SAMPLES_CONFIG))
        .timeWindow(config.getLong(CommonClientConfigs.METRICS_SAMPLE_WINDOW_MS_CONFIG), TimeUnit.MILLISECONDS)
        .recordLevel(
            Sensor.RecordingLevel.forName(config.getString(CommonClientConfigs.METRICS_RECORDING_LEVEL_CONFIG)))
        .tags(Map.of("client-id", clientId));
    metrics = new Metrics(samples, new ArrayList<>(reporters), time, new KafkaMetricsContext(domain,
        config.originalsWithPrefix(CommonClientConfigs.METRICS_CONTEXT_PREFIX)));
    appInfo = AppInfo.register(domain, clientId, metrics, time.milliseconds());
  }

  /** Returns epoch milliseconds, to be read once for all metrics of an event. */
  long now() {
    return time.milliseconds();
  }

  /** Returns a metric of the client. */
  RecordedMetric metric(String group, String key) {
    return metric(group, key, List.of(Map.of()));
  }

  /**
   * Returns a metric under one or more sets of tags.
   *
   * @param key unique among metrics with these tags
   * @param tags in addition to the client's tag
   */
  RecordedMetric metric(String group, String key, List<Map<String, String>> tags) {
    List<Sensor> sensors = new ArrayList<>();
    tags.forEach(labels -> sensors.add(sensors(1, group + ":" + key + labels)));
    return new RecordedMetric(this, sensors, group, tags);
  }

  /** Releases the sensors of a metric. Another metric under the same tags keeps them. */
  void release(List<Sensor> sensors) {
    sensors.forEach(sensor -> sensors(-1, sensor.name()));
  }

  /**
   * Changes the number of a sensor's users. Without dots, a topic may have the name of another one: the metrics of both
   * share a sensor.
   */
  private Sensor sensors(int change, String name) {
    changing.lock();
    try {
      Sensor sensor = metrics.sensor(name);
      if (uses.merge(name, change, (before, more) -> before + more == 0 ? null : before + more) == null) {
        metrics.removeSensor(name);
      }
      return sensor;
    } finally {
      changing.unlock();
    }
  }

  /** Returns a metric that is computed when it is read. */
  MetricName gauge(String group, String name, String description, DoubleSupplier value) {
    MetricName full = metrics.metricName(name, group, description);
    Measurable measurable = (config, now) -> value.getAsDouble();
    metrics.addMetric(full, measurable);
    return full;
  }

  /** Returns a metric with more tags, whose value is an {@code Integer}, as Apache's is. */
  MetricName count(String group, String name, String description, Map<String, String> tags, IntSupplier value) {
    MetricName full = metrics.metricName(name, group, description, tags);
    Gauge<Integer> gauge = (config, now) -> value.getAsInt();
    metrics.addMetric(full, gauge);
    return full;
  }

  void remove(MetricName name) {
    metrics.removeMetric(name);
  }

  Metrics registry() {
    return metrics;
  }

  Map<MetricName, KafkaMetric> all() {
    return metrics.metrics();
  }

  @Override
  public void close() {
    appInfo.close();
    metrics.close();
  }
}
