package dev.decant.fix.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.Application;
import dev.decant.fix.Authenticator;
import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.OutboundMessage;
import dev.decant.fix.Peer;
import dev.decant.fix.ReservedPort;
import dev.decant.fix.SendStatus;
import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.fix.store.FileStores;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions with QuickFIX/J, in both directions: traffic, resent messages, resets, reconnections. */
@Timeout(120)
@SuppressWarnings("FutureReturnValueIgnored") // of actions whose effect is looked at
class QuickFixInteropTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int TRAFFIC = 3_000;

  @TempDir
  Path folder;

  /** Remembers what comes in. */
  private static final class Received implements Application {
    final List<String> orders = new CopyOnWriteArrayList<>();
    volatile int count;
    volatile boolean remembers = true;

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // by the owner of the loop
    public void onMessage(FixSession session, MessageView message) {
      if (remembers) {
        orders.add(message.string(11) + (message.flag(Tag.POSS_DUP_FLAG, false) ? " again" : ""));
      }
      count++;
    }
  }

  private static SessionSettingsBuilder rules(String version) {
    SessionSettingsBuilder settings = SessionSettings.of(SessionId.of(version, "DECANT", "QFJ"))
        .heartbeatInterval(Duration.ofSeconds(5)).sendWhileLoggedOut(true);
    return version.startsWith("FIXT")
        ? settings.defaultApplVerId("9").dictionary(Dictionary.loadResource("FIXT11.xml"))
            .applicationDictionary("9", Dictionary.loadResource("FIX50SP2.xml"))
        : settings.dictionary(Dictionary.loadResource(version.replace(".", "") + ".xml"));
  }

  private static void send(OutboundMessage order, String id) {
    if (order.begin("D") != SendStatus.OK) {
      throw new AssertionError("order " + id + " is refused");
    }
    FieldWriter fields = order.text(11, id).character(21, '1').text(55, "DECANT").character(54, '1');
    fields.timestamp(60, System.currentTimeMillis() * 1_000_000, 3).integer(38, 100).character(40, '1');
    order.send();
  }

  private static List<String> ids(String prefix, int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> prefix + i).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"FIX.4.2", "FIX.4.4", "FIXT.1.1"})
  void initiatorTradesWithQuickFix(String version) throws Exception {
    Received received = new Received();
    try (ReservedPort port = new ReservedPort();
        QuickFixPeer peer = QuickFixPeer.acceptor(version, port.number(), folder.resolve("qfj"));
        FixEngine engine = FixEngine.builder().start()) {
      FixSession session = engine.initiator(rules(version).build(), received).host("localhost", port.number())
          .reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(200))
          .store(FileStores.builder(folder.resolve("decant")).segmentBytes(1 << 20).build()).open();
      assertThat(session.awaitLogon(PATIENCE)).isTrue();
      QuickFixPeer.await("the peer's logon", PATIENCE, () -> peer.session().isLoggedOn());
      OutboundMessage order = session.newMessage();

      // A day's traffic, there and back.
      for (int i = 0; i < TRAFFIC; i++) {
        send(order, "A" + i);
      }
      assertThat(engine.waitUntil(() -> received.count == TRAFFIC, PATIENCE)).isTrue();
      assertThat(received.orders).isEqualTo(ids("A", 0, TRAFFIC));
      assertThat(peer.received).isEqualTo(ids("A", 0, TRAFFIC));

      // The peer has lost messages and asks for them again.
      peer.received.clear();
      long expected = peer.session().getExpectedTargetNum();
      peer.session().setNextTargetMsgSeqNum((int) expected - 5);
      send(order, "B0");
      QuickFixPeer.await("messages sent again", PATIENCE, () -> peer.received.size() == 6);
      assertThat(peer.received).containsExactly("A2995 again", "A2996 again", "A2997 again", "A2998 again",
          "A2999 again", "B0");

      // We have lost messages and ask for them again.
      assertThat(engine.waitUntil(() -> received.count >= TRAFFIC + 6, PATIENCE)).isTrue();
      long inbound = peer.session().getExpectedSenderNum();
      assertThat(engine.waitUntil(() -> session.nextInbound() == inbound, PATIENCE)).isTrue();
      received.orders.clear();
      session.setNextInbound(inbound - 3);
      assertThat(engine.waitUntil(() -> session.nextInbound() == inbound - 3, PATIENCE)).isTrue();
      peer.send(QuickFixOrders.order("Q0"));
      assertThat(engine.waitUntil(() -> received.orders.contains("Q0"), PATIENCE)).isTrue();
      assertThat(received.orders).hasSize(4).filteredOn(text -> text.endsWith(" again")).hasSize(3);

      // The connection ends; what is sent meanwhile arrives after the next logon.
      received.orders.clear();
      peer.received.clear();
      peer.session().disconnect("the test cuts", false);
      QuickFixPeer.await("the end of the connection", PATIENCE, () -> !session.isLoggedOn());
      peer.send(QuickFixOrders.order("Q1"));
      send(order, "C0");
      assertThat(engine.waitUntil(() -> received.orders.stream().anyMatch(text -> text.startsWith("Q1")), PATIENCE))
          .isTrue();
      QuickFixPeer.await("the order sent meanwhile", PATIENCE,
          () -> peer.received.stream().anyMatch(text -> text.startsWith("C0")));

      // Both begin anew.
      session.resetSequenceNumbers();
      assertThat(engine.waitUntil(() -> session.isLoggedOn() && session.nextOutbound() == 2, PATIENCE)).isTrue();
      QuickFixPeer.await("the reset", PATIENCE, () -> peer.session().getExpectedTargetNum() == 2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"FIX.4.2", "FIX.4.4", "FIXT.1.1"})
  void acceptorTradesWithQuickFix(String version) throws Exception {
    Received received = new Received();
    try (FixEngine engine = FixEngine.builder().start();
        FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), received)
            .session(rules(version).build())
            .store(FileStores.builder(folder.resolve("decant")).segmentBytes(1 << 20).build()).open();
        QuickFixPeer peer = QuickFixPeer.initiator(version, acceptor.localAddress().getPort(),
            folder.resolve("qfj"))) {
      FixSession session = acceptor.session(SessionId.of(version, "DECANT", "QFJ"));
      assertThat(session.awaitLogon(PATIENCE)).isTrue();
      QuickFixPeer.await("the peer's logon", PATIENCE, () -> peer.session().isLoggedOn());
      OutboundMessage order = session.newMessage();

      for (int i = 0; i < TRAFFIC; i++) {
        peer.send(QuickFixOrders.order("Q" + i));
        send(order, "A" + i);
      }
      assertThat(engine.waitUntil(() -> received.count == TRAFFIC, PATIENCE)).isTrue();
      assertThat(received.orders).isEqualTo(ids("Q", 0, TRAFFIC));
      QuickFixPeer.await("all orders", PATIENCE, () -> peer.received.size() == TRAFFIC);
      assertThat(peer.received).isEqualTo(ids("A", 0, TRAFFIC));

      // The peer connects again by itself; both have sent something meanwhile.
      received.orders.clear();
      peer.received.clear();
      peer.session().disconnect("the test cuts", false);
      QuickFixPeer.await("the end of the connection", PATIENCE, () -> !session.isLoggedOn());
      send(order, "C0");
      peer.send(QuickFixOrders.order("Q-LATE"));
      assertThat(session.awaitLogon(PATIENCE)).isTrue();
      QuickFixPeer.await("the order sent meanwhile", PATIENCE,
          () -> peer.received.stream().anyMatch(text -> text.startsWith("C0")));
      assertThat(engine.waitUntil(() -> received.orders.stream().anyMatch(text -> text.startsWith("Q-LATE")), PATIENCE))
          .isTrue();

      // Both begin anew, each by its own operator, and the peer logs on again.
      peer.session().reset();
      QuickFixPeer.await("the logout", PATIENCE, () -> !session.isLoggedOn() || session.nextInbound() == 2);
      session.resetSequenceNumbers();
      assertThat(engine.waitUntil(session::isLoggedOn, PATIENCE)).isTrue();
      QuickFixPeer.await("the peer's logon", PATIENCE, () -> peer.session().isLoggedOn());
      received.orders.clear();
      peer.send(QuickFixOrders.order("Q-NEW"));
      assertThat(engine.waitUntil(() -> received.orders.contains("Q-NEW"), PATIENCE)).isTrue();
    }
  }

  /** The numbers of both ends are the same after a logon that was refused, first of all and later. */
  @Test
  void quickFixThatWasRefusedLogsOnLater() throws Exception {
    AtomicInteger refusals = new AtomicInteger(1);
    Authenticator authenticator = new Authenticator() {
      @Override
      public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
        return refusals.getAndDecrement() > 0 ? "not now" : null;
      }
    };
    try (FixEngine engine = FixEngine.builder().start();
        FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new Received()).session(rules("FIX.4.4").build()).authenticator(authenticator).open();
        QuickFixPeer peer = QuickFixPeer.initiator("FIX.4.4", acceptor.localAddress().getPort(),
            folder.resolve("qfj"))) {
      FixSession session = acceptor.session(SessionId.of("FIX.4.4", "DECANT", "QFJ"));
      assertThat(session.awaitLogon(PATIENCE)).isTrue();
      QuickFixPeer.await("the peer's logon", PATIENCE, () -> peer.session().isLoggedOn());
      assertThat(session.nextOutbound()).isBetween(2L, 3L); // a request for the peer's refused Logon and Logout
      assertThat(refusals).hasValue(-1);

      refusals.set(1);
      peer.session().disconnect("the test cuts", false);
      QuickFixPeer.await("the end of the connection", PATIENCE, () -> !session.isLoggedOn());
      assertThat(session.awaitLogon(PATIENCE)).isTrue();
      QuickFixPeer.await("the peer's logon", PATIENCE, () -> peer.session().isLoggedOn());
      assertThat(session.nextOutbound()).isBetween(3L, 5L);
      assertThat(refusals).hasValue(-1);
    }
  }
}
