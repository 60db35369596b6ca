package dev.decant.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.event.Registration;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.telemetry.Telemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With a client that no broker answers: what it would tell is fired by the test. */
@Timeout(60)
class KafkaClientMetricsTest {
  private final InMemoryMetricReader reader = InMemoryMetricReader.create();
  private final SdkMeterProvider provider = SdkMeterProvider.builder().registerMetricReader(reader).build();
  private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder().setMeterProvider(provider).build();
  private final KafkaClient client = KafkaClient.connect("localhost:9");
  private final Telemetry telemetry = ClientInternals.of(client).telemetry();
  private final Registration watching = KafkaClientMetrics.watch(client, "billing", sdk);

  @AfterEach
  void close() {
    watching.close();
    client.close();
    sdk.close();
  }

  private Map<String, MetricData> collect() {
    return reader.collectAllMetrics().stream().collect(Collectors.toMap(MetricData::getName, Function.identity()));
  }

  private static MetricData metric(Map<String, MetricData> collected, String name) {
    return Objects.requireNonNull(collected.get(name), name);
  }

  /** The points of a counter or gauge by what they are told apart by, the client aside. */
  private static Map<String, Long> longs(Map<String, MetricData> collected, String name) {
    MetricData metric = metric(collected, name);
    Collection<LongPointData> points = metric.getType() == MetricDataType.LONG_SUM
        ? metric.getLongSumData().getPoints()
        : metric.getLongGaugeData().getPoints();
    return points.stream().collect(Collectors.toMap(p -> rest(p.getAttributes()), LongPointData::getValue));
  }

  private static String rest(Attributes attributes) {
    assertThat(attributes.get(ClientAttributes.SYSTEM)).isEqualTo("kafka");
    assertThat(attributes.get(ClientAttributes.CLIENT_ID)).isEqualTo("billing");
    Map<String, Object> rest = new TreeMap<>();
    attributes.forEach((key, value) -> rest.put(key.getKey(), value));
    rest.keySet().removeAll(List.of("messaging.system", "messaging.client.id"));
    return rest.toString();
  }

  private static HistogramPointData histogram(Map<String, MetricData> collected, String name, String attributes) {
    MetricData metric = metric(collected, name);
    assertThat(metric.getUnit()).isEqualTo("s");
    return metric.getHistogramData().getPoints().stream().filter(p -> rest(p.getAttributes()).equals(attributes))
        .findAny().orElseThrow();
  }

  @Test
  void messagesAreCountedByTheNamesOfTheConventions() {
    telemetry.producer().acknowledged("orders", 3, 42, 10, 1_000, 2_500_000);
    telemetry.producer().failed("orders", 3, 4, new KafkaException(ErrorCode.MESSAGE_TOO_LARGE, "no"));
    telemetry.consumer().polled(7);
    Map<String, MetricData> collected = collect();

    assertThat(longs(collected, "messaging.client.sent.messages")).containsOnly(
        Map.entry("{messaging.operation.name=send, messaging.operation.type=send}", 10L),
        Map.entry("{error.type=_OTHER, messaging.operation.name=send, messaging.operation.type=send}", 4L));
    assertThat(longs(collected, "messaging.client.consumed.messages")).containsOnly(
        Map.entry("{messaging.operation.name=poll, messaging.operation.type=receive}", 7L));
    assertThat(metric(collected, "messaging.client.sent.messages").getUnit()).isEqualTo("{message}");
    assertThat(longs(collected, "decant.kafka.errors")).containsOnly(Map.entry("{error.type=produce.failed}", 1L));
  }

  @Test
  void durationsAreRecordedByTopicAndByApi() {
    telemetry.producer().acknowledged("orders", 3, 42, 10, 1_000, 30_000_000);
    telemetry.producer().acknowledged("orders", 4, 42, 10, 1_000, 10_000_000);
    telemetry.producer().acknowledged("bills", 0, 42, 10, 1_000, 1_000_000_000);
    telemetry.connection().response("b:1", ApiKey.FETCH.id(), 50, 0, 500_000_000);
    Map<String, MetricData> collected = collect();

    HistogramPointData orders = histogram(collected, "messaging.client.operation.duration",
        "{messaging.destination.name=orders, messaging.operation.name=send, messaging.operation.type=send}");
    assertThat(orders.getCount()).isEqualTo(2);
    assertThat(orders.getMax()).isEqualTo(0.03);
    assertThat(orders.getBoundaries()).startsWith(0.005, 0.01).endsWith(7.5, 10.0);
    HistogramPointData fetch = histogram(collected, "decant.kafka.response.duration", "{decant.kafka.api=Fetch}");
    assertThat(fetch.getCount()).isEqualTo(1);
    assertThat(fetch.getSum()).isEqualTo(0.5);
  }

  @Test
  void everyStatisticIsObserved() {
    for (Statistic statistic : Statistic.values()) {
      telemetry.counters().add(statistic, 1_000 + statistic.name().hashCode() % 1_000);
    }
    List<Long> observed = reader.collectAllMetrics().stream().filter(m -> m.getType() == MetricDataType.LONG_SUM)
        .flatMap(m -> m.getLongSumData().getPoints().stream()).map(LongPointData::getValue).toList();
    List<Long> counted = List.of(Statistic.values()).stream().filter(s -> s != Statistic.ERRORS)
        .map(s -> telemetry.counters().get(s)).toList();

    assertThat(observed).containsExactlyInAnyOrderElementsOf(counted);
  }

  @Test
  void gaugesTellHowTheClientStands() {
    Map<String, MetricData> open = collect();
    assertThat(longs(open, "decant.kafka.live")).containsOnly(Map.entry("{}", 1L));
    assertThat(longs(open, "decant.kafka.connections.ready")).containsOnly(Map.entry("{}", 0L));
    assertThat(longs(open, "decant.kafka.fetch.memory.max")).containsOnly(Map.entry("{}", 64L * 1024 * 1024));
    assertThat(open).doesNotContainKey("decant.kafka.metadata.age");

    client.close();
    Map<String, MetricData> closed = collect();
    assertThat(longs(closed, "decant.kafka.live")).containsOnly(Map.entry("{}", 0L));
    assertThat(closed).doesNotContainKeys("decant.kafka.connections.ready", "decant.kafka.requests.pending");
  }

  /** With consumers whose broker does not answer: their partitions are known all the same, but not their lag. */
  @Test
  void assignmentsAreObservedWhileThereAreConsumers() {
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("bills").open();
        Consumer<String, String> other = client.consumer(Serdes.string(), Serdes.string()).open()) {
      consumer.assign("orders", 0, 1);
      other.assign("orders", 0);
      assertThat(longs(collect(), "kafka.consumer.assigned_partitions")).containsOnly(Map.entry("{}", 1L),
          Map.entry("{messaging.consumer.group.name=bills}", 2L));
      assertThat(collect()).doesNotContainKeys("kafka.consumer.records_lag", "kafka.consumer.records_lag_max");
    }
    assertThat(collect()).doesNotContainKey("kafka.consumer.assigned_partitions");
  }

  @Test
  void nothingIsObservedOnceWatchingHasEnded() {
    telemetry.consumer().polled(7);
    watching.close();
    watching.close();
    telemetry.producer().acknowledged("orders", 3, 42, 10, 1_000, 30_000_000);

    assertThat(collect()).isEmpty();
  }

  @Test
  void everyMetricSaysWhatItIs() {
    telemetry.producer().acknowledged("orders", 3, 42, 10, 1_000, 30_000_000);

    assertThat(collect().values()).isNotEmpty().allSatisfy(m -> {
      assertThat(m.getName()).matches("(decant\\.kafka|messaging\\.client|kafka\\.consumer)(\\.[a-z_]+)+");
      assertThat(m.getDescription()).isNotBlank();
      assertThat(m.getUnit()).isNotBlank();
      assertThat(m.getInstrumentationScopeInfo().getName()).isEqualTo("dev.decant.kafka");
    });
  }
}
