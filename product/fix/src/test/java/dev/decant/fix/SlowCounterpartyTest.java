package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.event.SessionListener;
import dev.decant.fix.settings.BackPressure;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A counterparty that does not read is reported and its session ended. Once, only senders noticed it, and its session
 * continued as long as it sent heartbeats.
 */
@Timeout(60)
class SlowCounterpartyTest {
  private static final SessionId SERVER = SessionId.of("FIX.4.4", "SERVER", "CLIENT");
  private static final Duration SLOW = Duration.ofMillis(20);

  private final FixEngine engine = FixEngine.builder().name("server").start();
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final List<Long> waiting = new CopyOnWriteArrayList<>();
  private final List<Duration> since = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    engine.close();
  }

  private FixSession open(SessionSettingsBuilder settings) throws Exception {
    engine.listen(new SessionListener() {
      @Override
      public void onSlowCounterparty(SessionId session, long waitingBytes, Duration duration) {
        waiting.add(waitingBytes);
        since.add(duration);
      }

      @Override
      public void onNotice(SessionId session, String text) {
        told.add(text);
      }

      @Override
      public void onDisconnect(SessionId session, String reason) {
        told.add(reason);
      }
    });
    FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        (session, message) -> onMessage.accept(session))
        .session(settings.slowAfter(SLOW).backPressure(BackPressure.REFUSE).build()).open();
    port = acceptor.localAddress().getPort();
    return acceptor.session(SERVER);
  }

  private int port;
  private Consumer<FixSession> onMessage = session -> {};

  /** Sends until the output is full; returns how many messages went. */
  private static long fill(FixSession session) {
    OutboundMessage order = session.newMessage();
    String text = "x".repeat(30_000);
    long sent = 0;
    while (order.begin("D") == SendStatus.OK) {
      order.text(58, text);
      if (order.send() < 0) {
        break;
      }
      sent++;
    }
    return sent;
  }

  private void await(String words) throws InterruptedException {
    assertThat(engine.waitUntil(() -> told.stream().anyMatch(text -> text.contains(words)), TwoEngines.PATIENCE))
        .as("told: %s", told).isTrue();
  }

  @Test
  void listenersHearHowMuchWaitsSinceWhenAndOfTheEnd() throws Exception {
    FixSession session = open(SessionSettings.of(SERVER));
    try (RawClient client = new RawClient(port, "CLIENT")) {
      client.logon(1, "");
      assertThat(client.read()).contains("|35=A|");
      long sent = fill(session);
      assertThat(engine.waitUntil(() -> since.size() >= 3, TwoEngines.PATIENCE)).isTrue();
      assertThat(waiting.getFirst()).isBetween(1L, 1L << 20);
      assertThat(since.getFirst()).isGreaterThanOrEqualTo(SLOW);
      assertThat(since.get(1)).isGreaterThanOrEqualTo(since.getFirst().multipliedBy(2));
      assertThat(session.isLoggedOn()).isTrue();
      assertThat(session.status().counts().slowReports()).isGreaterThanOrEqualTo(3);
      for (long i = 0; i < sent; i++) {
        assertThat(client.read()).contains("|35=D|34=" + (i + 2) + '|');
      }
      await("the counterparty has read all that waited");
    }
  }

  @Test
  void sessionEndsWhoseCounterpartyTakesNothing() throws Exception {
    FixSession session = open(SessionSettings.of(SERVER).slowTimeout(Duration.ofMillis(100)));
    try (RawClient client = new RawClient(port, "CLIENT")) {
      client.logon(1, "");
      assertThat(client.read()).contains("|35=A|");
      assertThat(fill(session)).isPositive();
      await("the counterparty has read nothing for 100 ms");
      assertThat(engine.waitUntil(() -> !session.isConnected(), TwoEngines.PATIENCE)).isTrue();
      assertThat(since).isNotEmpty();
    }
  }

  /**
   * The write that finds the connection broken ends the session. The session counted as slow from then on, although it
   * has no connection, and was reported again and again.
   */
  @Test
  void sessionWhoseConnectionBreaksInAWriteIsNotSlow() throws Exception {
    CountDownLatch hasGone = new CountDownLatch(1);
    onMessage = session -> {
      awaitUninterruptibly(hasGone);
      fill(session);
    };
    FixSession session = open(SessionSettings.of(SERVER));
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoLinger(true, 0); // The close resets the connection.
    RawClient client = new RawClient(socket, "CLIENT", "SERVER");
    client.logon(1, "");
    assertThat(client.read()).contains("|35=A|");
    client.send("B", 2, "58=x|");
    client.close();
    hasGone.countDown();
    assertThat(engine.waitUntil(() -> !session.isConnected() && !told.isEmpty(), TwoEngines.PATIENCE)).isTrue();
    CompletableFuture<Boolean> later = new CompletableFuture<>();
    EventLoop loop = engine.loops()[0].loop();
    loop.execute(() -> loop.schedule(new Timer(() -> later.complete(waiting.isEmpty())),
        loop.nowNanos() + 3 * SLOW.toNanos()));
    assertThat(later.get(20, TimeUnit.SECONDS)).isTrue();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
