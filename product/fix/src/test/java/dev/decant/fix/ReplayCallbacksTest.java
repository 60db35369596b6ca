package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An application may send from each of its callbacks. During a replay these messages are held back, and the ring fills.
 * Once, the session continued the replay within the replay's own callback to make room. It asked about the same message
 * until the stack was full, and then sent a message under the number of another one.
 */
@Timeout(60)
class ReplayCallbacksTest {
  private static final SessionId ID = SessionId.of("FIX.4.4", "SERVER", "ASKING");
  private static final int MESSAGES = 400;

  /** Sends from its callbacks as much as is taken. */
  private static final class Sending implements Application {
    final AtomicInteger deepest = new AtomicInteger();
    private boolean sends;
    private int depth;

    @Override
    public void onMessage(FixSession session, MessageView message) {}

    @Override
    public boolean mayResend(FixSession session, MessageView message) {
      sends = true;
      send(session);
      return true;
    }

    @Override
    public void onSessionMessageToBeSent(FixSession session, String msgType, FieldWriter fields) {
      if (sends) {
        send(session);
      }
    }

    private void send(FixSession session) {
      deepest.accumulateAndGet(++depth, Math::max);
      OutboundMessage order = session.newMessage();
      boolean taken = depth < 50;
      while (taken) {
        taken = order.begin("8") == SendStatus.OK && order.text(17, "NEW").text(58, "x".repeat(500)).position() > 0
            && order.send() > 0;
      }
      depth--;
    }
  }

  @Test
  void messageThatIsSentWithinAReplaysCallbackDoesNotDisturbTheReplay() throws Exception {
    Sending application = new Sending();
    List<String> again = new ArrayList<>();
    try (FixEngine engine = FixEngine.builder().name("server").start()) {
      FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), application)
          .session(SessionSettings.of(ID).sendWhileLoggedOut(true).ringBytes(1 << 13).outputBytes(1 << 13)
              .maxMessageBytes(1 << 12).build())
          .open();
      OutboundMessage report = acceptor.session(ID).newMessage();
      for (int i = 1; i <= MESSAGES; i++) {
        assertThat(report.begin("8")).isEqualTo(SendStatus.OK);
        report.integer(17, i);
        assertThat(report.send()).isEqualTo(i);
      }
      try (RawClient asking = new RawClient(acceptor.localAddress().getPort(), "ASKING")) {
        asking.logon(1, "");
        asking.readUntil("|35=A|");
        asking.send("2", 2, "7=1|16=0|");
        String message = asking.read();
        while (!message.contains("|35=4|")) {
          again.add(message);
          message = asking.read();
        }
      }
    }
    assertThat(application.deepest).as("callbacks within callbacks").hasValue(1);
    assertThat(again).hasSize(MESSAGES);
    for (int i = 1; i <= MESSAGES; i++) {
      assertThat(again.get(i - 1)).contains("|34=" + i + '|', "|43=Y|", "|17=" + i + '|');
    }
  }
}
