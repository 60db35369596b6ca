package dev.decant.kafka.apache;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.CompoundStat;
import org.apache.kafka.common.metrics.MeasurableStat;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.metrics.stats.Avg;
import org.apache.kafka.common.metrics.stats.CumulativeCount;
import org.apache.kafka.common.metrics.stats.CumulativeSum;
import org.apache.kafka.common.metrics.stats.Max;
import org.apache.kafka.common.metrics.stats.Meter;
import org.apache.kafka.common.metrics.stats.Min;
import org.apache.kafka.common.metrics.stats.Rate;
import org.apache.kafka.common.metrics.stats.Value;
import org.apache.kafka.common.metrics.stats.WindowedCount;

/**
 * The metrics of one recorded value, under each of its sets of tags. Any thread. {@link #record} takes a lock, so it is
 * called for batches, requests and polls, never for each record.
 */
final class RecordedMetric {
  /**
   * The window of rates per hour, as in kafka-clients 4.3: with the short samples of other rates, one event would count
   * as a hundred per hour.
   */
  private static final MetricConfig HOURS = new MetricConfig().samples(2).timeWindow(1, TimeUnit.HOURS);

  private final MetricSet set;
  private final Metrics metrics;
  /** One sensor for each set of tags, in the same order. */
  private final List<Sensor> sensors;
  private final String group;
  private final List<Map<String, String>> tags;

  RecordedMetric(MetricSet set, List<Sensor> sensors, String group, List<Map<String, String>> tags) {
    this.set = set;
    this.metrics = set.registry();
    this.sensors = sensors;
    this.group = group;
    this.tags = tags;
  }

  private interface Adding {
    void under(Map<String, String> tags, Sensor sensor);
  }

  private RecordedMetric each(Adding adding) {
    for (int i = 0; i < tags.size(); i++) {
      adding.under(tags.get(i), sensors.get(i));
    }
    return this;
  }

  private MetricName name(String name, String description, Map<String, String> labels) {
    return metrics.metricName(name, group, description, labels);
  }

  /**
   * Adds a metric. The name of another topic may lead to the same metric name: both then record into the sensor of the
   * first. Otherwise the metric went for good with the first of both topics.
   */
  private void add(Sensor sensor, MetricName name, MeasurableStat stat) {
    if (metrics.metric(name) == null) {
      sensor.add(name, stat);
    }
  }

  private void add(Sensor sensor, MetricName first, CompoundStat stat) {
    if (metrics.metric(first) == null) {
      sensor.add(stat);
    }
  }

  /** Adds a sum as {@code NAME-rate} per second and {@code NAME-total}. */
  RecordedMetric sums(String name, String rate, String total) {
    return each((labels, sensor) -> {
      MetricName perSecond = name(name + "-rate", rate, labels);
      add(sensor, perSecond, new Meter(perSecond, name(name + "-total", total, labels)));
    });
  }

  /** Adds a count of records as {@code NAME-rate} per second and {@code NAME-total}. */
  RecordedMetric counts(String name, String rate, String total) {
    return each((labels, sensor) -> {
      MetricName perSecond = name(name + "-rate", rate, labels);
      add(sensor, perSecond, new Meter(new WindowedCount(), perSecond, name(name + "-total", total, labels)));
    });
  }

  /** Adds a count of records as {@code NAME-rate-per-hour} and {@code NAME-total}. */
  RecordedMetric countsPerHour(String name, String rate, String total) {
    return each((labels, sensor) -> {
      MetricName perHour = name(name + "-rate-per-hour", rate, labels);
      if (metrics.metric(perHour) == null) {
        sensor.add(perHour, new Rate(TimeUnit.HOURS, new WindowedCount()), HOURS);
      }
      add(sensor, name(name + "-total", total, labels), new CumulativeCount());
    });
  }

  /** Adds a sum of nanoseconds: as a part of the time, and as a total. */
  RecordedMetric partOfTime(String ratio, String ratioDescription, String total, String totalDescription) {
    return each((labels, sensor) -> {
      MetricName part = name(ratio, ratioDescription, labels);
      add(sensor, part, new Meter(TimeUnit.NANOSECONDS, part, name(total, totalDescription, labels)));
    });
  }

  RecordedMetric total(String name, String description) {
    return each((labels, sensor) -> add(sensor, name(name, description, labels), new CumulativeSum()));
  }

  RecordedMetric mean(String name, String description) {
    return each((labels, sensor) -> add(sensor, name(name, description, labels), new Avg()));
  }

  RecordedMetric max(String name, String description) {
    return each((labels, sensor) -> add(sensor, name(name, description, labels), new Max()));
  }

  RecordedMetric min(String name, String description) {
    return each((labels, sensor) -> add(sensor, name(name, description, labels), new Min()));
  }

  /** Adds a metric that has the last recorded value. */
  RecordedMetric value(String name, String description) {
    return each((labels, sensor) -> add(sensor, name(name, description, labels), new Value()));
  }

  /**
   * Records a value.
   *
   * @param nowMillis of {@link MetricSet#now}
   */
  void record(double value, long nowMillis) {
    for (int i = 0; i < sensors.size(); i++) { // by index: no iterator is allocated
      sensors.get(i).record(value, nowMillis, false);
    }
  }

  /** Removes its metrics, unless another metric has them, too. Called once. */
  void remove() {
    set.release(sensors);
  }
}
