package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A replay of many messages does not delay the other sessions of the loop. */
@Timeout(60)
class ReplayTurnsTest {
  private static final SessionId ASKING = SessionId.of("FIX.4.4", "SERVER", "ASKING");
  private static final SessionId OTHER = SessionId.of("FIX.4.4", "SERVER", "OTHER");
  private static final int MESSAGES = 6_000;

  /** Notes how many messages were sent again when a message of the other session arrived. */
  private static final class Watch implements Application {
    final AtomicInteger resent = new AtomicInteger();
    volatile int resentBeforeOther = -1;
    volatile @Nullable RawClient other;

    @Override
    public void onMessage(FixSession session, MessageView message) {
      resentBeforeOther = resent.get();
    }

    @Override
    public boolean mayResend(FixSession session, MessageView message) {
      RawClient client = other;
      if (resent.incrementAndGet() == 1 && client != null) { // from here on it is at the engine's socket
        try {
          client.send("D", 2, "11=NOW|");
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      return true;
    }
  }

  /** The other session was served when the last message had gone, or when the asking one did not read fast enough. */
  @Test
  void otherSessionsHaveTheirTurnsDuringAReplay() throws Exception {
    Watch watch = new Watch();
    try (FixEngine engine = FixEngine.builder().name("server").start()) {
      FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), watch)
          .session(SessionSettings.of(ASKING).sendWhileLoggedOut(true).build())
          .session(SessionSettings.of(OTHER).build()).open();
      OutboundMessage report = acceptor.session(ASKING).newMessage();
      for (int i = 1; i <= MESSAGES; i++) {
        assertThat(report.begin("8")).isEqualTo(SendStatus.OK);
        report.integer(17, i);
        report.send();
      }
      int port = acceptor.localAddress().getPort();
      try (RawClient other = new RawClient(port, "OTHER"); RawClient asking = new RawClient(port, "ASKING")) {
        watch.other = other;
        other.logon(1, "");
        other.readUntil("|35=A|");
        asking.logon(1, "");
        asking.readUntil("|35=A|");
        asking.send("2", 2, "7=1|16=0|");
        asking.readUntil("|17=" + MESSAGES + '|');
      }
    }
    assertThat(watch.resent).hasValue(MESSAGES);
    assertThat(watch.resentBeforeOther).as("messages sent again before the other session's turn")
        .isBetween(1, MESSAGES / 2);
  }
}
