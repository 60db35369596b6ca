package dev.decant.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A dashboard shows how the sessions of an engine stand. */
@Timeout(60)
class FixEngineMetricsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Path PAGE = Path.of("../../docs/operating-fix.md");
  private static final String BEGIN = "<!-- micrometer -->\n";

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final FixEngine engine = FixEngine.builder().start();
  private final FixEngineMetrics metrics = new FixEngineMetrics(engine, "desk");

  @AfterEach
  void close() {
    metrics.close();
    engine.close();
    registry.close();
  }

  private FixSession idle(SessionId id) throws IOException {
    return engine.initiator(SessionSettings.of(id).build(), (from, message) -> {}).host("localhost", 9).open();
  }

  private double gauge(String name, SessionId session) {
    return registry.get(name).tag("engine", "desk").tag("session", session.toString()).gauge().value();
  }

  private double counter(String name, SessionId session) {
    return registry.get(name).tag("session", session.toString()).functionCounter().count();
  }

  @Test
  void metersTellHowASessionStands() throws Exception {
    SessionId server = SessionId.of("FIX.4.4", "SERVER", "CLIENT");
    SessionId client = SessionId.of("FIX.4.4", "CLIENT", "SERVER");
    FixAcceptor acceptor = engine
        .acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (from, message) -> {})
        .session(SessionSettings.of(server).build()).open();
    FixSession session = engine.initiator(SessionSettings.of(client).build(), (from, message) -> {})
        .host("localhost", acceptor.localAddress().getPort()).open();
    assertThat(session.awaitLogon(PATIENCE)).isTrue();
    long number = session.send("35=D|11=A|55=DECANT").get(20, TimeUnit.SECONDS);
    Duration roundTrip = session.testRequest().get(20, TimeUnit.SECONDS);
    metrics.bindTo(registry);

    assertThat(gauge("decant.fix.up", client)).isEqualTo(1);
    assertThat(gauge("decant.fix.next.outbound", client)).isEqualTo((double) (number + 2));
    assertThat(gauge("decant.fix.round.trip", client)).isEqualTo(roundTrip.toNanos() / 1e9);
    assertThat(gauge("decant.fix.waiting", client)).isZero();
    assertThat(counter("decant.fix.messages.sent", client)).isEqualTo(3);
    assertThat(counter("decant.fix.logons", server)).isEqualTo(1);
  }

  @Test
  void sessionsThatAreOpenedLaterGetMetersAndCloseRemovesAll() throws Exception {
    metrics.bindTo(registry);
    SessionId late = SessionId.of("FIX.4.4", "LATE", "B");
    assertThat(idle(late).isLoggedOn()).isFalse();
    assertThat(engine.waitUntil(() -> registry.find("decant.fix.store.failures") // the last one
        .tag("session", late.toString()).functionCounter() != null, PATIENCE)).isTrue();
    assertThat(gauge("decant.fix.up", late)).isZero();
    assertThat(gauge("decant.fix.received.ago", late)).isNaN();

    metrics.close();
    assertThat(registry.getMeters()).isEmpty();
    assertThatThrownBy(() -> metrics.bindTo(registry)).isInstanceOf(IllegalStateException.class);
  }

  private static String row(Meter meter) {
    Meter.Id id = meter.getId();
    String tags = id.getTags().stream().map(Tag::getKey).map(key -> "`" + key + "`").collect(Collectors.joining(", "));
    return "| `" + id.getName() + "` | " + id.getType().name().toLowerCase(Locale.ROOT) + " | "
        + Objects.requireNonNullElse(id.getBaseUnit(), "") + " | " + tags + " | " + id.getDescription() + " |\n";
  }

  /** The table of docs/operating-fix.md is that of the code; with -Ddocs.write=true it is written anew. */
  @Test
  void tableOfThePageIsThatOfTheCode() throws IOException {
    assertThat(idle(SessionId.of("FIX.4.4", "A", "B")).isLoggedOn()).isFalse();
    metrics.bindTo(registry);
    Map<String, String> rows = new TreeMap<>();
    registry.getMeters().forEach(m -> rows.put(m.getId().getName(), row(m)));
    String table = "| meter | kind | unit | tags | meaning |\n|---|---|---|---|---|\n"
        + String.join("", rows.values());
    String page = Files.readString(PAGE);
    int from = page.indexOf(BEGIN) + BEGIN.length();
    String expected = page.substring(0, from) + table + page.substring(page.indexOf("<!-- end -->", from));
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(expected);
  }
}
