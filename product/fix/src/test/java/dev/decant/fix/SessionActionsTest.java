package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.status.SessionHealth;
import dev.decant.fix.status.SessionStatus;
import dev.decant.fix.status.SessionStatus.State;
import dev.decant.time.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An operator sees the status of a running session and the outcome of each action. */
@Timeout(60)
@SuppressWarnings("NullAway") // each test connects first
class SessionActionsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final SessionId SERVER = SessionId.of(TwoEngines.VERSION, "SERVER", "CLIENT");
  private static final SessionId CLIENT = SessionId.of(TwoEngines.VERSION, "CLIENT", "SERVER");

  private final FixEngine serverEngine = FixEngine.builder().name("server").start();
  private final FixEngine clientEngine = FixEngine.builder().name("client").start();
  private final List<String> received = new CopyOnWriteArrayList<>();
  private FixAcceptor acceptor;
  private FixSession client;

  private final Application keeper = new Application() {
    @Override
    public void onMessage(FixSession session, MessageView message) {
      received.add(message.string(11, "?") + (message.flag(43, false) ? " again" : ""));
    }
  };

  @AfterEach
  void close() {
    clientEngine.close();
    serverEngine.close();
  }

  private FixSession connect(boolean awaits) throws IOException, InterruptedException {
    acceptor = serverEngine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), keeper)
        .session(SessionSettings.of(SERVER).build()).open();
    client = clientEngine.initiator(SessionSettings.of(CLIENT).build(), (session, message) -> {})
        .host("localhost", acceptor.localAddress().getPort())
        .reconnectDelay(Duration.ofMillis(10), Duration.ofMillis(20)).open();
    if (awaits) {
      assertThat(client.awaitLogon(PATIENCE)).isTrue();
      assertThat(serverEngine.waitUntil(acceptor.session(SERVER)::isLoggedOn, PATIENCE)).isTrue();
    }
    return client;
  }

  private static <T> T outcome(CompletableFuture<T> future) throws Exception {
    return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static void assertFails(CompletableFuture<?> future, Class<? extends Throwable> cause, String text) {
    assertThatThrownBy(() -> outcome(future)).isInstanceOf(ExecutionException.class).hasCauseInstanceOf(cause)
        .hasMessageContaining(text);
  }

  private void awaitOnServer(BooleanSupplier condition) throws InterruptedException {
    assertThat(serverEngine.waitUntil(condition, PATIENCE)).isTrue();
  }

  @Test
  void statusTellsHowTheSessionStands() throws Exception {
    Instant before = Instant.now().minusSeconds(1);
    FixSession session = connect(true);
    assertThat(outcome(session.send("35=D|11=ORDER-1|55=DECANT|"))).isEqualTo(2);
    awaitOnServer(() -> received.contains("ORDER-1"));
    outcome(session.testRequest());

    SessionStatus status = session.status();
    assertThat(status.id()).isEqualTo(CLIENT);
    assertThat(status.state()).isEqualTo(State.LOGGED_ON);
    assertThat(status.isInitiator()).isTrue();
    assertThat(status.loggedOnSince()).isBetween(before, Instant.now().plusSeconds(1));
    assertThat(status.remoteAddress().getPort()).isEqualTo(acceptor.localAddress().getPort());
    assertThat(status.nextOutbound()).isEqualTo(4); // Logon, order, TestRequest
    assertThat(status.nextInbound()).isEqualTo(3);
    assertThat(status.waitingMessages()).isZero();
    assertThat(status.waitingBytes()).isZero();
    assertThat(status.lastReceived()).isBetween(before, Instant.now().plusSeconds(1));
    assertThat(status.lastSent()).isBetween(before, Instant.now().plusSeconds(1));
    assertThat(status.roundTrip()).isPositive();
    assertThat(status.heartbeatInterval()).isEqualTo(Duration.ofSeconds(30));
    assertThat(status.store().kind()).isEqualTo("memory");
    assertThat(status.store().created()).isBetween(before, Instant.now().plusSeconds(1));
    assertThat(status.store().usedBytes()).isPositive();
    assertThat(status.counts().messagesSent()).isEqualTo(3);
    assertThat(status.counts().messagesReceived()).isEqualTo(2);
    assertThat(status.counts().logons()).isEqualTo(1);
    assertThat(status.health()).isEqualTo(new SessionHealth(true, "logged on"));
    assertThat(clientEngine.sessions()).containsExactly(session);
    assertThat(acceptor.session(SERVER).status().isInitiator()).isFalse();
  }

  /** The round trip counted from the last message before it: 2 s for one of less than a millisecond. */
  @Test
  void roundTripCountsFromItsTestRequest() throws Exception {
    AtomicLong shift = new AtomicLong();
    Clock shifted = new Clock() {
      @Override
      public long nanoTime() {
        return System.nanoTime() + shift.get();
      }

      @Override
      public long epochMillis() {
        return System.currentTimeMillis();
      }
    };
    acceptor = serverEngine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), keeper)
        .session(SessionSettings.of(SERVER).heartbeatInterval(Duration.ZERO).build()).open();
    try (FixEngine engine = FixEngine.builder().clock(shifted).start()) {
      FixSession session = engine.initiator(SessionSettings.of(CLIENT).heartbeatInterval(Duration.ZERO).build(),
          (from, message) -> {}).host("localhost", acceptor.localAddress().getPort()).open();
      assertThat(session.awaitLogon(PATIENCE)).isTrue();
      shift.addAndGet(TimeUnit.HOURS.toNanos(1));

      assertThat(outcome(session.testRequest())).isLessThan(Duration.ofMinutes(30));
    }
  }

  /** A session whose loop is stuck in a callback is the one that an operator asks about. */
  @Test
  void statusIsReadWhileTheLoopIsStuck() throws Exception {
    FixSession session = connect(true);
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch isStuck = new CountDownLatch(1);
    clientEngine.loops()[0].loop().execute(() -> {
      isStuck.countDown();
      awaitUninterruptibly(stuck);
    });
    assertThat(isStuck.await(20, TimeUnit.SECONDS)).isTrue();
    OutboundMessage order = session.newMessage();
    Thread sender = Thread.ofVirtual().start(() -> {
      assertThat(order.begin("D")).isEqualTo(SendStatus.OK);
      order.text(11, "WAITS");
      order.send();
    });
    sender.join();

    assertThat(session.status().state()).isEqualTo(State.LOGGED_ON);
    assertThat(session.status().waitingMessages()).isEqualTo(1);
    assertThat(session.status().waitingBytes()).isGreaterThan(50);

    stuck.countDown();
    awaitOnServer(() -> received.contains("WAITS"));
    assertThat(clientEngine.waitUntil(() -> session.status().waitingMessages() == 0, PATIENCE)).isTrue();
    assertThat(session.status().waitingBytes()).isZero();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void messagesAreSentAgainFromANumber() throws Exception {
    FixSession session = connect(true);
    outcome(session.send("35=D|11=A|55=DECANT"));
    outcome(session.send("35=D|11=B|55=DECANT"));
    awaitOnServer(() -> received.contains("B"));
    outcome(acceptor.session(SERVER).setNextInbound(1)); // it has lost them

    assertThat(outcome(session.resend(1))).isEqualTo(3);
    awaitOnServer(() -> received.contains("B again"));
    assertThat(received).containsExactly("A", "B", "A again", "B again");
    outcome(session.send("35=D|11=C|55=DECANT"));
    awaitOnServer(() -> received.contains("C"));
    assertThat(session.status().counts().messagesResent()).isEqualTo(3); // with a gap fill for the Logon

    assertFails(session.resend(5), IllegalArgumentException.class, "no message 5 was sent: the next number is 5");
    assertThatThrownBy(() -> session.resend(0)).isInstanceOf(IllegalArgumentException.class);
    outcome(session.logout(""));
    assertFails(session.resend(1), IllegalStateException.class, "is not logged on");
    assertFails(session.testRequest(), IllegalStateException.class, "is not logged on");
    assertFails(session.send("35=D|11=D|55=DECANT"), IllegalStateException.class, "not accepted: LOGGED_OUT");
  }

  @Test
  void testRequestThatGetsNoResponseFailsWithTheConnection() throws Exception {
    FixSession session = connect(true);
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch isStuck = new CountDownLatch(1);
    serverEngine.loops()[0].loop().execute(() -> {
      isStuck.countDown();
      awaitUninterruptibly(stuck);
    });
    assertThat(isStuck.await(20, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Duration> roundTrip = session.testRequest();
    clientEngine.loops()[0].loop().execute(() -> clientEngine.runners().get(CLIENT).abandon("the test ends it"));

    assertFails(roundTrip, IOException.class, "the connection ended before a Heartbeat came");
    stuck.countDown();
  }

  @Test
  void disabledSessionOfAnInitiatorDoesNotConnect() throws Exception {
    FixSession session = connect(true);
    assertThat(outcome(session.disable("maintenance"))).isEqualTo("logged out");
    assertThat(session.status().state()).isEqualTo(State.DISABLED);
    assertThat(session.status().health()).isEqualTo(new SessionHealth(false, "disabled by an operator"));
    assertFails(session.logon(), IllegalStateException.class, "is disabled; enable it first");

    assertThat(outcome(session.enable())).isEqualTo("logged on");
    assertThat(session.isLoggedOn()).isTrue();
    assertThat(outcome(session.logon())).isEqualTo("logged on");
  }

  @Test
  void disabledSessionOfAnAcceptorRefusesLogonsWithoutANumber() throws Exception {
    FixSession session = connect(true);
    FixSession server = acceptor.session(SERVER);
    outcome(server.disable("maintenance"));
    long numbers = server.nextOutbound();
    assertThat(clientEngine.waitUntil(() -> {
      String end = session.status().disconnectReason();
      return end != null && end.contains("the session is disabled");
    }, PATIENCE)).isTrue();
    assertThat(server.nextOutbound()).isEqualTo(numbers);
    assertThat(session.status().health().reason()).contains("the session is disabled");

    assertThat(outcome(server.enable())).isEqualTo("waits for the counterparty, which connects");
    assertThat(session.awaitLogon(PATIENCE)).isTrue();
  }

  @Test
  void logonThatFailsNamesTheCause() throws Exception {
    FixSession session = connect(true);
    outcome(session.logout(""));
    assertThat(session.status().state()).isEqualTo(State.LOGGED_OUT);
    acceptor.close();
    assertThat(serverEngine.waitUntil(() -> true, PATIENCE)).isTrue();
    serverEngine.close();

    assertFails(session.logon(), IOException.class, "not logged on: cannot connect to");
    assertThat(session.status().state()).isEqualTo(State.DISCONNECTED);
    assertThat(session.status().health().reason()).startsWith("not connected; the last end: cannot connect to");
    CompletableFuture<String> overtaken = session.logon();
    outcome(session.logout(""));
    assertFails(overtaken, IOException.class, "not logged on: ");
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', quoteCharacter = '"',
      value = {"\"\";there is no MsgType(35)", "11=A;there is no MsgType(35)",
          "35=D;there is no field beside the header", "35=D|34=7;there is no field beside the header",
          "35=D|x;'x' is no field: tag=value is wanted", "35=D|1x=5;'1x' is no tag", "35=D|011=5;'011' is no tag",
          "35=D|99999999999=5;'99999999999' is no tag", "35=D|11=;field 11 has no value",
          "35=D|11=\u20AC;field 11 has character 8364, which is not one byte",
          "35=5|58=bye;MsgType 5 is a message of the session",
          "35=DDDDD|11=A;'DDDDD' is no MsgType", "35=D|11=A||55=B;'' is no field: tag=value is wanted"})
  void messagesThatCannotBeSentAreRefusedInOneLine(String fields, String reason) throws Exception {
    FixSession session = connect(false);

    assertThatThrownBy(() -> session.send(fields)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason).extracting(Throwable::getMessage).asString().hasLineCount(1);
  }

  @Test
  void dictionaryChecksAMessageWrittenByHand() throws Exception {
    FixSession session = clientEngine.initiator(
        SessionSettings.of(CLIENT).dictionary(Dictionary.loadResource("FIX44.xml")).build(), (from, message) -> {})
        .host("localhost", 9).open();

    assertThatThrownBy(() -> session.send("35=D|11=A")).hasMessageContaining("Required tag missing, field ");
    assertThatThrownBy(() -> session.send("35=zz|11=A")).hasMessageContaining("Invalid MsgType, field 35");
  }

  @Test
  void messageCopiedFromALogIsSentAsANewOne() throws Exception {
    List<String> sent = new CopyOnWriteArrayList<>();
    acceptor = serverEngine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        (session, message) -> {
          StringBuilder text = new StringBuilder();
          for (int i = 0; i < message.endField(); i++) {
            text.append(message.tagAt(i)).append(' ');
          }
          sent.add(text + message.string(49) + ' ' + message.string(34) + ' ' + message.string(115));
        }).session(SessionSettings.of(SERVER).build()).open();
    FixSession session = clientEngine.initiator(SessionSettings.of(CLIENT).build(), (from, message) -> {})
        .host("localhost", acceptor.localAddress().getPort()).open();
    assertThat(session.awaitLogon(PATIENCE)).isTrue();

    outcome(session.send("8=FIX.4.4|9=5|35=D|34=99|49=NOBODY|43=Y|122=20260314-09:26:53|52=20260314-09:26:53|56=X|"
        + "11=A|115=DESK|55=DECANT|10=001|"));
    awaitOnServer(() -> !sent.isEmpty());
    assertThat(sent).containsExactly("8 9 35 34 49 52 56 115 11 55 10 CLIENT 2 DESK");
  }
}
