package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.event.SessionListener;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.MemoryStores;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * All counterparties of a venue log on when it opens. Once, the limits for connections before the logon treated them as
 * strangers: those of one address beyond the 256th were closed.
 */
@Timeout(120)
class LogonStormTest {

  @Test
  void allSessionsLogOnAtOnce() throws Exception {
    storm(600);
  }

  @Test
  @Tag("full")
  void twoThousandSessionsLogOnAtOnce() throws Exception {
    storm(2_000);
  }

  private static void storm(int sessions) throws Exception {
    Queue<String> refused = new ConcurrentLinkedQueue<>();
    AtomicInteger logons = new AtomicInteger();
    AtomicInteger ends = new AtomicInteger();
    try (FixEngine venue = FixEngine.builder().name("venue").start();
        FixEngine buyers = FixEngine.builder().name("buyers").start()) {
      venue.listen(new SessionListener() {
        @Override
        public void onLogon(SessionId session) {
          logons.incrementAndGet();
        }

        @Override
        public void onDisconnect(SessionId session, String reason) {
          ends.incrementAndGet();
        }

        @Override
        public void onConnectionRefused(InetSocketAddress from, String reason) {
          refused.add(reason);
        }
      });
      AcceptorBuilder builder = venue.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          (session, message) -> {}).store(new MemoryStores(4_096));
      for (int i = 0; i < sessions; i++) {
        builder.session(SessionSettings.of(SessionId.of("FIX.4.4", "VENUE", "BUYER" + i)).build());
      }
      FixAcceptor acceptor = builder.open();
      List<FixSession> opened = new ArrayList<>();
      for (int i = 0; i < sessions; i++) {
        opened.add(buyers.initiator(SessionSettings.of(SessionId.of("FIX.4.4", "BUYER" + i, "VENUE")).build(),
            (session, message) -> {}).host("127.0.0.1", acceptor.localAddress().getPort())
            .store(new MemoryStores(4_096)).open());
      }
      for (FixSession session : opened) {
        assertThat(session.awaitLogon(TwoEngines.PATIENCE)).as("%s of %d, refused %s", session, sessions, refused)
            .isTrue();
      }
      assertThat(refused).isEmpty();
      assertThat(ends).hasValue(0);
      assertThat(logons).hasValue(sessions);
    }
  }
}
