package dev.decant.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.consumer.ConsumerStatus;
import dev.decant.kafka.consumer.ConsumerStatus.PartitionStatus;
import io.opentelemetry.api.metrics.BatchCallback;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lag of consumers that come and go. */
class ConsumerObserverTest {
  private final InMemoryMetricReader reader = InMemoryMetricReader.create();
  private final SdkMeterProvider provider = SdkMeterProvider.builder().registerMetricReader(reader).build();
  private final Meter meter = provider.get("test");
  private final List<ConsumerStatus> consumers = new ArrayList<>();
  private final ConsumerObserver observer = new ConsumerObserver(meter, new ClientAttributes("shop"), () -> consumers);
  private final BatchCallback observing = meter.batchCallback(observer::observe, observer.measurements().get(0),
      observer.measurements().get(1), observer.measurements().get(2));

  @AfterEach
  void close() {
    observing.close();
    provider.close();
  }

  private void consumer(String group, PartitionStatus... partitions) {
    consumers.add(new ConsumerStatus(group, List.of(partitions)));
  }

  private static PartitionStatus partition(int number, long position, long end) {
    return new PartitionStatus("orders", number, position, end);
  }

  private static String name(LongPointData point) {
    return point.getAttributes().get(ClientAttributes.GROUP) + " "
        + Objects.requireNonNullElse(point.getAttributes().get(ClientAttributes.DESTINATION), "")
        + Objects.requireNonNullElse(point.getAttributes().get(ClientAttributes.PARTITION), "");
  }

  private Map<String, Long> collect(String metric) {
    return reader.collectAllMetrics().stream().filter(m -> m.getName().equals(metric))
        .flatMap(m -> m.getLongGaugeData().getPoints().stream())
        .collect(Collectors.toMap(ConsumerObserverTest::name, LongPointData::getValue));
  }

  @Test
  void eachPartitionHasItsLagAndEachGroupTheLargest() {
    consumer("bills", partition(0, 10, 17), partition(1, 3, 3), partition(2, ConsumerStatus.UNKNOWN, 5));
    consumer("bills", partition(0, 5, 17));
    assertThat(collect("kafka.consumer.records_lag")).as("the larger one of 0, none of 2")
        .isEqualTo(Map.of("bills orders0", 12L, "bills orders1", 0L));
    assertThat(collect("kafka.consumer.records_lag_max")).isEqualTo(Map.of("bills ", 12L));
    assertThat(collect("kafka.consumer.assigned_partitions")).isEqualTo(Map.of("bills ", 4L));
  }

  @Test
  void revokedPartitionsAreNotRecordedAnyMore() {
    consumer("bills", partition(0, 10, 17), partition(1, 3, 3));
    assertThat(collect("kafka.consumer.records_lag")).hasSize(2);
    consumers.clear();
    consumer("bills", partition(1, 3, 3));
    assertThat(collect("kafka.consumer.records_lag")).isEqualTo(Map.of("bills orders1", 0L));
  }
}
