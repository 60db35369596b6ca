package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.event.SessionListener;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.schedule.SessionSchedule;
import dev.decant.fix.schedule.SessionScheduleBuilder;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.fix.settings.WhileClosed;
import dev.decant.fix.store.FileStores;
import dev.decant.fix.store.MemoryStores;
import dev.decant.fix.store.MessageStoreFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions open and close by the clock, and number their messages by the trading session. */
@Timeout(120)
@SuppressWarnings("FutureReturnValueIgnored") // of actions whose effect is looked at
class SessionHoursTest {
  private static final SessionId SERVER = SessionId.of("FIX.4.4", "SERVER", "CLIENT");
  private static final SessionId CLIENT = SessionId.of("FIX.4.4", "CLIENT", "SERVER");
  private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private static final ZoneId UTC = ZoneId.of("UTC");

  @TempDir
  Path folder;

  private final SetClock clock = new SetClock(at("2027-03-01T07:00:00Z"));
  private final FixEngine serverEngine = clock.engine("server");
  private FixEngine clientEngine = clock.engine("client");
  private final List<String> received = new CopyOnWriteArrayList<>();
  private final List<String> clientEvents = new CopyOnWriteArrayList<>();
  private final List<String> serverEvents = new CopyOnWriteArrayList<>();

  /** Notes events as lines. */
  private static final class Events implements SessionListener {
    private final List<String> lines;

    Events(List<String> lines) {
      this.lines = lines;
    }

    @Override
    public void onNotice(SessionId session, String text) {
      lines.add(text);
    }

    @Override
    public void onReset(SessionId session) {
      lines.add("reset");
    }

    @Override
    public void onDisconnect(SessionId session, String reason) {
      lines.add("disconnected: " + reason);
    }

    @Override
    public void onMessagesDiscarded(SessionId session, long from, long to) {
      lines.add("discarded " + from + " to " + to);
    }
  }

  @AfterEach
  void close() {
    clock.closeAll();
  }

  private static Instant at(String instant) {
    return Instant.parse(instant);
  }

  private static SessionScheduleBuilder eightToFive() {
    return SessionSchedule.in(UTC).window(LocalTime.of(8, 0), LocalTime.of(17, 0));
  }

  private static SessionSettingsBuilder rules(SessionId id, SessionSchedule schedule) {
    return SessionSettings.of(id).schedule(schedule).heartbeatInterval(Duration.ZERO)
        .maxLatency(Duration.ofDays(2)); // time passes between a send and its arrival
  }

  private FixAcceptor listen(SessionSettings settings, MessageStoreFactory store) throws IOException {
    serverEngine.listen(new Events(serverEvents));
    return serverEngine.acceptor(ANY_PORT, (session, message) -> received.add(line(message))).session(settings)
        .store(store).open();
  }

  private static String line(MessageView message) {
    return message.string(11) + (message.flag(43, false) ? " again" : "");
  }

  private FixSession connect(FixAcceptor acceptor, SessionSettings settings, MessageStoreFactory store)
      throws IOException {
    clientEngine.listen(new Events(clientEvents));
    return clientEngine.initiator(settings, (session, message) -> {}).store(store)
        .host("localhost", acceptor.localAddress().getPort())
        .reconnectDelay(Duration.ofMillis(10), Duration.ofMillis(50)).open();
  }

  private void await(String what, BooleanSupplier done) {
    clock.await(() -> what + "; client " + clientEvents + ", server " + serverEvents, done);
  }

  private static long send(FixSession session, String id) {
    OutboundMessage order = session.newMessage();
    SendStatus status = order.begin("D");
    if (status != SendStatus.OK) {
      assertThat(status).isEqualTo(SendStatus.CLOSED);
      return -1;
    }
    order.text(11, id);
    return order.send();
  }

  @Test
  void acceptorRefusesLogonsUntilItsWindowOpens() throws Exception {
    FixAcceptor acceptor = listen(rules(SERVER, eightToFive().build()).build(), new MemoryStores());
    FixSession client = connect(acceptor, rules(CLIENT, SessionSchedule.nonStop()).build(), new MemoryStores());
    await("a refusal", () -> clientEvents.stream().anyMatch(
        line -> line.contains("the session is closed, and opens at 2027-03-01T08:00:00Z")));
    assertThat(acceptor.session(SERVER).isSessionTime()).isFalse();
    assertThat(acceptor.session(SERVER).nextInbound()).isOne();

    clock.passUntil(at("2027-03-01T08:00:01Z"));
    await("a logon in the window", client::isLoggedOn);
    clock.passUntil(at("2027-03-01T17:00:00Z"));
    await("the end", () -> clientEvents.stream().anyMatch(line -> line.contains("opens at 2027-03-02T08:00:00Z")));
    assertThat(client.isLoggedOn()).isFalse();
  }

  @Test
  void initiatorIsConnectedFromTheOpeningUntilShortlyBeforeTheClosing() throws Exception {
    FixAcceptor acceptor = listen(rules(SERVER, SessionSchedule.nonStop()).build(), new MemoryStores());
    SessionSchedule schedule = eightToFive().logoutBeforeClose(Duration.ofSeconds(30)).build();
    FixSession client = connect(acceptor, rules(CLIENT, schedule).build(), new MemoryStores());
    clock.passUntil(at("2027-03-01T07:59:59Z"));
    assertThat(client.isConnected()).isFalse();
    assertThat(send(client, "early")).isNegative();

    clock.passUntil(at("2027-03-01T08:00:00.100Z"));
    await("a logon at the opening", client::isLoggedOn);
    assertThat(client.tradingSession()).contains(at("2027-03-01T08:00:00Z"));
    assertThat(client.storeCreated()).isBetween(at("2027-03-01T08:00:00Z"), clock.now().plusMillis(1));
    clock.passUntil(at("2027-03-01T16:59:25Z"));
    assertThat(client.isLoggedOn()).isTrue();
    clock.passUntil(at("2027-03-01T16:59:31Z"));
    await("the logout", () -> !client.isConnected());
    assertThat(serverEvents).contains("disconnected: the counterparty logged out: the session is closed, and opens at "
        + "2027-03-02T08:00:00Z");
  }

  /** The opening found a connection that was still being logged out, and nobody connected again after its end. */
  @Test
  void initiatorConnectsAgainIfTheWindowOpensDuringTheLogout() throws Exception {
    SessionSchedule schedule = SessionSchedule.in(UTC).window(LocalTime.of(8, 0), LocalTime.of(12, 0))
        .window(LocalTime.of(12, 0, 1), LocalTime.of(17, 0)).resetNever().build();
    SessionSettings settings = rules(CLIENT, schedule).checkLatency(false).logoutTimeout(Duration.ofSeconds(10))
        .build();
    clientEngine.listen(new Events(clientEvents));
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      server.setSoTimeout(10_000);
      FixSession client = clientEngine.initiator(settings, (session, message) -> {}).store(new MemoryStores())
          .host("localhost", server.getLocalPort()).reconnectDelay(Duration.ofMillis(10), Duration.ofMillis(50))
          .open();
      clock.passUntil(at("2027-03-01T08:00:01Z"));
      try (RawClient first = new RawClient(server.accept(), "SERVER", "CLIENT")) {
        first.readUntil("|35=A|");
        first.send("A", 1, "98=0|108=0|");
        await("a logon", client::isLoggedOn);
        clock.passUntil(at("2027-03-01T12:00:00.100Z"));
        first.readUntil("|35=5|");
        clock.passUntil(at("2027-03-01T12:00:02Z"));
        assertThat(client.isSessionTime()).isTrue();
        clock.pass(Duration.ofSeconds(11)); // nobody has responded to the Logout
        clock.pass(Duration.ofSeconds(1));
        try (RawClient second = new RawClient(server.accept(), "SERVER", "CLIENT")) {
          second.readUntil("|35=A|");
        }
      }
    }
  }

  /** A session that was made at a logon was forgotten before the engine had told of it, and its hours ran for ever. */
  @Test
  void sessionIsNotForgottenBeforeItHasBegunAndHasNoHoursAfterwards() throws Exception {
    FixAcceptor acceptor = listen(rules(SERVER, eightToFive().build()).build(), new MemoryStores());
    SessionId other = SessionId.of("FIX.4.4", "SERVER", "OTHER");
    CompletableFuture<SessionRunner> made = new CompletableFuture<>();
    CompletableFuture<Boolean> isForgotten = new CompletableFuture<>();
    serverEngine.loops()[0].loop().execute(() -> {
      try {
        SessionRunner runner = acceptor.open(rules(other, eightToFive().build()).build());
        isForgotten.complete(runner.forget());
        made.complete(runner);
      } catch (IOException e) {
        made.completeExceptionally(e);
      }
    });
    SessionRunner runner = made.get(20, TimeUnit.SECONDS);
    assertThat(isForgotten.join()).isFalse();
    clock.settle();
    CompletableFuture<Boolean> looked = new CompletableFuture<>();
    clock.passUntil(at("2027-03-01T08:00:01Z"));
    serverEngine.loops()[0].loop().execute(() -> {
      isForgotten.obtrudeValue(runner.forget());
      runner.hours().check();
      looked.complete(runner.hours().isWaiting());
    });
    assertThat(looked.get(20, TimeUnit.SECONDS)).isFalse();
    assertThat(isForgotten.join()).isTrue();
  }

  @Test
  void numbersBeginWithOneInEachTradingSession() throws Exception {
    FixAcceptor acceptor = listen(rules(SERVER, eightToFive().build()).build(), new MemoryStores());
    FixSession client = connect(acceptor, rules(CLIENT, eightToFive().build()).build(), new MemoryStores());
    clock.passUntil(at("2027-03-01T08:00:01Z"));
    await("a logon", client::isLoggedOn);
    for (int day = 2; day <= 4; day++) {
      assertThat(send(client, "order")).isEqualTo(2);
      int count = day - 1;
      await("the order", () -> received.size() == count);
      clock.passUntil(at("2027-03-0" + (day - 1) + "T17:00:01Z"));
      await("the end", () -> !client.isConnected() && !acceptor.session(SERVER).isConnected());
      assertThat(send(client, "late")).isNegative();
      clock.passUntil(at("2027-03-0" + day + "T08:00:01Z"));
      await("a logon", client::isLoggedOn);
    }
    assertThat(received).containsExactly("order", "order", "order");
    assertThat(serverEvents.stream().filter("reset"::equals)).hasSize(4);
  }

  @Test
  void queuedMessagesBelongToTheNextTradingSession() throws Exception {
    FixAcceptor acceptor = listen(rules(SERVER, eightToFive().build()).build(), new MemoryStores());
    FixSession client = connect(acceptor,
        rules(CLIENT, eightToFive().build()).whileClosed(WhileClosed.QUEUE).build(), new MemoryStores());
    clock.passUntil(at("2027-03-01T08:00:01Z"));
    await("a logon", client::isLoggedOn);
    send(client, "first day");
    await("the order", () -> received.size() == 1);
    clock.passUntil(at("2027-03-01T17:00:01Z"));
    await("the end", () -> !client.isConnected() && !acceptor.session(SERVER).isConnected());
    await("the reset", () -> client.nextOutbound() == 1);

    assertThat(send(client, "night 1")).isOne();
    assertThat(send(client, "night 2")).isEqualTo(2);
    clock.passUntil(at("2027-03-02T08:00:01Z"));
    await("the queued orders", () -> received.size() == 3);
    assertThat(received).containsExactly("first day", "night 1 again", "night 2 again");
    assertThat(clientEvents).noneMatch(line -> line.startsWith("discarded"));
  }

  /** Trades for a day, queues two messages in the night, and ends the client's process. */
  private FixAcceptor dayAndNight(SessionSettings ofClient) throws Exception {
    FixAcceptor acceptor = listen(rules(SERVER, eightToFive().build()).build(), new MemoryStores());
    FixSession client = connect(acceptor, ofClient, files());
    clock.passUntil(at("2027-03-01T08:00:01Z"));
    await("a logon", client::isLoggedOn);
    send(client, "first day");
    await("the order", () -> received.size() == 1);
    clock.passUntil(at("2027-03-01T17:00:01Z"));
    await("the end", () -> !client.isConnected() && !acceptor.session(SERVER).isConnected());
    await("the reset", () -> client.nextOutbound() == 1);
    assertThat(send(client, "night 1")).isOne();
    assertThat(send(client, "night 2")).isEqualTo(2);
    clock.close(clientEngine);
    clientEngine = clock.engine("client again");
    return acceptor;
  }

  private MessageStoreFactory files() {
    return FileStores.builder(folder.resolve("queued")).segmentBytes(1 << 16).build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"2027-03-02T07:00:00Z", "2027-03-02T08:00:00Z", "2027-03-02T10:00:00Z"})
  void queuedMessagesAreSentByAProcessThatIsStartedOnTheNextDay(String start) throws Exception {
    SessionSettings settings = rules(CLIENT, eightToFive().build()).whileClosed(WhileClosed.QUEUE).build();
    FixAcceptor acceptor = dayAndNight(settings);
    clock.passUntil(at(start));
    FixSession client = connect(acceptor, settings, files());
    clock.passUntil(at("2027-03-02T10:00:01Z"));
    await("the queued orders", () -> received.size() == 3);
    assertThat(received).containsExactly("first day", "night 1 again", "night 2 again");
    send(client, "second day");
    await("the order", () -> received.contains("second day"));
    assertThat(clientEvents).noneMatch(line -> line.startsWith("discarded"));
  }

  /** They were discarded, and nobody was told: by the new schedule they had been sent within a window. */
  @Test
  void queuedMessagesThatAnotherScheduleDiscardsAreTold() throws Exception {
    FixAcceptor acceptor = dayAndNight(
        rules(CLIENT, eightToFive().build()).whileClosed(WhileClosed.QUEUE).build());
    clock.passUntil(at("2027-03-02T10:00:00Z"));
    SessionSchedule later = SessionSchedule.in(UTC).window(LocalTime.of(9, 0), LocalTime.of(18, 0)).build();
    FixSession client = connect(acceptor, rules(CLIENT, later).whileClosed(WhileClosed.QUEUE).build(), files());
    await("a logon", client::isLoggedOn);
    assertThat(clientEvents).contains("discarded 1 to 2");
    assertThat(client.nextOutbound()).isEqualTo(2);
  }

  /** As above: the window that they were queued for has passed without this process. */
  @Test
  void queuedMessagesOfAnEarlierNightAreToldToBeDiscarded() throws Exception {
    SessionSettings settings = rules(CLIENT, eightToFive().build()).whileClosed(WhileClosed.QUEUE).build();
    FixAcceptor acceptor = dayAndNight(settings);
    clock.passUntil(at("2027-03-03T10:00:00Z"));
    FixSession client = connect(acceptor, settings, files());
    await("a logon", client::isLoggedOn);
    assertThat(clientEvents).contains("discarded 1 to 2");
    assertThat(received).containsExactly("first day");
  }

  @Test
  void expiredMessagesAreToldAndTheirNumbersUsedAgain() throws Exception {
    SessionSchedule schedule = eightToFive().resetNever().build();
    FixAcceptor acceptor = listen(rules(SERVER, schedule).build(), new MemoryStores());
    FixSession client = connect(acceptor, rules(CLIENT, schedule).whileClosed(WhileClosed.EXPIRE).build(),
        new MemoryStores());
    assertThat(send(client, "too early")).isOne();
    assertThat(send(client, "also")).isEqualTo(2);
    clock.passUntil(at("2027-03-01T08:00:01Z"));
    await("a logon", client::isLoggedOn);
    assertThat(clientEvents).contains("discarded 1 to 2");
    assertThat(send(client, "in time")).isEqualTo(2);
    await("the order", () -> received.contains("in time"));
    assertThat(received).containsExactly("in time");
  }

  /** With EXPIRE the reset at the opening takes the messages with it: that is told, too. */
  @Test
  void messagesThatAResetDiscardsAreTold() throws Exception {
    FixAcceptor acceptor = listen(rules(SERVER, eightToFive().build()).build(), new MemoryStores());
    FixSession client = connect(acceptor, rules(CLIENT, eightToFive().build()).whileClosed(WhileClosed.EXPIRE).build(),
        new MemoryStores());
    assertThat(send(client, "too early")).isOne();
    clock.passUntil(at("2027-03-01T08:00:01Z"));
    await("a logon", client::isLoggedOn);
    assertThat(clientEvents).contains("discarded 1 to 1");
    assertThat(client.nextOutbound()).isEqualTo(2);
  }

  @Test
  void ageOfTheStoreDecidesAfterARestart() throws Exception {
    FileStores stores = FileStores.builder(folder).segmentBytes(1 << 16).build();
    FixAcceptor acceptor = listen(rules(SERVER, SessionSchedule.nonStop()).build(), new MemoryStores());
    clock.passUntil(at("2027-03-01T09:00:00Z"));
    FixSession first = connect(acceptor, rules(CLIENT, eightToFive().build()).build(), stores);
    await("a logon", first::isLoggedOn);
    send(first, "order");
    Instant created = first.storeCreated();
    restartClient();
    clock.passUntil(at("2027-03-01T16:00:00Z"));
    FixSession second = connect(acceptor, rules(CLIENT, eightToFive().build()).build(), stores);
    assertThat(second.storeCreated()).isEqualTo(created);
    assertThat(second.nextOutbound()).isGreaterThan(3);
    restartClient();

    clock.passUntil(at("2027-03-02T07:59:00Z")); // the trading session of the day before is the last one
    FixSession third = connect(acceptor, rules(CLIENT, eightToFive().build()).build(), stores);
    assertThat(third.storeCreated()).isEqualTo(created);
    restartClient();
    clock.passUntil(at("2027-03-02T10:00:00Z"));
    FixSession fourth = connect(acceptor, rules(CLIENT, eightToFive().build()).build(), stores);
    assertThat(fourth.storeCreated()).isAfter(at("2027-03-02T09:59:59Z")); // the engine may be milliseconds behind
    clock.settle();
    assertThat(clientEvents)
        .anyMatch(line -> line.startsWith("sequence numbers begin with 1: those of the store began at "
            + created + ", in an earlier trading session, and were "));
  }

  /** The process that accepted them has ended: nothing but their times shows that they were never sent. */
  @Test
  void messagesExpireThatAnEarlierProcessHasAccepted() throws Exception {
    FileStores stores = FileStores.builder(folder).segmentBytes(1 << 16).build();
    SessionSchedule schedule = eightToFive().resetNever().build();
    FixAcceptor acceptor = listen(rules(SERVER, schedule).build(), new MemoryStores());
    SessionSettings settings = rules(CLIENT, schedule).whileClosed(WhileClosed.EXPIRE).build();
    FixSession first = connect(acceptor, settings, stores);
    assertThat(send(first, "too early")).isOne();
    restartClient();
    FixSession second = connect(acceptor, settings, stores);
    assertThat(send(second, "also")).isEqualTo(2);
    restartClient();
    clock.passUntil(at("2027-03-01T08:00:01Z"));
    FixSession third = connect(acceptor, settings, stores);
    await("a logon", third::isLoggedOn);
    assertThat(clientEvents).contains("discarded 1 to 2");
    assertThat(send(third, "in time")).isEqualTo(2);
    await("the order", () -> !received.isEmpty());
    assertThat(received).containsExactly("in time");
    restartClient();
    FixSession fourth = connect(acceptor, settings, stores);
    await("a logon", fourth::isLoggedOn);
    assertThat(clientEvents.stream().filter(line -> line.startsWith("discarded"))).hasSize(1);
  }

  private void restartClient() {
    clock.close(clientEngine);
    clientEngine = clock.engine("client again");
  }

  /** A time of day that is set back comes to the opening for the second time. */
  @Test
  void clockThatIsSetBackResetsNothingTwice() throws Exception {
    FixAcceptor acceptor = listen(rules(SERVER, eightToFive().build()).build(), new MemoryStores());
    FixSession client = connect(acceptor, rules(CLIENT, eightToFive().build()).build(), new MemoryStores());
    clock.passUntil(at("2027-03-01T08:00:10Z"));
    await("a logon", client::isLoggedOn);
    for (int i = 0; i < 10; i++) {
      send(client, "order");
    }
    await("the orders", () -> received.size() == 10);
    clock.step(Duration.ofHours(-2));
    await("the end", () -> !client.isConnected() && !acceptor.session(SERVER).isConnected());
    assertThat(client.isSessionTime()).isFalse();
    clock.passUntil(at("2027-03-01T08:00:01Z"));
    await("a logon", client::isLoggedOn);
    assertThat(send(client, "order")).isGreaterThan(12);
    assertThat(clientEvents.stream().filter("reset"::equals)).hasSize(1);
  }

  /** Its numbers were those of the next day already, and the counterparty found them too low. */
  @Test
  void sessionThatQueuesStaysClosedInAWindowThatHasEndedBefore() throws Exception {
    FixAcceptor acceptor = listen(rules(SERVER, eightToFive().build()).build(), new MemoryStores());
    FixSession client = connect(acceptor,
        rules(CLIENT, eightToFive().build()).whileClosed(WhileClosed.QUEUE).build(), new MemoryStores());
    clock.passUntil(at("2027-03-01T08:00:01Z"));
    await("a logon", client::isLoggedOn);
    send(client, "order");
    await("the order", () -> received.size() == 1);
    clock.passUntil(at("2027-03-01T17:00:01Z"));
    await("the end", () -> !client.isConnected() && !acceptor.session(SERVER).isConnected());
    await("the reset", () -> client.nextOutbound() == 1);
    clock.step(Duration.ofMinutes(-30));
    assertThat(acceptor.session(SERVER).isSessionTime()).isTrue();
    assertThat(client.isSessionTime()).isFalse();
    assertThat(send(client, "queued")).isOne();
    clock.passUntil(at("2027-03-01T18:00:00Z"));
    clock.passUntil(at("2027-03-02T08:00:01Z"));
    await("the queued order", () -> received.contains("queued again"));
  }

  /** Their times lie in a window that has ended before, and yet none of them was sent. */
  @Test
  void queuedMessagesAreKnownAfterARestartAtATimeThatWasSetBack() throws Exception {
    FixAcceptor acceptor = listen(rules(SERVER, eightToFive().build()).build(), new MemoryStores());
    SessionSettings settings = rules(CLIENT, eightToFive().build()).whileClosed(WhileClosed.QUEUE).build();
    MessageStoreFactory stores = files();
    FixSession first = connect(acceptor, settings, stores);
    clock.passUntil(at("2027-03-01T08:00:01Z"));
    await("a logon", first::isLoggedOn);
    clock.passUntil(at("2027-03-01T17:00:05Z"));
    await("the closing", () -> !first.isConnected() && !first.isSessionTime());
    assertThat(send(first, "before")).isOne();
    clock.step(Duration.ofMinutes(-20));
    assertThat(send(first, "meanwhile")).isEqualTo(2);
    assertThat(clientEngine.close(Duration.ofSeconds(5)).sessions().getFirst().toString())
        .endsWith("stored and unsent: 1 to 2");
    restartClient();
    FixSession second = connect(acceptor, settings, stores);
    clock.passUntil(at("2027-03-01T17:00:05Z"));
    assertThat(send(second, "after")).isEqualTo(3);
    assertThat(clientEngine.close(Duration.ofSeconds(5)).sessions().getFirst().toString())
        .endsWith("stored and unsent: 1 to 3");
    restartClient();
    FixSession third = connect(acceptor, settings, stores);
    clock.passUntil(at("2027-03-02T08:00:01Z"));
    await("a logon", third::isLoggedOn);
    await("the messages", () -> received.size() == 3);
    assertThat(received).containsExactly("before again", "meanwhile again", "after again");
  }

  @Test
  void clockThatIsSetForwardOverAnOpeningBeginsATradingSession() throws Exception {
    FixAcceptor acceptor = listen(rules(SERVER, eightToFive().build()).build(), new MemoryStores());
    FixSession client = connect(acceptor, rules(CLIENT, eightToFive().build()).build(), new MemoryStores());
    clock.passUntil(at("2027-03-01T08:00:10Z"));
    await("a logon", client::isLoggedOn);
    send(client, "order");
    await("the order", () -> received.size() == 1);
    clock.step(Duration.ofHours(26));
    await("a new trading session", () -> client.isLoggedOn() && client.nextOutbound() == 2);
    assertThat(client.tradingSession()).contains(at("2027-03-02T08:00:00Z"));
    assertThat(send(client, "next day")).isEqualTo(2);
    await("the order", () -> received.size() == 2);
  }

  @Test
  void numbersBeginAnewAtATimeOfTheirOwnWhileConnected() throws Exception {
    SessionSchedule schedule = SessionSchedule.in(UTC).nonStop().resetDaily(LocalTime.of(17, 0)).build();
    FixAcceptor acceptor = listen(rules(SERVER, schedule).build(), new MemoryStores());
    FixSession client = connect(acceptor, rules(CLIENT, schedule).build(), new MemoryStores());
    await("a logon", client::isLoggedOn);
    send(client, "before");
    await("the order", () -> received.size() == 1);
    clock.passUntil(at("2027-03-01T17:00:01Z"));
    await("numbers from 1 on", () -> client.isLoggedOn() && client.nextOutbound() == 2
        && acceptor.session(SERVER).isLoggedOn());
    assertThat(send(client, "after")).isEqualTo(2);
    await("the order", () -> received.size() == 2);
    assertThat(serverEvents).contains("reset");
  }

  @Test
  void announcedResetAsksACounterpartyWithoutSchedule() throws Exception {
    FixAcceptor acceptor = listen(rules(SERVER, SessionSchedule.nonStop()).build(), new MemoryStores());
    SessionSchedule schedule = SessionSchedule.in(UTC).nonStop().resetDaily(LocalTime.of(17, 0)).announceReset(true)
        .build();
    FixSession client = connect(acceptor, rules(CLIENT, schedule).build(), new MemoryStores());
    await("a logon", client::isLoggedOn);
    send(client, "before");
    await("the order", () -> received.size() == 1);
    clock.passUntil(at("2027-03-01T17:00:01Z"));
    await("numbers from 1 on, at both ends", () -> client.isLoggedOn() && client.nextOutbound() == 2
        && acceptor.session(SERVER).nextInbound() == 2);
  }

  @Test
  void operatorsLogoutOutlastsTheOpening() throws Exception {
    FixAcceptor acceptor = listen(rules(SERVER, SessionSchedule.nonStop()).build(), new MemoryStores());
    FixSession client = connect(acceptor, rules(CLIENT, eightToFive().build()).build(), new MemoryStores());
    client.logout("").get();
    clock.passUntil(at("2027-03-01T08:00:30Z"));
    assertThat(client.isSessionTime()).isTrue();
    clock.pass(Duration.ofSeconds(30));
    assertThat(client.isConnected()).isFalse();
    client.logon();
    await("a logon", client::isLoggedOn);
  }

  @Test
  void queueDoesNotGoWithLogonsThatReset() {
    assertThatThrownBy(() -> rules(CLIENT, eightToFive().build()).whileClosed(WhileClosed.QUEUE).resetOnLogon(true)
        .build()).isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith("whileClosed QUEUE");
    assertThatThrownBy(() -> rules(CLIENT, eightToFive().announceReset(true).build()).whileClosed(WhileClosed.QUEUE)
        .build()).isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith("whileClosed QUEUE");
  }
}
