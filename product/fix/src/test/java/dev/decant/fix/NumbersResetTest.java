package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.event.SessionListener;
import dev.decant.fix.schedule.SessionSchedule;
import dev.decant.fix.schedule.SessionScheduleBuilder;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.fix.status.ScheduleStatus;
import dev.decant.fix.status.SessionStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both ends know of a reset of the numbers, or an operator gets an error. */
@Timeout(60)
class NumbersResetTest {
  private static final SessionId SERVER = SessionId.of("FIX.4.4", "SERVER", "CLIENT");
  private static final SessionId CLIENT = SessionId.of("FIX.4.4", "CLIENT", "SERVER");
  private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final SetClock clock = new SetClock(Instant.parse("2027-03-01T07:00:00Z"));
  private final FixEngine serverEngine = clock.engine("server");
  private final FixEngine clientEngine = clock.engine("client");
  private final List<String> events = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    clock.closeAll();
  }

  private FixAcceptor acceptor(SessionSettingsBuilder settings) throws IOException {
    serverEngine.listen(new SessionListener() {
      @Override
      public void onLogonFailed(SessionId session, long inARow, String reason) {
        events.add(inARow + " failed: " + reason);
      }

      @Override
      public void onNotice(SessionId session, String text) {
        events.add(text);
      }
    });
    return serverEngine.acceptor(ANY_PORT, (session, message) -> {}).session(settings.build()).open();
  }

  private FixSession connect(FixAcceptor acceptor, SessionSettingsBuilder settings) throws IOException {
    return clientEngine.initiator(settings.build(), (session, message) -> {})
        .host("localhost", acceptor.localAddress().getPort())
        .reconnectDelay(Duration.ofMillis(10), Duration.ofMillis(50)).open();
  }

  private static SessionSettingsBuilder rules(SessionId id) {
    return SessionSettings.of(id).heartbeatInterval(Duration.ZERO)
        .maxLatency(Duration.ofDays(2)); // time passes between a send and its arrival
  }

  private void await(String what, BooleanSupplier done) {
    clock.await(() -> what + "; " + events, done);
  }

  private static <T> T outcome(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  /** Each logon failed, and nobody was told that the counterparty has to reset its numbers, too. */
  @Test
  void counterpartyThatDoesNotFollowIsTold() throws Exception {
    FixAcceptor acceptor = acceptor(SessionSettings.of(SERVER).maxLatency(Duration.ZERO)); // its clock is not of today
    FixSession session = acceptor.session(SERVER);
    outcome(session.setNextOutbound(40));
    outcome(session.setNextInbound(50));
    assertThat(outcome(session.resetSequenceNumbers()))
        .isEqualTo("sequence numbers begin with 1 at this end, and the counterparty must reset its own, too: if its"
            + " next Logon has another MsgSeqNum than 1, the response asks for it by ResetSeqNumFlag(141)=Y");
    for (int i = 0; i < 3; i++) {
      int attempt = i;
      try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
        client.logon(50 + 2 * i, "");
        assertThat(client.read()).contains("|35=A|34=1|").contains("|141=Y|");
        assertThat(session.isLoggedOn()).isFalse();
        client.send("5", 51 + 2 * i, "58=MsgSeqNum too low, expecting 40 but received 1|");
        client.readUntil("|35=5|");
      }
      await("the end", () -> !session.isConnected() && events.stream().anyMatch(
          text -> text.startsWith(attempt + 1 + " failed: the counterparty logged out: MsgSeqNum too low")));
    }
    await("a cause and a cure", () -> events.stream().anyMatch(text -> text.startsWith(
        "3 logons in a row have come to nothing: the counterparty logged out: MsgSeqNum too low, expecting 40")
        && text.contains("have it reset its own, too")));
    SessionStatus status = session.status();
    assertThat(status.isResetPending()).isTrue();
    assertThat(status.counts().logonsFailed()).isEqualTo(3);
    assertThat(status.counts().logons()).isZero();
    assertThat(status.health().reason()).contains("the counterparty has not followed yet");

    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
      client.logon(1, ""); // its operator has reset it, too
      assertThat(client.read()).contains("|35=A|34=3|").doesNotContain("|141=");
      await("the logon", session::isLoggedOn);
      assertThat(session.status().isResetPending()).isFalse();
    }
  }

  /** Both ends of Decant agree at the first logon, and what the counterparty sends then arrives. */
  @Test
  void initiatorFollowsTheResetOfItsAcceptor() throws Exception {
    FixAcceptor acceptor = acceptor(rules(SERVER));
    FixSession client = connect(acceptor, rules(CLIENT));
    FixSession session = acceptor.session(SERVER);
    await("a logon", () -> client.isLoggedOn() && session.isLoggedOn());
    for (int i = 0; i < 5; i++) {
      outcome(client.send("35=D|11=A|55=DECANT"));
    }
    outcome(session.resetSequenceNumbers());
    await("the next logon", client::isLoggedOn);
    outcome(client.send("35=D|11=B|55=DECANT"));
    await("the next logon", () -> session.isLoggedOn() && session.nextInbound() == client.nextOutbound());
    assertThat(client.nextOutbound()).isLessThan(5);
    assertThat(session.status().counts().logonsFailed()).isZero();
  }

  @Test
  void numbersOfBothEndsBeginAnewWithoutALogout() throws Exception {
    FixAcceptor acceptor = acceptor(rules(SERVER));
    FixSession session = acceptor.session(SERVER);
    assertThatThrownBy(() -> outcome(session.resetWithoutLogout())).isInstanceOf(ExecutionException.class)
        .hasMessageContaining("is not logged on");
    FixSession client = connect(acceptor, rules(CLIENT));
    await("a logon", () -> client.isLoggedOn() && session.isLoggedOn());
    outcome(client.send("35=D|11=A|55=DECANT"));

    assertThat(outcome(session.resetWithoutLogout())).isEqualTo("sequence numbers begin with 1 at both ends");
    assertThat(outcome(client.send("35=D|11=B|55=DECANT"))).isEqualTo(2);
    await("the order", () -> session.nextInbound() == 3);
    assertThat(outcome(client.resetWithoutLogout())).isEqualTo("sequence numbers begin with 1 at both ends");
    assertThat(client.nextOutbound()).isEqualTo(2);
    assertThat(session.status().counts().disconnects()).isZero();
    assertThat(session.status().counts().resets()).isEqualTo(2);
  }

  /** Those behind our Logon(A) were lost in silence if the connection ended before the counterparty had reset, too. */
  @Test
  void noMessageIsTakenWhileTheEndsAgree() throws Exception {
    FixAcceptor acceptor = acceptor(rules(SERVER).checkLatency(false)); // the counterparty's clock is not of today
    FixSession session = acceptor.session(SERVER);
    OutboundMessage order = session.newMessage();
    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
      client.logon(1, "");
      client.readUntil("|35=A|");
      CompletableFuture<String> outcome = session.resetWithoutLogout();
      String request = client.readUntil("|35=1|");
      assertThat(order.begin("D")).isEqualTo(SendStatus.LOGGED_OUT);
      client.send("0", 2, "112=" + request.replaceAll(".*\\|112=([^|]*).*", "$1") + '|');
      client.readUntil("|35=A|34=1|");
      assertThat(order.begin("D")).isEqualTo(SendStatus.LOGGED_OUT);
      client.send("A", 1, "98=0|108=0|141=Y|");
      outcome(outcome);
      assertThat(order.begin("D")).isEqualTo(SendStatus.OK);
      assertThat(order.send()).isEqualTo(2);
      client.readUntil("|35=D|34=2|");

      CompletableFuture<String> failure = session.resetWithoutLogout();
      client.readUntil("|35=1|");
      clock.pass(Duration.ofSeconds(11)); // nobody responds
      assertThatThrownBy(() -> outcome(failure)).hasMessageContaining("no Heartbeat came");
      assertThat(order.begin("D")).isEqualTo(SendStatus.OK);
      assertThat(order.send()).isEqualTo(4);
    }
  }

  /** The Heartbeat came after our Logout(5), and a Logon(A) with number 1 followed that. */
  @Test
  void resetEndsWithALogout() throws Exception {
    FixAcceptor acceptor = acceptor(rules(SERVER).checkLatency(false)); // the counterparty's clock is not of today
    FixSession session = acceptor.session(SERVER);
    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
      client.logon(1, "");
      client.readUntil("|35=A|");
      CompletableFuture<String> outcome = session.resetWithoutLogout();
      String request = client.readUntil("|35=1|");
      var unused = session.logout("closing time");
      client.readUntil("|35=5|");
      client.send("0", 2, "112=" + request.replaceAll(".*\\|112=([^|]*).*", "$1") + '|');
      assertThatThrownBy(() -> outcome(outcome)).hasMessageContaining("logged out before");
      client.send("5", 3, "");
      assertThat(client.read()).isEmpty();
      assertThat(session.nextOutbound()).isEqualTo(4);
    }
  }

  /** A session that never stops was logged out for its reset. */
  @Test
  void scheduleResetsWithoutALogout() throws Exception {
    SessionScheduleBuilder noon = SessionSchedule.in(ZoneId.of("UTC")).nonStop().resetDaily(LocalTime.NOON);
    assertThatThrownBy(() -> SessionSchedule.in(ZoneId.of("UTC")).nonStop().resetWithoutLogout(true).build())
        .hasMessage("resetWithoutLogout: set its time by resetDaily or resetWeekly");
    FixAcceptor acceptor = acceptor(rules(SERVER));
    FixSession client = connect(acceptor, rules(CLIENT).schedule(noon.resetWithoutLogout(true).build()));
    FixSession session = acceptor.session(SERVER);
    await("a logon", () -> client.isLoggedOn() && session.isLoggedOn());
    outcome(client.send("35=D|11=A|55=DECANT"));
    assertThat(client.status().schedule().nextReset()).isEqualTo("2027-03-01T12:00:00Z");

    clock.passUntil(Instant.parse("2027-03-01T11:50:00Z"));
    assertThat(client.nextOutbound()).isEqualTo(3);
    clock.passUntil(Instant.parse("2027-03-01T12:00:01Z"));
    await("the reset", () -> client.nextOutbound() == 2 && client.nextInbound() == 2 && session.nextInbound() == 2);
    assertThat(client.isLoggedOn()).isTrue();
    assertThat(client.status().counts().disconnects()).isZero();
    assertThat(client.storeCreated()).isAfterOrEqualTo(Instant.parse("2027-03-01T12:00:00Z"));
    clock.pass(Duration.ofMinutes(5));
    assertThat(client.nextOutbound()).isEqualTo(2);

    outcome(client.logout(""));
    clock.passUntil(Instant.parse("2027-03-02T12:00:01Z"));
    await("the reset", () -> client.nextOutbound() == 1);
    assertThat(client.status().isResetPending()).isTrue();
    outcome(client.logon());
    assertThat(session.nextInbound()).isEqualTo(2);
    assertThat(client.status().isResetPending()).isFalse();
  }

  @Test
  void statusTellsTheSchedule() throws Exception {
    SessionSchedule hours = SessionSchedule.in(ZoneId.of("UTC")).window(LocalTime.of(8, 0), LocalTime.of(17, 0))
        .build();
    FixSession session = acceptor(rules(SERVER).schedule(hours)).session(SERVER);
    Instant morning = Instant.parse("2027-03-01T08:00:00Z");
    Instant evening = Instant.parse("2027-03-01T17:00:00Z");
    Instant tomorrow = Instant.parse("2027-03-02T08:00:00Z");
    assertThat(session.status().schedule())
        .isEqualTo(new ScheduleStatus(false, morning, evening, morning, hours.toString()));
    assertThat(session.status().health().toString())
        .isEqualTo("down: closed by its schedule; opens at 2027-03-01T08:00:00Z");
    clock.passUntil(Instant.parse("2027-03-01T08:00:01Z"));
    await("the opening", session::isSessionTime);
    assertThat(session.status().schedule())
        .isEqualTo(new ScheduleStatus(true, tomorrow, evening, tomorrow, hours.toString()));
    assertThat(session.status().health().reason()).isEqualTo("the counterparty is not connected");
    assertThat(connect(acceptor(rules(SERVER.withTarget("OTHER", ""))), rules(CLIENT)).status().schedule())
        .isEqualTo(new ScheduleStatus(true, null, null, null, "always open, no reset"));
  }
}
