package dev.decant.fix.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.event.Registration;
import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A recording contains the events of sessions. */
@Timeout(120)
@SuppressWarnings("try") // a resource may serve its block by being open: the block need not name it
class JfrEventsTest {
  private static final String PREFIX = "dev.decant.fix.";
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Path PAGE = Path.of("../../docs/operating-fix.md");
  private static final String BEGIN = "<!-- jfr -->\n";
  private static final Set<String> OF_EVERY_EVENT = Set.of("startTime", "duration", "eventThread", "stackTrace");

  @TempDir
  Path folder;

  @Test
  void sessionsAreRecorded() throws Exception {
    SessionId server = SessionId.of("FIX.4.4", "SERVER", "CLIENT");
    SessionId client = SessionId.of("FIX.4.4", "CLIENT", "SERVER");
    List<RecordedEvent> events;
    try (Recording recording = new Recording();
        FixEngine engine = FixEngine.builder().start();
        Registration unused = JfrEvents.watch(engine);
        FixAcceptor acceptor = engine
            .acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (from, message) -> {})
            .session(SessionSettings.of(server).build()).open()) {
      recording.start();
      FixSession session = engine.initiator(SessionSettings.of(client).build(), (from, message) -> {})
          .host("localhost", acceptor.localAddress().getPort()).open();
      assertThat(session.awaitLogon(PATIENCE)).isTrue();
      outcome(session.logout(""));
      outcome(session.resetSequenceNumbers());
      try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), acceptor.localAddress().getPort())) {
        stranger.getOutputStream().write("8=FIX.4.4\0019=5\00135=0\00110=161\001".getBytes(StandardCharsets.US_ASCII));
        assertThat(engine.waitUntil(() -> acceptor.refusedConnections() == 1, PATIENCE)).isTrue();
        outcome(session.setNextInbound(1)); // the loop has counted it, and now told of it, too
      }
      recording.stop();
      Path file = folder.resolve("events.jfr");
      recording.dump(file);
      events = RecordingFile.readAllEvents(file).stream()
          .filter(event -> event.getEventType().getName().startsWith(PREFIX)
              && !event.getEventType().getName().equals(PREFIX + "GapFound"))
          .toList();
    }

    Set<String> names = events.stream().map(event -> event.getEventType().getName().substring(PREFIX.length()))
        .collect(Collectors.toSet());
    assertThat(names).containsExactlyInAnyOrder("LoggedOn", "Disconnected", "NumbersReset", "ConnectionRefused");
    assertThat(events).filteredOn(event -> event.getEventType().getName().endsWith("Disconnected"))
        .extracting(event -> event.getString("session") + " " + event.getString("reason"))
        .contains("FIX.4.4:CLIENT->SERVER logged out");
    assertThat(events).filteredOn(event -> event.getEventType().getName().endsWith("ConnectionRefused"))
        .extracting(event -> event.getString("reason")).containsExactly("its first message is no Logon");
  }

  /** Slow counterparties, failed logons and lost messages were told to listeners alone. */
  @Test
  void whatOperatorsLookForIsRecorded() throws Exception {
    SessionId id = SessionId.of("FIX.4.4", "A", "B");
    Path file = folder.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      SessionRecorder recorder = new SessionRecorder();
      recorder.onSlowCounterparty(id, 4_096, Duration.ofSeconds(3));
      recorder.onLogonFailed(id, 2, "the counterparty logged out");
      recorder.onMessagesDiscarded(id, 5, 7);
      recording.stop();
      recording.dump(file);
    }
    assertThat(RecordingFile.readAllEvents(file)).filteredOn(event -> event.getEventType().getName().startsWith(PREFIX))
        .extracting(JfrEventsTest::line).containsExactlyInAnyOrder("SlowCounterparty FIX.4.4:A->B 4096 PT3S",
            "LogonFailed FIX.4.4:A->B 2 the counterparty logged out", "MessagesDiscarded FIX.4.4:A->B 5 7");
  }

  private static String line(RecordedEvent event) {
    String name = event.getEventType().getName().substring(PREFIX.length());
    return name + ' ' + event.getString("session") + ' ' + switch (name) {
      case "SlowCounterparty" -> event.getLong("waiting") + " " + event.getDuration("since");
      case "LogonFailed" -> event.getLong("inARow") + " " + event.getString("reason");
      default -> event.getLong("from") + " " + event.getLong("to");
    };
  }

  private static <T> void outcome(CompletableFuture<T> future) throws Exception {
    T unused = future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private static String row(EventType type) {
    String fields = type.getFields().stream().map(ValueDescriptor::getName).filter(f -> !OF_EVERY_EVENT.contains(f))
        .map(f -> "`" + f + "`").collect(Collectors.joining(", "));
    return "| `" + type.getName().substring(PREFIX.length()) + "` | " + type.getDescription() + " | " + fields + " |\n";
  }

  /** The table of docs/operating-fix.md is that of the code; with -Ddocs.write=true it is written anew. */
  @Test
  void tableOfThePageIsThatOfTheCode() throws IOException {
    Map<String, String> rows = new TreeMap<>();
    try (FixEngine engine = FixEngine.builder().start(); Registration unused = JfrEvents.watch(engine)) {
      FlightRecorder.getFlightRecorder().getEventTypes().stream().filter(t -> t.getName().startsWith(PREFIX))
          .forEach(t -> rows.put(t.getName(), row(t)));
    }
    String table = "| event | meaning | fields |\n|---|---|---|\n" + String.join("", rows.values());
    String page = Files.readString(PAGE);
    int from = page.indexOf(BEGIN) + BEGIN.length();
    String expected = page.substring(0, from) + table + page.substring(page.indexOf("<!-- end -->", from));
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(expected);
  }
}
