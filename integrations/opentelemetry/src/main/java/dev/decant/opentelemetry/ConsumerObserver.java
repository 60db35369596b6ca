package dev.decant.opentelemetry;

import dev.decant.kafka.consumer.ConsumerStatus;
import dev.decant.kafka.consumer.ConsumerStatus.PartitionStatus;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import io.opentelemetry.api.metrics.ObservableMeasurement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Observes lag and assignment of consumers, under the names of OpenTelemetry's instrumentation of Apache's client.
 * Partitions that nobody reads any more are not recorded, and neither is a lag that is not known. Two consumers of a
 * group that read the same partition count as one, with the larger lag.
 */
final class ConsumerObserver {
  private final Supplier<List<ConsumerStatus>> consumers;
  private final ClientAttributes attributes;
  private final ObservableLongMeasurement lag;
  private final ObservableLongMeasurement maxLag;
  private final ObservableLongMeasurement assigned;

  ConsumerObserver(Meter meter, ClientAttributes attributes, Supplier<List<ConsumerStatus>> consumers) {
    this.consumers = consumers;
    this.attributes = attributes;
    lag = gauge(meter, "records_lag", "{record}", "Offsets between the position and the end of the partition");
    maxLag = gauge(meter, "records_lag_max", "{record}", "The largest lag of a partition");
    assigned = gauge(meter, "assigned_partitions", "{partition}", "Partitions that are read");
  }

  private static ObservableLongMeasurement gauge(Meter meter, String name, String unit, String description) {
    return meter.gaugeBuilder("kafka.consumer." + name).ofLongs().setUnit(unit).setDescription(description)
        .buildObserver();
  }

  List<ObservableMeasurement> measurements() {
    return List.of(lag, maxLag, assigned);
  }

  void observe() {
    Map<Attributes, Long> lags = new HashMap<>();
    Map<Attributes, Long> maxLags = new HashMap<>();
    Map<Attributes, Long> counts = new HashMap<>();
    for (ConsumerStatus consumer : consumers.get()) {
      Attributes group = attributes.ofGroup(consumer.group());
      counts.merge(group, (long) consumer.partitions().size(), Long::sum);
      maxLags.merge(group, consumer.maxLag(), Math::max);
      for (PartitionStatus p : consumer.partitions()) {
        lags.merge(ClientAttributes.withPartition(group, p.topic(), p.partition()), p.lag(), Math::max);
      }
    }
    record(lag, lags);
    record(maxLag, maxLags);
    record(assigned, counts);
  }

  private static void record(ObservableLongMeasurement into, Map<Attributes, Long> values) {
    values.forEach((of, value) -> {
      if (value != ConsumerStatus.UNKNOWN) {
        into.record(value, of);
      }
    });
  }
}
