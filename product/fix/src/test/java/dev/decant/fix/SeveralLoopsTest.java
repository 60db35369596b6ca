package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.MemoryStores;
import dev.decant.tls.TlsSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An engine was one loop. With several, a connection goes to the loop of its session when its Logon was read. */
@Timeout(60)
class SeveralLoopsTest {
  private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private static final int SESSIONS = 12;
  private static final int ORDERS = 200;
  private static final int LOOPS = 3;

  private final FixEngine venue = FixEngine.builder().name("venue").loops(LOOPS)
      .loopOf(id -> id.targetCompId().equals("BUYER0") ? 2 : -1).start();
  private final FixEngine buyers = FixEngine.builder().name("buyers").loops(2).start();
  /** The threads that have run callbacks, by session. */
  private final Map<String, List<String>> threads = new ConcurrentHashMap<>();

  @AfterEach
  void close() {
    buyers.close();
    venue.close();
  }

  /** Sends orders back, and notes its threads. */
  private final class Echo implements Application {
    private final TwoEngines.Echo echo = new TwoEngines.Echo();

    @Override
    public void onMessage(FixSession session, MessageView message) {
      List<String> seen = threads.computeIfAbsent(session.id().targetCompId(), id -> new CopyOnWriteArrayList<>());
      String name = Thread.currentThread().getName();
      if (!seen.contains(name)) {
        seen.add(name);
      }
      echo.onMessage(session, message);
    }
  }

  private FixAcceptor acceptor(@Nullable TlsSettings tls) throws Exception {
    AcceptorBuilder builder = venue.acceptor(ANY_PORT, new Echo()).store(new MemoryStores(1 << 16));
    for (int i = 0; i < SESSIONS; i++) {
      builder.session(SessionSettings.of(SessionId.of("FIX.4.4", "VENUE", "BUYER" + i)).build());
    }
    return tls == null ? builder.open() : builder.tls(tls).open();
  }

  private FixSession initiator(FixAcceptor acceptor, int number, TwoEngines.Counter received,
      @Nullable TlsSettings tls) throws Exception {
    InitiatorBuilder builder = buyers
        .initiator(SessionSettings.of(SessionId.of("FIX.4.4", "BUYER" + number, "VENUE")).build(), received)
        .host("localhost", acceptor.localAddress().getPort()).store(new MemoryStores(1 << 16));
    return tls == null ? builder.open() : builder.tls(tls).open();
  }

  private void exchange(@Nullable TlsSettings ofVenue, @Nullable TlsSettings ofBuyers) throws Exception {
    FixAcceptor acceptor = acceptor(ofVenue);
    List<FixSession> sessions = new ArrayList<>();
    List<TwoEngines.Counter> counters = new ArrayList<>();
    for (int i = 0; i < SESSIONS; i++) {
      counters.add(new TwoEngines.Counter());
      sessions.add(initiator(acceptor, i, counters.get(i), ofBuyers));
    }
    for (int i = 0; i < SESSIONS; i++) {
      assertThat(sessions.get(i).awaitLogon(TwoEngines.PATIENCE)).as("session %d", i).isTrue();
      OutboundMessage order = sessions.get(i).newMessage();
      for (int k = 0; k < ORDERS; k++) {
        assertThat(order.begin("D")).isEqualTo(SendStatus.OK);
        order.text(11, "ORDER-" + k);
        assertThat(order.send()).isEqualTo(k + 2);
      }
    }
    for (TwoEngines.Counter counter : counters) {
      assertThat(buyers.waitUntil(() -> counter.count == ORDERS, TwoEngines.PATIENCE)).isTrue();
    }
    assertThat(threads.values()).as("a session stays on its loop").hasSize(SESSIONS)
        .allMatch(seen -> seen.size() == 1);
    assertThat(threads.get("BUYER0")).containsExactly("venue-2");
    Map<String, Integer> perLoop = new TreeMap<>();
    threads.values().forEach(seen -> perLoop.merge(seen.getFirst(), 1, Integer::sum));
    assertThat(perLoop).isEqualTo(Map.of("venue-0", 4, "venue-1", 4, "venue-2", 4));
    assertThat(acceptor.refusedConnections()).isZero();
  }

  /** Ends by a timer woke nobody, so an engine waited for its deadline after all connections had ended. */
  @Test
  @Timeout(20)
  void engineClosesWhenTheLastConnectionHasEndedByItsTimeout() throws Exception {
    SessionId id = SessionId.of("FIX.4.4", "SERVER", "BUYER0");
    FixAcceptor acceptor = venue.acceptor(ANY_PORT, new Echo())
        .session(SessionSettings.of(id).logoutTimeout(Duration.ofSeconds(1)).build()).store(new MemoryStores(1 << 16))
        .open();
    try (RawClient silent = new RawClient(acceptor.localAddress().getPort(), "BUYER0")) {
      silent.logon(1, "");
      silent.readUntil("|35=A|");
      ClosingReport report = venue.close(Duration.ofMinutes(2));
      assertThat(report.sessions()).hasSize(1);
      assertThat(silent.readUntil("|35=5|")).contains("|34=2|");
    }
  }

  @Test
  void sessionsAreSpreadOverTheLoopsAndStayOnThem() throws Exception {
    exchange(null, null);
  }

  @Test
  void encryptedConnectionsGoToTheLoopsOfTheirSessions(@TempDir Path dir) throws Exception {
    TestKeys keys = TestKeys.make(dir.resolve("venue.p12"), "venue");
    exchange(TlsSettings.builder().keys(keys.keys()).build(), TlsSettings.builder().trust(keys.trust()).build());
  }

  /** A counterparty need not wait for the response to its Logon: what comes with it goes along. */
  @Test
  void messagesBehindTheLogonGoAlong() throws Exception {
    FixAcceptor acceptor = acceptor(null);
    for (int i = 0; i < SESSIONS; i++) {
      try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "BUYER" + i, "VENUE")) {
        client.sendTogether(new String[] {"A", "98=0|108=30|"}, new String[] {"1", "112=FIRST|"},
            new String[] {"D", "11=SECOND|58=" + "x".repeat(3_000) + '|'}, new String[] {"1", "112=THIRD|"});
        client.readUntil("|35=A|34=1|");
        client.readUntil("|112=FIRST|");
        client.readUntil("|11=SECOND|");
        client.readUntil("|112=THIRD|");
      }
    }
  }

  /** The session is on another loop than the acceptor, which knows of it only what any thread may know. */
  @Test
  void secondLogonIsRefusedOnTheLoopOfTheSession() throws Exception {
    FixAcceptor acceptor = acceptor(null);
    for (int i = 0; i < LOOPS + 1; i++) {
      try (RawClient first = new RawClient(acceptor.localAddress().getPort(), "BUYER" + i, "VENUE");
          RawClient second = new RawClient(acceptor.localAddress().getPort(), "BUYER" + i, "VENUE")) {
        first.logon(1, "");
        assertThat(first.read()).contains("|35=A|");
        second.logon(1, "");
        assertThat(second.read()).isEmpty();
        first.send("1", 2, "112=STILL|");
        first.readUntil("|112=STILL|");
      }
    }
    assertThat(venue.waitUntil(() -> acceptor.refusedConnections() == LOOPS + 1, TwoEngines.PATIENCE)).isTrue();
  }

  @Test
  void closingLogsTheSessionsOfAllLoopsOut() throws Exception {
    FixAcceptor acceptor = acceptor(null);
    List<FixSession> sessions = new ArrayList<>();
    for (int i = 0; i < SESSIONS; i++) {
      sessions.add(initiator(acceptor, i, new TwoEngines.Counter(), null));
    }
    for (FixSession session : sessions) {
      assertThat(session.awaitLogon(TwoEngines.PATIENCE)).isTrue();
    }
    assertThat(sessions.getFirst().setNextInbound(7).get(20, TimeUnit.SECONDS)).isEqualTo(7);
    buyers.close();
    assertThat(venue.waitUntil(() -> venue.sessions().stream().noneMatch(FixSession::isConnected),
        TwoEngines.PATIENCE)).isTrue();
    assertThat(sessions).noneMatch(FixSession::isLoggedOn);
  }

  @Test
  void callbackOfAnyLoopCannotWaitForTheEngine() throws Exception {
    FixAcceptor acceptor = acceptor(null);
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    FixSession session = buyers.initiator(SessionSettings.of(SessionId.of("FIX.4.4", "BUYER1", "VENUE")).build(),
        new Application() {
          @Override
          public void onMessage(FixSession from, MessageView message) {}

          @Override
          public void onLogon(FixSession from) {
            try {
              buyers.waitUntil(() -> true, Duration.ZERO);
            } catch (Exception e) {
              failures.add(e);
            }
          }
        }).host("localhost", acceptor.localAddress().getPort()).open();
    assertThat(session.awaitLogon(TwoEngines.PATIENCE)).isTrue();
    assertThat(buyers.waitUntil(() -> !failures.isEmpty(), TwoEngines.PATIENCE)).isTrue();
    assertThat(failures.getFirst()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void wrongLoopsAreRefused() {
    assertThatThrownBy(() -> FixEngine.builder().loops(0)).hasMessage("loops: 0 is not from 1 to 256");
    try (FixEngine engine = FixEngine.builder().loops(2).loopOf(id -> 2).start()) {
      assertThatThrownBy(() -> engine.initiator(SessionSettings.of(SessionId.of("FIX.4.4", "A", "B")).build(),
          (session, message) -> {}).host("localhost", 1).open())
          .hasMessageContaining("pinned to loop 2").hasMessageContaining("FIX.4.4:A->B");
    }
  }
}
