package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.FileStores;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** An engine that closes reports what is stored and unsent, also when the process is asked to end. */
@Timeout(120)
@SuppressWarnings("FutureReturnValueIgnored") // of actions whose effect is looked at
class ClosingReportTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final SessionId SERVER = SessionId.of("FIX.4.4", "SERVER", "CLIENT");
  private static final SessionId CLIENT = SessionId.of("FIX.4.4", "CLIENT", "SERVER");
  private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  @TempDir
  Path folder;

  private static void send(FixSession session) {
    OutboundMessage order = session.newMessage();
    assertThat(order.begin("D")).isEqualTo(SendStatus.OK);
    order.text(11, "order");
    assertThat(order.send()).isPositive();
  }

  @Test
  void messagesThatNoSocketWasGivenAreReported() throws Exception {
    FixEngine engine = FixEngine.builder().start();
    FixSession session = engine.initiator(SessionSettings.of(CLIENT).sendWhileLoggedOut(true).build(),
        (from, message) -> {}).host("localhost", 1).open();
    send(session);
    send(session);
    ClosingReport report = engine.close(PATIENCE);

    assertThat(report.isComplete()).isFalse();
    assertThat(report.sessions()).singleElement().satisfies(left -> {
      assertThat(left.id()).isEqualTo(CLIENT);
      assertThat(left.isLoggedOut()).isTrue();
      assertThat(left.firstUnsent()).isOne();
      assertThat(left.lastUnsent()).isEqualTo(2);
      assertThat(left.nextOutbound()).isEqualTo(3);
    });
    assertThat(report).hasToString(report.sessions().getFirst().toString());
    assertThat(engine.close(PATIENCE)).isEqualTo(report);
  }

  /** The engine closed while a store was opened. Nobody closed that store, whose folder stayed locked. */
  @Test
  void sessionThatIsOpenedWhileTheEngineClosesIsRefusedAndItsStoreClosed() throws Exception {
    FixEngine engine = FixEngine.builder().start();
    FileStores stores = FileStores.builder(folder).build();
    InitiatorBuilder late = engine.initiator(SessionSettings.of(CLIENT).build(), (from, message) -> {})
        .host("localhost", 1).store((session, epochNanos) -> {
          engine.close();
          return stores.open(session, epochNanos);
        });
    assertThatThrownBy(late::open).isInstanceOf(IllegalStateException.class).hasMessage("the engine is closed");
    assertThat(engine.sessions()).isEmpty();
    stores.open(CLIENT, 1).close();
  }

  /** An interrupt ended the wait for the loops: the report was made, and the log closed, while they still ran. */
  @Test
  void interruptedThreadClosesTheEngineWhole() throws Exception {
    FixEngine engine = FixEngine.builder().start();
    engine.initiator(SessionSettings.of(CLIENT).build(), (from, message) -> {}).host("localhost", 1).open();
    CompletableFuture<Boolean> goesOn = new CompletableFuture<>();
    CompletableFuture<Boolean> isBusy = new CompletableFuture<>();
    engine.loops()[0].loop().execute(() -> {
      isBusy.complete(true);
      goesOn.join();
    });
    isBusy.get(30, TimeUnit.SECONDS);
    goesOn.completeOnTimeout(true, 200, TimeUnit.MILLISECONDS);
    Thread.currentThread().interrupt();
    ClosingReport report = engine.close(PATIENCE);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(report.sessions()).hasSize(1);
  }

  @Test
  void messagesThatTheCounterpartyHasAskedForAreNotReported() throws Exception {
    try (FixEngine server = FixEngine.builder().start()) {
      FixEngine engine = FixEngine.builder().start();
      FixAcceptor acceptor = server.acceptor(ANY_PORT, (session, message) -> {})
          .session(SessionSettings.of(SERVER).build()).open();
      FixSession session = engine
          .initiator(SessionSettings.of(CLIENT).sendWhileLoggedOut(true).build(), (from, message) -> {})
          .host("localhost", acceptor.localAddress().getPort()).open();
      session.logout("").get(30, TimeUnit.SECONDS);
      send(session);
      session.logon();
      assertThat(server.waitUntil(() -> acceptor.session(SERVER).nextInbound() > session.nextOutbound() - 1
          && session.isLoggedOn(), PATIENCE)).isTrue();
      ClosingReport report = engine.close(PATIENCE);
      assertThat(report.isComplete()).as(report.toString()).isTrue();
    }
  }

  @Test
  void counterpartyThatDoesNotAnswerIsReportedAtTheDeadline() throws Exception {
    FixEngine engine = FixEngine.builder().start();
    FixAcceptor acceptor = engine.acceptor(ANY_PORT, (session, message) -> {})
        .session(SessionSettings.of(SERVER).logoutTimeout(Duration.ofMinutes(10)).build()).open();
    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
      client.logon(1, "");
      client.readUntil("35=A|");
      ClosingReport report = engine.close(Duration.ofMillis(50));
      assertThat(report.isComplete()).isFalse();
      assertThat(report.sessions()).singleElement().satisfies(left -> {
        assertThat(left.isLoggedOut()).isFalse();
        assertThat(left.end()).contains("not answered");
      });
      assertThat(client.readUntil("35=5|")).isNotEmpty();
    }
  }

  /** The program that is asked to end. */
  static final class Trader {
    private Trader() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
      FixEngine engine = FixEngine.builder()
          .closeOnShutdown(Duration.ofSeconds(20), report -> System.out.println("left: " + report)).start();
      FixSession session = engine.initiator(SessionSettings.of(CLIENT).build(), (from, message) -> {})
          .host("localhost", Integer.parseInt(arguments[0]))
          .store(FileStores.builder(Path.of(arguments[1])).segmentBytes(1 << 16).build()).open();
      if (session.awaitLogon(PATIENCE)) {
        System.out.println("logged on");
      }
      while (System.in.read() >= 0) {
        // nothing is said; this ends with its parent
      }
    }
  }

  @Test
  @DisabledOnOs(OS.WINDOWS) // no process is asked to end there: it is killed
  void processThatIsAskedToEndLogsOutAndReports() throws Exception {
    CompletableFuture<String> end = new CompletableFuture<>();
    try (FixEngine server = FixEngine.builder().start()) {
      FixAcceptor acceptor = server.acceptor(ANY_PORT, new Application() {
        @Override
        public void onMessage(FixSession session, dev.decant.fix.message.MessageView message) {}

        @Override
        public void onLogout(FixSession session, String reason) {
          end.complete(reason);
        }
      }).session(SessionSettings.of(SERVER).build()).open();
      Process process = new ProcessBuilder(List.of(
          Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m", "-XX:TieredStopAtLevel=1",
          "-cp", System.getProperty("java.class.path"), Trader.class.getName(),
          Integer.toString(acceptor.localAddress().getPort()), folder.toString()))
          .redirectError(ProcessBuilder.Redirect.INHERIT).start();
      try (BufferedReader out = process.inputReader()) {
        assertThat(out.readLine()).isEqualTo("logged on");
        process.toHandle().destroy(); // closes no stream, as Process.destroy does
        assertThat(end.get(60, TimeUnit.SECONDS)).isEqualTo("the counterparty logged out");
        assertThat(out.readLine()).startsWith("left: FIX.4.4").contains("logged out; next numbers 3 out and 3 in")
            .endsWith("nothing unsent");
      } finally {
        process.destroyForcibly();
      }
    }
  }
}
