package dev.decant.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.event.Registration;
import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A collector reads how the sessions of an engine stand. */
@Timeout(60)
@SuppressWarnings("NullAway") // a figure that is missing fails the test
class FixEngineMetricsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Path PAGE = Path.of("../../docs/operating-fix.md");
  private static final String BEGIN = "<!-- opentelemetry -->\n";

  private final InMemoryMetricReader reader = InMemoryMetricReader.create();
  private final SdkMeterProvider provider = SdkMeterProvider.builder().registerMetricReader(reader).build();
  private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder().setMeterProvider(provider).build();
  private final FixEngine engine = FixEngine.builder().start();

  @AfterEach
  void close() {
    engine.close();
    sdk.close();
  }

  private Map<String, MetricData> collect() {
    return new TreeMap<>(
        reader.collectAllMetrics().stream().collect(Collectors.toMap(MetricData::getName, Function.identity())));
  }

  /** A session that has sent a TestRequest, so that each figure is known. */
  private FixSession session() throws Exception {
    FixAcceptor acceptor = engine
        .acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (from, message) -> {})
        .session(SessionSettings.of(SessionId.of("FIX.4.4", "SERVER", "CLIENT")).build()).open();
    FixSession session = engine
        .initiator(SessionSettings.of(SessionId.of("FIX.4.4", "CLIENT", "SERVER")).build(), (from, message) -> {})
        .host("localhost", acceptor.localAddress().getPort()).open();
    assertThat(session.awaitLogon(PATIENCE)).isTrue();
    assertThat(session.testRequest().get(20, TimeUnit.SECONDS)).isPositive();
    return session;
  }

  @Test
  void figuresOfAllSessionsAreCollectedUntilTheEnd() throws Exception {
    Registration watching = FixEngineMetrics.watch(engine, "desk", sdk);
    FixSession session = session();

    Map<String, Long> sent = collect().get("decant.fix.messages.sent").getLongSumData().getPoints().stream()
        .collect(Collectors.toMap(point -> point.getAttributes().get(AttributeKey.stringKey("decant.fix.engine")) + ' '
            + point.getAttributes().get(AttributeKey.stringKey("decant.fix.session")), point -> point.getValue()));
    assertThat(sent).hasSize(2).containsEntry("desk " + session.id(), 2L); // Logon, TestRequest
    assertThat(collect().get("decant.fix.up").getLongGaugeData().getPoints())
        .allSatisfy(point -> assertThat(point.getValue()).isEqualTo(1));

    watching.close();
    watching.close();
    assertThat(collect()).isEmpty();
  }

  private static String row(MetricData metric) {
    String kind = metric.getType() == MetricDataType.LONG_SUM ? "counter" : "gauge";
    return "| `" + metric.getName() + "` | " + kind + " | `" + metric.getUnit() + "` | " + metric.getDescription()
        + " |\n";
  }

  /** The table of docs/operating-fix.md is that of the code; with -Ddocs.write=true it is written anew. */
  @Test
  void tableOfThePageIsThatOfTheCode() throws Exception {
    Registration watching = FixEngineMetrics.watch(engine, "desk", sdk);
    assertThat(session().isLoggedOn()).isTrue();
    String table = "| metric | kind | unit | meaning |\n|---|---|---|---|\n"
        + collect().values().stream().map(FixEngineMetricsTest::row).collect(Collectors.joining());
    watching.close();
    write(table);
  }

  private static void write(String table) throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf(BEGIN) + BEGIN.length();
    String expected = page.substring(0, from) + table + page.substring(page.indexOf("<!-- end -->", from));
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(expected);
  }
}
