package dev.decant.fix.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.OutboundMessage;
import dev.decant.fix.ReservedPort;
import dev.decant.fix.SendStatus;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Resets that one operator requests alone, with QuickFIX/J as the counterparty. */
@Timeout(60)
class QuickFixResetTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final SessionId ID = SessionId.of("FIX.4.4", "DECANT", "QFJ");

  @TempDir
  Path folder;
  private final List<String> received = new CopyOnWriteArrayList<>();

  private void onMessage(FixSession session, MessageView message) {
    received.add(message.string(11) + (message.flag(43, false) ? " again" : ""));
  }

  private static SessionSettings settings() {
    return SessionSettings.of(ID).heartbeatInterval(Duration.ofSeconds(5)).build();
  }

  private static void send(FixSession session, String id) {
    OutboundMessage order = session.newMessage();
    assertThat(order.begin("D")).isEqualTo(SendStatus.OK);
    order.text(11, id).character(21, '1').text(55, "DECANT").character(54, '1')
        .timestamp(60, System.currentTimeMillis() * 1_000_000, 3).integer(38, 100).character(40, '1');
    assertThat(order.send()).isPositive();
  }

  private static void await(String what, java.util.function.BooleanSupplier done) throws InterruptedException {
    QuickFixPeer.await(what, PATIENCE, done);
  }

  private FixAcceptor acceptor(FixEngine engine) throws Exception {
    return engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), this::onMessage)
        .session(settings()).open();
  }

  /** QuickFIX/J found the acceptor's number too low at each logon, and sent its old messages again. */
  @Test
  void initiatorOfQuickFixFollowsTheResetOfAnAcceptor() throws Exception {
    try (FixEngine engine = FixEngine.builder().start();
        FixAcceptor acceptor = acceptor(engine);
        QuickFixPeer peer = QuickFixPeer.initiator("FIX.4.4", acceptor.localAddress().getPort(),
            folder.resolve("qfj"))) {
      FixSession session = acceptor.session(ID);
      await("a logon", () -> session.isLoggedOn() && peer.session().isLoggedOn());
      for (int i = 0; i < 5; i++) {
        peer.send(QuickFixOrders.order("Q" + i));
        send(session, "A" + i);
      }
      await("all orders", () -> received.size() == 5 && peer.received.size() == 5);

      String outcome = session.resetSequenceNumbers().get(20, TimeUnit.SECONDS);
      assertThat(outcome).contains("the counterparty must reset its own, too").contains("ResetSeqNumFlag(141)=Y");
      await("a logon with new numbers", () -> session.isLoggedOn() && peer.session().isLoggedOn());
      peer.send(QuickFixOrders.order("Q-NEW"));
      send(session, "A-NEW");
      await("the new orders", () -> received.contains("Q-NEW") && peer.received.contains("A-NEW"));
      assertThat(received).hasSize(6).noneMatch(text -> text.endsWith("again"));
      assertThat(peer.received).hasSize(6);
      assertThat(session.status().counts().logons()).isEqualTo(2);
      await("the same numbers", () -> session.nextOutbound() == peer.session().getExpectedTargetNum()
          && session.nextInbound() == peer.session().getExpectedSenderNum());
      assertThat(session.nextInbound()).isLessThan(7);
    }
  }

  @Test
  void initiatorOfQuickFixFollowsWithoutALogout() throws Exception {
    try (FixEngine engine = FixEngine.builder().start();
        FixAcceptor acceptor = acceptor(engine);
        QuickFixPeer peer = QuickFixPeer.initiator("FIX.4.4", acceptor.localAddress().getPort(),
            folder.resolve("qfj"))) {
      resetWithoutLogout(acceptor.session(ID), peer);
    }
  }

  @Test
  void acceptorOfQuickFixFollowsWithoutALogout() throws Exception {
    try (ReservedPort port = new ReservedPort();
        QuickFixPeer peer = QuickFixPeer.acceptor("FIX.4.4", port.number(), folder.resolve("qfj"));
        FixEngine engine = FixEngine.builder().start()) {
      resetWithoutLogout(engine.initiator(settings(), this::onMessage).host("localhost", port.number())
          .reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(200)).open(), peer);
    }
  }

  private void resetWithoutLogout(FixSession session, QuickFixPeer peer) throws Exception {
    await("a logon", () -> session.isLoggedOn() && peer.session().isLoggedOn());
    for (int i = 0; i < 5; i++) {
      peer.send(QuickFixOrders.order("Q" + i));
      send(session, "A" + i);
    }
    await("all orders", () -> received.contains("Q4") && peer.received.contains("A4"));

    assertThat(session.resetWithoutLogout().get(20, TimeUnit.SECONDS))
        .isEqualTo("sequence numbers begin with 1 at both ends");
    peer.send(QuickFixOrders.order("Q-NEW"));
    send(session, "A-NEW");
    await("the new orders", () -> received.contains("Q-NEW") && peer.received.contains("A-NEW"));
    await("the same numbers", () -> session.nextOutbound() == peer.session().getExpectedTargetNum()
        && session.nextInbound() == peer.session().getExpectedSenderNum());
    assertThat(session.nextInbound()).isLessThan(10);
    assertThat(received).noneMatch(text -> text.endsWith("again"));
    assertThat(session.status().counts().disconnects()).isZero();
    assertThat(session.isLoggedOn()).isTrue();
  }
}
