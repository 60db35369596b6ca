package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.event.SessionListener;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.time.Clock;
import dev.decant.tls.TlsSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When an initiator connects again, and to which of its hosts. */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // of actions whose effect is looked at
class ReconnectTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final SessionId SERVER = SessionId.of("FIX.4.4", "SERVER", "CLIENT");
  private static final SessionId CLIENT = SessionId.of("FIX.4.4", "CLIENT", "SERVER");
  private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final AtomicLong aheadNanos = new AtomicLong();
  private final FixEngine serverEngine = FixEngine.builder().name("server").start();
  private final FixEngine clientEngine = FixEngine.builder().name("client").clock(new ShiftedClock()).start();
  /** When the client has logged on, by the machine's clock. */
  private final List<Long> logons = new CopyOnWriteArrayList<>();
  private final AtomicLong ends = new AtomicLong();

  /** The machine's clock, and as far ahead of it as a test wants. */
  private final class ShiftedClock implements Clock {
    @Override
    public long nanoTime() {
      return System.nanoTime() + aheadNanos.get();
    }

    @Override
    public long epochMillis() {
      return System.currentTimeMillis();
    }
  }

  private final class Client implements Application {
    @Override
    public void onMessage(FixSession session, MessageView message) {}

    @Override
    public void onLogon(FixSession session) {
      logons.add(System.nanoTime());
    }

    @Override
    public void onLogout(FixSession session, String reason) {
      ends.incrementAndGet();
    }
  }

  /** Ends a session as soon as it is logged on, if told so. */
  private static final class Server implements Application {
    volatile boolean endsSessions = true;

    @Override
    public void onMessage(FixSession session, MessageView message) {}

    @Override
    public void onLogon(FixSession session) {
      if (endsSessions) {
        session.logout("not now");
      }
    }
  }

  @AfterEach
  void close() {
    clientEngine.close();
    serverEngine.close();
  }

  private FixAcceptor listen(Server server) throws IOException {
    return serverEngine.acceptor(ANY_PORT, server).session(SessionSettings.of(SERVER).build()).open();
  }

  private InitiatorBuilder client() {
    return clientEngine.initiator(SessionSettings.of(CLIENT).build(), new Client());
  }

  /** The delay began anew with each logon: an acceptor that ended each session at once got 27 to 78 logons in 10 s. */
  @Test
  void delayGrowsWhileSessionsEndRightAfterTheirLogon() throws Exception {
    FixAcceptor acceptor = listen(new Server());
    client().host("localhost", acceptor.localAddress().getPort())
        .reconnectDelay(Duration.ofMillis(20), Duration.ofMinutes(1)).open();
    assertThat(clientEngine.waitUntil(() -> logons.size() >= 6, PATIENCE)).isTrue();

    long least = 0;
    for (int i = 0; i < 5; i++) {
      least += Duration.ofMillis(20L << i).toNanos();
    }
    assertThat(logons.get(5) - logons.get(0)).as("five delays, each twice the one before").isGreaterThan(least);
  }

  @Test
  void sessionThatStoodIsConnectedAnewAfterTheShortestDelay() throws Exception {
    Server server = new Server();
    FixAcceptor acceptor = listen(server);
    FixSession session = client().host("localhost", acceptor.localAddress().getPort())
        .reconnectDelay(Duration.ofMillis(20), Duration.ofHours(1)).open();
    for (int i = 1; i <= 12; i++) { // the next delay would be more than a minute
      int end = i;
      assertThat(clientEngine.waitUntil(() -> ends.get() == end, PATIENCE)).isTrue();
      server.endsSessions = i < 12;
      skip(Duration.ofHours(2));
    }
    assertThat(session.awaitLogon(PATIENCE)).isTrue();

    skip(Duration.ofSeconds(11));
    acceptor.session(SERVER).logout("closing time");
    assertThat(clientEngine.waitUntil(() -> ends.get() == 13, PATIENCE)).isTrue();
    acceptor.session(SERVER).logon();
    assertThat(session.awaitLogon(PATIENCE)).isTrue();
  }

  /** What the loop has begun, such as the end of a session, is over first: its timers count from the time before. */
  private void skip(Duration time) throws Exception {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    clientEngine.loops()[0].loop().execute(() -> over.complete(true));
    over.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    aheadNanos.addAndGet(time.toNanos());
    clientEngine.loops()[0].loop().signal();
  }

  /** Only the system's own time-out ended such an attempt, after two minutes: the backup was not tried before. */
  @Test
  void nextHostIsTriedWhereOneAnswersNoSyn() throws Exception {
    Server server = new Server();
    server.endsSessions = false;
    FixAcceptor acceptor = listen(server);
    List<String> notices = new CopyOnWriteArrayList<>();
    clientEngine.listen(new SessionListener() {
      @Override
      public void onNotice(SessionId session, String text) {
        notices.add(text);
      }
    });
    List<SocketChannel> queue = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      for (int i = 0; i < 8; i++) { // the system drops each SYN to a port whose queue is full
        SocketChannel waiting = SocketChannel.open();
        queue.add(waiting);
        waiting.configureBlocking(false);
        waiting.connect(full.getLocalSocketAddress());
      }
      FixSession session = client().host("127.0.0.1", full.getLocalPort())
          .host("127.0.0.1", acceptor.localAddress().getPort()).connectTimeout(Duration.ofMillis(100)).open();

      assertThat(session.awaitLogon(PATIENCE)).isTrue();
      assertThat(notices).containsExactly("cannot connect to /127.0.0.1:" + full.getLocalPort()
          + ": no connection within 100 ms");
    } finally {
      for (SocketChannel waiting : queue) {
        waiting.close();
      }
    }
  }

  /** The attempt went on: the session logged on again after its user had logged it out. */
  @Test
  void logoutEndsAnAttemptThatIsUnderWay() throws Exception {
    try (ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      FixSession session = client().host("127.0.0.1", deaf.getLocalPort()).connectTimeout(Duration.ofMinutes(10))
          .tls(TlsSettings.builder().handshakeTimeout(Duration.ofMinutes(10)).build()).open();
      try (Socket accepted = deaf.accept()) {
        accepted.setSoTimeout((int) PATIENCE.toMillis());
        assertThat(accepted.getInputStream().read()).as("the handshake has begun").isNotNegative();
        session.logout("");
        assertThat(accepted.getInputStream().readAllBytes()).isNotEmpty();
      }
    }
  }

  @Test
  void timeoutThatIsNoneIsRefused() {
    assertThatThrownBy(() -> client().connectTimeout(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("connectTimeout: PT0S");
    assertThatThrownBy(() -> client().connectTimeout(Duration.ofDays(2))).isInstanceOf(IllegalArgumentException.class);
  }
}
