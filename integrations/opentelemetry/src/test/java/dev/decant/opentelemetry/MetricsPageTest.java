package dev.decant.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.ConsumerStatus;
import dev.decant.kafka.consumer.ConsumerStatus.PartitionStatus;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableMeasurement;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.data.PointData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The table of docs/observing.md is that of the code; with -Ddocs.write=true it is written anew. */
@Timeout(60)
class MetricsPageTest {
  private static final Path PAGE = Path.of("../../docs/observing.md");
  private static final String BEGIN = "<!-- opentelemetry -->\n";
  private static final ConsumerStatus CONSUMER = new ConsumerStatus("billing",
      List.of(new PartitionStatus("orders", 0, 1, 3)));

  private final InMemoryMetricReader reader = InMemoryMetricReader.create();
  private final SdkMeterProvider provider = SdkMeterProvider.builder().registerMetricReader(reader).build();
  private final Meter meter = provider.get("test");
  private final ClientAttributes attributes = new ClientAttributes("billing");

  private static String kind(MetricDataType type) {
    return switch (type) {
      case LONG_SUM, DOUBLE_SUM -> "counter";
      case LONG_GAUGE, DOUBLE_GAUGE -> "gauge";
      default -> "histogram";
    };
  }

  private static String row(MetricData metric) {
    Set<String> keys = new TreeSet<>();
    for (PointData point : metric.getData().getPoints()) {
      point.getAttributes().forEach((key, value) -> keys.add("`" + key.getKey() + "`"));
    }
    keys.removeAll(List.of("`messaging.system`", "`messaging.client.id`"));
    return "| `" + metric.getName() + "` | " + kind(metric.getType()) + " | `" + metric.getUnit() + "` | "
        + String.join(", ", keys) + " | " + metric.getDescription() + " |\n";
  }

  private void observe(Runnable callback, List<ObservableMeasurement> of) {
    meter.batchCallback(callback, of.getFirst(), of.subList(1, of.size()).toArray(ObservableMeasurement[]::new));
  }

  /** No broker answers, so the age of the metadata, the last one, is recorded by the test. */
  private static void recordAge(StatusObserver status) {
    ((ObservableDoubleMeasurement) status.measurements().getLast()).record(1, Attributes.empty());
  }

  private String table() {
    Map<String, String> rows = new TreeMap<>();
    try (KafkaClient client = KafkaClient.connect("localhost:9")) {
      StatisticObserver statistics = new StatisticObserver(meter, attributes, client);
      StatusObserver status = new StatusObserver(meter, attributes, client);
      ConsumerObserver consumers = new ConsumerObserver(meter, attributes, () -> List.of(CONSUMER));
      observe(statistics::observe, statistics.measurements());
      observe(consumers::observe, consumers.measurements());
      observe(() -> {
        status.observe();
        recordAge(status);
      }, status.measurements());
      new SendDuration(meter, attributes).onBatchAcknowledged("orders", 0, 42, 10, 1_000, 2_500_000);
      new ResponseDuration(meter, attributes).onResponse("b:1", ApiKey.FETCH.id(), 50, 500_000_000);
      new ErrorCount(meter, attributes).onError(ErrorKind.COMMIT_FAILED, "billing",
          new KafkaException(ErrorCode.NONE, "no"));
      reader.collectAllMetrics().forEach(m -> rows.put(m.getName(), row(m)));
    }
    return "| metric | kind | unit | attributes beside `messaging.system` and `messaging.client.id` | meaning |\n"
        + "|---|---|---|---|---|\n" + String.join("", rows.values());
  }

  @Test
  void tableOfThePageIsThatOfTheCode() throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf(BEGIN) + BEGIN.length();
    String expected = page.substring(0, from) + table() + page.substring(page.indexOf("<!-- end -->", from));
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(expected);
  }
}
