package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.event.SessionListener;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.AddressRules;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.FileStores;
import dev.decant.time.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sessions that an acceptor creates when their counterparties log on, and the limits and rules for these connections.
 */
@Timeout(60)
class DynamicSessionsTest {
  private static final SessionId ANY_BUYER = SessionId.of("FIX.4.4", "SERVER", "*");

  private final FixEngine engine = FixEngine.builder().name("venue").loops(2).start();
  private final Queue<String> refused = new ConcurrentLinkedQueue<>();
  private final List<RawClient> clients = new ArrayList<>();

  DynamicSessionsTest() {
    engine.listen(new SessionListener() {
      @Override
      public void onConnectionRefused(InetSocketAddress from, String reason) {
        refused.add(reason);
      }
    });
  }

  @AfterEach
  void close() throws IOException {
    for (RawClient client : clients) {
      client.close();
    }
    engine.close();
  }

  private AcceptorBuilder acceptor() {
    return engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (session, message) -> {});
  }

  private static SessionSettings settings(SessionId id) {
    return SessionSettings.of(id).build();
  }

  private static final class Password implements Authenticator {
    @Override
    public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
      return logon.contentEquals(554, "secret") ? null : "wrong password";
    }
  }

  private RawClient connect(FixAcceptor acceptor, String compId) throws IOException {
    RawClient client = new RawClient(acceptor.localAddress().getPort(), compId);
    clients.add(client);
    return client;
  }

  /** Logs on, and returns the response; empty if the connection was closed. */
  private String logon(FixAcceptor acceptor, String compId, String fields) throws IOException {
    RawClient client = connect(acceptor, compId);
    client.logon(1, fields);
    return client.read();
  }

  private void awaitRefusal(String words) throws InterruptedException {
    assertThat(engine.waitUntil(() -> refused.stream().anyMatch(reason -> reason.contains(words)),
        TwoEngines.PATIENCE)).as("refused: %s", refused).isTrue();
  }

  private void awaitSessions(int count) throws InterruptedException {
    assertThat(engine.waitUntil(() -> engine.sessions().size() == count, TwoEngines.PATIENCE))
        .as("%d sessions, not %d", engine.sessions().size(), count).isTrue();
  }

  @Test
  void templateMakesASessionForEachCounterparty() throws Exception {
    FixAcceptor acceptor = acceptor().template(ANY_BUYER, DynamicSessionsTest::settings).open();
    for (int i = 0; i < 5; i++) {
      assertThat(logon(acceptor, "BUYER" + i, "")).contains("|35=A|34=1|", "|56=BUYER" + i + '|');
    }
    assertThat(logon(acceptor, "BUYER9", "50=DESK|")).isEmpty();
    awaitRefusal("there is no session");
    assertThat(engine.sessions()).hasSize(5);
  }

  /** A stranger that guessed CompIDs left a session, and a folder of its store, for each guess. */
  @Test
  void failedLogonsLeaveNothing(@TempDir Path folder) throws Exception {
    FixAcceptor acceptor = acceptor().template(ANY_BUYER, DynamicSessionsTest::settings)
        .authenticator(new Password()).store(FileStores.builder(folder).segmentBytes(1 << 16).build()).open();
    for (int i = 0; i < 20; i++) {
      assertThat(logon(acceptor, "GUESS" + i, "554=guessed|")).contains("|35=5|34=0|43=Y|", "|58=wrong password|");
      assertThat(clients.getLast().read()).isEmpty();
    }
    awaitRefusal("wrong password");
    assertThat(engine.sessions()).isEmpty();
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).isEmpty();
    }
    assertThat(logon(acceptor, "BUYER", "554=secret|")).contains("|35=A|");
  }

  /** Counterparties of a template or lookup were cut off, where those of a configured session are told why. */
  @Test
  void refusalOfALookedUpSessionIsToldToo() throws Exception {
    FixAcceptor acceptor = acceptor().lookup((id, logon, peer) -> settings(id), Duration.ofSeconds(20))
        .authenticator(new Password()).open();
    assertThat(logon(acceptor, "BUYER", "554=guessed|")).contains("|35=5|34=0|43=Y|49=SERVER|", "|56=BUYER|",
        "|58=wrong password|");
    assertThat(clients.getLast().read()).isEmpty();
    awaitRefusal("wrong password");
    assertThat(engine.sessions()).isEmpty();
    assertThat(logon(acceptor, "BUYER", "554=secret|")).contains("|35=A|34=1|");
  }

  /** A peer that guesses passwords without a pause gets a bounded number of responses. */
  @Test
  void refusalsOfASecondAreBounded() throws Exception {
    FixAcceptor acceptor = acceptor().template(ANY_BUYER, DynamicSessionsTest::settings)
        .connectionsBeforeLogon(1_000, 1_000).authenticator(new Password()).open();
    Refusals refusals = new Refusals(new EngineClock(Clock.system()), acceptor.home().loop(), 1_024);
    SessionId stranger = SessionId.of("FIX.4.4", "SERVER", "GUESS");
    CompletableFuture<List<Boolean>> told = new CompletableFuture<>();
    acceptor.home().loop().execute(() -> { // within one round, so at one time
      List<Boolean> all = new ArrayList<>();
      for (int i = 0; i <= Refusals.MOST_PER_SECOND; i++) {
        all.add(refusals.logout(new UnknownLogonException(stranger, "wrong password")) != null);
      }
      all.add(refusals.logout(new UnknownLogonException(true, "unknown")) != null);
      told.complete(all);
    });
    List<Boolean> all = told.get(20, TimeUnit.SECONDS);
    assertThat(all.subList(0, Refusals.MOST_PER_SECOND)).containsOnly(true);
    assertThat(all.subList(Refusals.MOST_PER_SECOND, all.size())).containsOnly(false);
  }

  /** An authenticator that takes a token once refused the session that it had just admitted. */
  @ParameterizedTest
  @CsvSource({"false, 1", "false, 4", "true, 1", "true, 4"})
  void authenticatorIsAskedOnceAboutALogon(boolean isLookedUp, int loops) throws Exception {
    try (FixEngine several = FixEngine.builder().loops(loops).loopOf(id -> loops - 1).start()) {
      AtomicInteger asked = new AtomicInteger();
      AcceptorBuilder builder = several.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          (session, message) -> {}).authenticator(new Authenticator() {
            @Override
            public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
              return asked.incrementAndGet() % 2 == 1 ? null : "asked again";
            }
          });
      FixAcceptor acceptor = (isLookedUp
          ? builder.lookup((id, logon, peer) -> settings(id), TwoEngines.PATIENCE)
          : builder.template(ANY_BUYER, DynamicSessionsTest::settings)).open();
      assertThat(logon(acceptor, "BUYER", "")).contains("|35=A|");
      assertThat(asked).hasValue(1);
      RawClient first = clients.getFirst();
      first.send("5", 2, "");
      first.readUntil("|35=5|");
      assertThat(logon(acceptor, "BUYER", "")).as("another connection").contains("|35=5|", "asked again");
      assertThat(asked).hasValue(2);
    }
  }

  /** The Logon of a desk was admitted, and with it the session of the firm that the template has put the desk into. */
  @Test
  void admissionCountsForNoOtherSession() throws Exception {
    SessionId firm = SessionId.of("FIX.4.4", "SERVER", "FIRM");
    List<String> asked = new CopyOnWriteArrayList<>();
    FixAcceptor acceptor = acceptor().session(settings(firm)).template(ANY_BUYER, id -> settings(firm))
        .authenticator(new Authenticator() {
          @Override
          public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
            asked.add(id.targetCompId());
            return id.equals(firm) && !logon.contentEquals(554, "secret") ? "not of this firm" : null;
          }
        }).open();
    assertThat(logon(acceptor, "DESK", "")).contains("|35=5|", "|58=not of this firm|");
    assertThat(asked).containsExactly("DESK", "FIRM");
    assertThat(engine.sessions()).hasSize(1);
  }

  /** Its Logon was refused if the session was one of a lookup: the user was not asked once more. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void sessionThatIsForgottenWhileAConnectionIsOnItsWayIsMadeAgain(boolean isLookedUp) throws Exception {
    AtomicInteger asked = new AtomicInteger();
    try (FixEngine two = FixEngine.builder().loops(2).loopOf(id -> 1).start()) {
      AcceptorBuilder builder = two.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          (session, message) -> {}).authenticator(new Authenticator() {
            @Override
            public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
              asked.incrementAndGet();
              return null;
            }
          });
      FixAcceptor acceptor = (isLookedUp
          ? builder.lookup((id, logon, peer) -> settings(id), TwoEngines.PATIENCE)
          : builder.template(ANY_BUYER, DynamicSessionsTest::settings)).open();
      assertThat(logon(acceptor, "BUYER", "")).contains("|35=A|");
      clients.getFirst().send("5", 2, "");
      clients.getFirst().readUntil("|35=5|");
      SessionRunner forgotten = Objects.requireNonNull(two.runners().get(SessionId.of("FIX.4.4", "SERVER", "BUYER")));
      assertThat(two.waitUntil(() -> !forgotten.isConnected(), TwoEngines.PATIENCE)).isTrue();

      CountDownLatch gate = new CountDownLatch(1);
      two.loops()[1].loop().execute(() -> await(gate));
      acceptor.logonFailed(forgotten); // it is forgotten when its loop goes on
      RawClient second = connect(acceptor, "BUYER");
      second.logon(1, "");
      awaitHandover(two, acceptor);
      gate.countDown();

      assertThat(second.read()).contains("|35=A|34=1|");
      assertThat(forgotten.isClosed()).isTrue();
      assertThat(asked).as("once for each logon").hasValue(2);
    }
  }

  /** Waits until a connection has left for the loop of its session. */
  private static void awaitHandover(FixEngine engine, FixAcceptor acceptor) {
    long deadline = System.nanoTime() + TwoEngines.PATIENCE.toNanos();
    while (engine.handovers().isEmpty()) {
      assertThat(deadline - System.nanoTime()).as("time for the handover").isPositive();
      LockSupport.parkNanos(1_000_000);
    }
    CountDownLatch past = new CountDownLatch(1);
    acceptor.home().loop().execute(past::countDown);
    await(past);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The connection waited for a Logon that nobody answered. */
  @Test
  void templateThatFailsEndsItsConnectionAlone() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    FixAcceptor acceptor = acceptor().template(ANY_BUYER, id -> {
      if (asked.incrementAndGet() == 1) {
        throw new IllegalStateException("no dictionary");
      }
      return settings(id);
    }).open();
    assertThat(logon(acceptor, "BUYER", "")).isEmpty();
    awaitRefusal("FIX.4.4:SERVER->BUYER cannot be made: its template failed");
    assertThat(logon(acceptor, "BUYER", "")).contains("|35=A|");
  }

  /** The owner of an IPv6 network has as many addresses as it wants. */
  @Test
  void lookupsOfAnIpv6NetworkCountTogether() throws Exception {
    assertThat(PendingLookups.address(peer("2001:db8:1:2::1"))).isEqualTo(PendingLookups.address(peer(
        "2001:db8:1:2:ffff::2"))).isNotEqualTo(PendingLookups.address(peer("2001:db8:1:3::1")));
    assertThat(PendingLookups.address(peer("192.0.2.1"))).isNotEqualTo(PendingLookups.address(peer("192.0.2.2")));
  }

  private static Peer peer(String address) throws IOException {
    return new Peer(new InetSocketAddress(InetAddress.getByName(address), 1), null);
  }

  /** The Logon is refused by the session itself, which is of no use then. */
  @Test
  void sessionWhoseFirstLogonFailsIsForgotten() throws Exception {
    FixAcceptor acceptor = acceptor().template(ANY_BUYER, DynamicSessionsTest::settings).open();
    for (int i = 0; i < 10; i++) {
      RawClient client = connect(acceptor, "BUYER" + i);
      client.logon(2, "141=Y|"); // a reset begins with number 1
      assertThat(client.read()).contains("|35=5|");
    }
    awaitSessions(0);
  }

  @Test
  void idleSessionsAreForgottenAndTheirNumbersStayInFiles(@TempDir Path folder) throws Exception {
    FixAcceptor acceptor = acceptor().template(ANY_BUYER, DynamicSessionsTest::settings)
        .forgetAfter(Duration.ofMillis(20)).store(FileStores.builder(folder).segmentBytes(1 << 16).build()).open();
    for (int i = 0; i < 4; i++) {
      assertThat(logon(acceptor, "BUYER" + i, "")).contains("|35=A|34=1|");
    }
    awaitSessions(4);
    FixSession held = acceptor.session(SessionId.of("FIX.4.4", "SERVER", "BUYER0"));
    clients.getFirst().close();
    awaitSessions(3);
    assertThat(held.isLoggedOn()).isFalse();
    assertThat(held.newMessage().begin("D")).isEqualTo(SendStatus.LOGGED_OUT);
    assertThatThrownBy(() -> acceptor.session(held.id())).isInstanceOf(IllegalArgumentException.class);
    RawClient again = connect(acceptor, "BUYER0");
    again.logon(2, "");
    assertThat(again.read()).contains("|35=A|34=2|");
  }

  @Test
  void boundForgetsTheLongestIdleSessionAndRefusesWhenAllAreConnected() throws Exception {
    FixAcceptor acceptor = acceptor().template(ANY_BUYER, DynamicSessionsTest::settings).maxDynamicSessions(3).open();
    for (int i = 0; i < 3; i++) {
      assertThat(logon(acceptor, "BUYER" + i, "")).contains("|35=A|");
    }
    assertThat(logon(acceptor, "BUYER3", "")).isEmpty();
    awaitRefusal("all 3 sessions that are made at a logon are in use");
    FixSession idle = acceptor.session(SessionId.of("FIX.4.4", "SERVER", "BUYER1"));
    clients.get(1).close();
    assertThat(engine.waitUntil(() -> !idle.isConnected(), TwoEngines.PATIENCE)).isTrue();
    assertThat(logon(acceptor, "BUYER4", "")).contains("|35=A|");
    awaitSessions(3);
    assertThat(engine.sessions()).extracting(FixSession::id).doesNotContain(idle.id());
  }

  /** A lookup in a database would hold up all sessions, if the loop waited for it. */
  @Test
  void lookupMayBlockWhileOtherSessionsGoOn() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    FixAcceptor acceptor = acceptor().session(settings(SessionId.of("FIX.4.4", "SERVER", "KNOWN")))
        .lookup((id, logon, peer) -> {
          gate.await();
          return logon.contentEquals(553, "desk") && id.targetCompId().startsWith("BUYER") ? settings(id) : null;
        }, TwoEngines.PATIENCE).open();
    List<RawClient> waiting = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      RawClient client = connect(acceptor, (i % 10 == 0 ? "OTHER" : "BUYER") + i);
      if (i % 10 == 0) {
        client.logon(1, "553=desk|");
      } else {
        client.sendTogether(new String[] {"A", "98=0|108=30|553=desk|"}, new String[] {"1", "112=BEHIND|"});
      }
      waiting.add(client);
    }
    assertThat(logon(acceptor, "KNOWN", "")).contains("|35=A|");
    gate.countDown();
    for (int i = 0; i < 100; i++) {
      if (i % 10 == 0) {
        assertThat(waiting.get(i).read()).isEmpty();
      } else {
        assertThat(waiting.get(i).read()).contains("|35=A|34=1|");
        waiting.get(i).readUntil("|112=BEHIND|");
      }
    }
    awaitSessions(91);
  }

  @Test
  void lookupEndsAtItsDeadline() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    FixAcceptor acceptor = acceptor().lookup((id, logon, peer) -> {
      try {
        new CountDownLatch(1).await();
        return null;
      } catch (InterruptedException e) {
        interrupted.countDown();
        throw e;
      }
    }, Duration.ofMillis(30)).open();
    assertThat(logon(acceptor, "BUYER", "")).isEmpty();
    awaitRefusal("the lookup of FIX.4.4:SERVER->BUYER took longer than 30 ms");
    assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void lookupThatFailsEndsItsConnectionAlone() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    FixAcceptor acceptor = acceptor().lookup((id, logon, peer) -> {
      if (asked.incrementAndGet() == 1) {
        throw new IOException("the database is down");
      }
      return settings(id);
    }, TwoEngines.PATIENCE).open();
    assertThat(logon(acceptor, "BUYER", "")).isEmpty();
    awaitRefusal("cannot be looked up");
    assertThat(logon(acceptor, "BUYER", "")).contains("|35=A|");
    assertThat(logon(acceptor, "BUYER", "")).as("a second connection").isEmpty();
    assertThat(asked).hasValue(2);
  }

  @Test
  void logonsThatWaitForALookupAreBounded() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(8);
    FixAcceptor acceptor = acceptor().connectionsBeforeLogon(50, 8).lookup((id, logon, peer) -> {
      asked.countDown();
      gate.await();
      return settings(id);
    }, TwoEngines.PATIENCE).open();
    List<RawClient> waiting = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      waiting.add(connect(acceptor, "BUYER" + i));
      waiting.get(i).logon(1, "");
    }
    assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
    RawClient surplus = connect(acceptor, "BUYER8");
    surplus.logon(1, "");
    awaitRefusal("8 Logons of this address wait for their lookups already");
    gate.countDown();
    assertThat(surplus.read()).isEmpty();
    for (RawClient client : waiting) {
      assertThat(client.read()).contains("|35=A|");
    }
  }

  @Test
  void addressRulesCloseConnectionsOfOthers() throws Exception {
    FixAcceptor closed = acceptor().session(settings(SessionId.of("FIX.4.4", "SERVER", "BUYER")))
        .addressRules(AddressRules.all().deny("127.0.0.0/8").deny("::1")).open();
    RawClient client = connect(closed, "BUYER");
    assertThat(client.read()).isEmpty();
    awaitRefusal("connections from its address are not admitted");
    FixAcceptor open = acceptor().template(ANY_BUYER, id -> SessionSettings.of(id)
        .addressRules(AddressRules.all().allow(id.targetCompId().equals("NEAR") ? "127.0.0.1" : "192.0.2.0/24"))
        .build()).open();
    assertThat(logon(open, "FAR", "")).isEmpty();
    awaitRefusal("FAR is not logged on to from this address");
    assertThat(logon(open, "NEAR", "")).contains("|35=A|");
    assertThat(engine.sessions()).hasSize(2);
  }
}
