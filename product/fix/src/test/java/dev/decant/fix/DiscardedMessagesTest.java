package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.event.SessionListener;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.BackPressure;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.fix.store.MemoryStores;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A reset discards messages that {@code send} has accepted. Listeners hear the numbers of all that no socket was given,
 * and of no others.
 */
@Timeout(60)
class DiscardedMessagesTest {
  private static final SessionId SERVER = SessionId.of("FIX.4.4", "SERVER", "CLIENT");
  private static final Pattern NUMBER = Pattern.compile("\\|34=(\\d+)\\|");
  /** More bytes than the sockets of both ends hold. */
  private static final int STORED = 6_000;

  private record Range(long from, long to) {}

  private final FixEngine engine = FixEngine.builder().name("server").start();
  private final List<Range> discarded = new CopyOnWriteArrayList<>();
  private final List<Duration> slow = new CopyOnWriteArrayList<>();
  private final List<String> ends = new CopyOnWriteArrayList<>();
  private int port;

  @AfterEach
  void close() {
    engine.close();
  }

  private FixSession open(SessionSettingsBuilder settings) throws Exception {
    engine.listen(new SessionListener() {
      @Override
      public void onMessagesDiscarded(SessionId session, long from, long to) {
        discarded.add(new Range(from, to));
      }

      @Override
      public void onSlowCounterparty(SessionId session, long waitingBytes, Duration duration) {
        slow.add(duration);
      }

      @Override
      public void onDisconnect(SessionId session, String reason) {
        ends.add(reason);
      }
    });
    FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        (session, message) -> {}).store(new MemoryStores(64 << 20))
        .session(settings.slowAfter(Duration.ofMillis(20)).backPressure(BackPressure.REFUSE).build()).open();
    port = acceptor.localAddress().getPort();
    return acceptor.session(SERVER);
  }

  /** Sends orders of 4 KB. Returns how many were accepted. */
  private static int send(FixSession session, int most) {
    OutboundMessage order = session.newMessage();
    String text = "x".repeat(4_000);
    int sent = 0;
    while (sent < most && order.begin("D") == SendStatus.OK) {
      order.text(58, text);
      if (order.send() < 0) {
        break;
      }
      sent++;
    }
    return sent;
  }

  private void await(String what, BooleanSupplier done) throws InterruptedException {
    assertThat(engine.waitUntil(done, TwoEngines.PATIENCE)).as(what).isTrue();
  }

  /** Reads to the end of the stream. Returns the last number of which a byte has come. */
  private static long lastNumberIn(RawClient client) throws Exception {
    long last = 0;
    for (String message = client.read(); !message.isEmpty(); message = client.read()) {
      Matcher number = NUMBER.matcher(message);
      last = message.endsWith(" and no more") || !number.find() ? last + 1 : Long.parseLong(number.group(1));
    }
    return last;
  }

  /** Sends in one run of the loop's owner until the output is full. Returns the number of the last message. */
  private long sendTogether(FixSession session) throws Exception {
    CompletableFuture<Integer> sent = new CompletableFuture<>();
    engine.loops()[0].loop().execute(() -> sent.complete(send(session, Integer.MAX_VALUE)));
    return sent.get(20, TimeUnit.SECONDS) + 1L; // The Logon has number 1.
  }

  /** Many messages are one write. Those behind the bytes that the socket had taken of it counted as sent. */
  @Test
  void messagesBehindAWriteThatWasTakenInPartAreReported() throws Exception {
    FixSession session = open(SessionSettings.of(SERVER).resetOnDisconnect(true));
    try (RawClient client = new RawClient(port, "CLIENT")) {
      client.logon(1, "");
      client.readUntil("|35=A|");
      long last = sendTogether(session);
      await("a full socket", () -> !slow.isEmpty());
      client.endOutput();
      await("the end", () -> !ends.isEmpty() && !discarded.isEmpty());
      assertThat(discarded).containsExactly(new Range(lastNumberIn(client) + 1, last));
    }
  }

  /** Messages that were resent into a full output counted as sent. */
  @Test
  void resentMessagesThatNoSocketWasGivenAreReported() throws Exception {
    FixSession session = open(SessionSettings.of(SERVER).sendWhileLoggedOut(true).resetOnDisconnect(true));
    assertThat(send(session, STORED)).isEqualTo(STORED);
    try (RawClient client = new RawClient(port, "CLIENT")) {
      client.logon(1, "");
      client.readUntil("|35=A|");
      client.send("2", 2, "7=1|16=0|");
      await("a full socket", () -> !slow.isEmpty());
      client.endOutput();
      await("the end", () -> !ends.isEmpty() && !discarded.isEmpty());
      assertThat(discarded).containsExactly(new Range(lastNumberIn(client) + 1, STORED));
    }
  }

  /** The session has ended and reset its numbers, and the socket takes nothing more. That was lost in silence. */
  @Test
  void messagesThatASlowCounterpartyNeverTakesAreReported() throws Exception {
    FixSession session = open(
        SessionSettings.of(SERVER).resetOnDisconnect(true).slowTimeout(Duration.ofMillis(100)));
    try (RawClient client = new RawClient(port, "CLIENT")) {
      client.logon(1, "");
      client.readUntil("|35=A|");
      long last = sendTogether(session);
      await("the end", () -> !ends.isEmpty() && !discarded.isEmpty());
      assertThat(discarded).containsExactly(new Range(lastNumberIn(client) + 1, last));
    }
  }

  @Test
  void messagesThatTheCounterpartyReadsAfterTheEndAreNotReported() throws Exception {
    FixSession session = open(
        SessionSettings.of(SERVER).resetOnDisconnect(true).slowTimeout(Duration.ofMillis(100)));
    try (RawClient client = new RawClient(port, "CLIENT")) {
      client.logon(1, "");
      client.readUntil("|35=A|");
      long last = sendTogether(session);
      await("the end", () -> !ends.isEmpty());
      assertThat(lastNumberIn(client)).isBetween(last, last + 1);
    }
    CompletableFuture<Boolean> later = new CompletableFuture<>();
    engine.loops()[0].loop().execute(() -> later.complete(discarded.isEmpty()));
    assertThat(later.get(20, TimeUnit.SECONDS)).isTrue();
  }

  /** The engine closes while the connection of an ended session still has output. */
  @Test
  void messagesThatASlowCounterpartyHasNotTakenAreInTheClosingReport() throws Exception {
    CountDownLatch hasEnded = new CountDownLatch(1);
    try (ServerSocket venue = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      FixSession session = engine.initiator(SessionSettings.of(SERVER)
          .slowTimeout(Duration.ofMillis(100)).backPressure(BackPressure.REFUSE).build(), new Application() {
            @Override
            public void onMessage(FixSession from, MessageView message) {}

            @Override
            public void onLogout(FixSession from, String reason) {
              hasEnded.countDown();
            }
          }).host("localhost", venue.getLocalPort()).open();
      try (RawClient client = new RawClient(venue.accept(), "CLIENT", "SERVER")) {
        client.readUntil("|35=A|");
        client.logon(1, "");
        assertThat(session.awaitLogon(TwoEngines.PATIENCE)).isTrue();
        long last = sendTogether(session);
        assertThat(hasEnded.await(20, TimeUnit.SECONDS)).isTrue();
        ClosingReport.Session left = engine.close(Duration.ofSeconds(20)).sessions().getFirst();
        assertThat(left.firstUnsent()).isEqualTo(lastNumberIn(client) + 1);
        assertThat(left.lastUnsent()).isEqualTo(last);
      }
    }
  }

  /** An operator sets the number back below messages that wait for a logon. */
  @Test
  void messagesWhoseNumbersAnOperatorUsesAgainAreReported() throws Exception {
    FixSession session = open(SessionSettings.of(SERVER).sendWhileLoggedOut(true));
    assertThat(send(session, 3)).isEqualTo(3);
    session.setNextOutbound(2).get(20, TimeUnit.SECONDS);
    await("the report", () -> !discarded.isEmpty());
    assertThat(discarded).containsExactly(new Range(2, 3));
    ClosingReport report = engine.close(Duration.ofSeconds(20));
    assertThat(report.sessions().getFirst().firstUnsent()).isOne();
    assertThat(report.sessions().getFirst().lastUnsent()).isOne();
  }
}
