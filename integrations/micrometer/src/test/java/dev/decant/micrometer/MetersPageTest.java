package dev.decant.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.telemetry.Telemetry;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The table of docs/observing.md is that of the code; with -Ddocs.write=true it is written anew. */
@Timeout(60)
class MetersPageTest {
  private static final Path PAGE = Path.of("../../docs/observing.md");
  private static final String BEGIN = "<!-- micrometer -->\n";

  private static String row(Meter meter) {
    Meter.Id id = meter.getId();
    String unit = meter.getId().getType() == Meter.Type.TIMER ? "seconds" : id.getBaseUnit();
    String tags = id.getTags().stream().map(Tag::getKey).map(key -> "`" + key + "`").collect(Collectors.joining(", "));
    return "| `" + id.getName() + "` | " + id.getType().name().toLowerCase(Locale.ROOT) + " | "
        + Objects.requireNonNullElse(unit, "") + " | " + tags + " | " + id.getDescription() + " |\n";
  }

  /** Some meters are made when there is something to measure. */
  private static String table() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    Map<String, String> rows = new TreeMap<>();
    try (KafkaClient client = KafkaClient.connect("localhost:9");
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).open();
        KafkaClientMetrics metrics = new KafkaClientMetrics(client, "billing")) {
      consumer.assign("orders", 0);
      metrics.bindTo(registry);
      Telemetry telemetry = ClientInternals.of(client).telemetry();
      telemetry.connection().response("b:1", ApiKey.PRODUCE.id(), 50, 1_000, 5_000);
      KafkaException refusal = new KafkaException(ErrorCode.CORRUPT_MESSAGE, "no");
      telemetry.producer().sent("orders", 0, 1, 80, 1);
      telemetry.producer().retried("orders", 0, 1, refusal);
      telemetry.producer().failed("orders", 0, 1, refusal);
      telemetry.consumer().pollBegan("");
      telemetry.consumer().delivered("orders", 0, 1);
      telemetry.consumer().skipped("orders", 0, 7, refusal);
      registry.getMeters().forEach(m -> rows.put(m.getId().getName(), row(m)));
    }
    return "| meter | kind | unit | tags | meaning |\n|---|---|---|---|---|\n" + String.join("", rows.values());
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
