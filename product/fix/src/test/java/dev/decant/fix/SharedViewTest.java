package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The sessions of a loop read their messages through one view. A callback may cause output of other sessions; its own
 * message stays valid until it returns.
 */
@Timeout(60)
@SuppressWarnings("NullAway") // the test opens the acceptor first
class SharedViewTest {
  private static final String VERSION = "FIX.4.4";
  private static final int TEXT = 58;
  private static final int RING_BYTES = 64 * 1024;
  private static final int FORWARDED = 2_000;
  private static final int ORDERS = 5;

  private final List<String> seen = new CopyOnWriteArrayList<>();
  private final AtomicInteger arrived = new AtomicInteger();
  private FixAcceptor acceptor;

  /** Sends more to the other session than its output holds, and looks at the order before and after. */
  private void forward(FixSession from, MessageView order) {
    if (!from.id().targetCompId().equals("BUYER")) {
      return;
    }
    String before = order.string(TEXT);
    OutboundMessage report = acceptor.session(SessionId.of(VERSION, "VENUE", "WATCHER")).newMessage();
    for (int i = 0; i < FORWARDED; i++) {
      if (report.begin("8") == SendStatus.OK) {
        report.text(TEXT, "report of " + before);
        report.send();
      }
    }
    seen.add(before + " " + order.string(TEXT) + " " + order.integer(34));
  }

  @Test
  void messageOfACallbackStaysWhileOtherSessionsAreWritten() throws Exception {
    try (FixEngine venue = FixEngine.builder().name("venue").start();
        FixEngine clients = FixEngine.builder().name("clients").start()) {
      AcceptorBuilder listening = venue.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          this::forward);
      for (String client : List.of("BUYER", "WATCHER")) {
        listening.session(SessionSettings.of(SessionId.of(VERSION, "VENUE", client)).ringBytes(RING_BYTES)
            .maxMessageBytes(RING_BYTES / 4).build());
      }
      acceptor = listening.open();
      FixSession watcher = connect(clients, "WATCHER");
      FixSession buyer = connect(clients, "BUYER");
      OutboundMessage reply = watcher.newMessage();
      OutboundMessage order = buyer.newMessage();
      for (int i = 0; i < ORDERS; i++) {
        send(order, "order-" + i);
        send(reply, "reply-" + i);
      }
      assertThat(venue.waitUntil(() -> seen.size() == ORDERS, TwoEngines.PATIENCE)).isTrue();
      assertThat(seen).containsExactly("order-0 order-0 2", "order-1 order-1 3", "order-2 order-2 4",
          "order-3 order-3 5", "order-4 order-4 6");
      assertThat(clients.waitUntil(() -> arrived.get() > 0, TwoEngines.PATIENCE)).isTrue();
    }
  }

  private static void send(OutboundMessage message, String text) {
    assertThat(message.begin("D")).isEqualTo(SendStatus.OK);
    message.text(TEXT, text);
    assertThat(message.send()).isPositive();
  }

  private FixSession connect(FixEngine clients, String name) throws Exception {
    FixSession session = clients.initiator(SessionSettings.of(SessionId.of(VERSION, name, "VENUE")).build(),
        (to, report) -> arrived.incrementAndGet()).host("127.0.0.1", acceptor.localAddress().getPort()).open();
    assertThat(session.awaitLogon(TwoEngines.PATIENCE)).isTrue();
    return session;
  }
}
