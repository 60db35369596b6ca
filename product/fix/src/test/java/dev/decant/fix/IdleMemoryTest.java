package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.MemoryStores;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A session had a ring of 1 MiB, a buffer of 256 KiB for messages that are sent again and a receive buffer of 64 KiB,
 * all of its life. Two thousand took 2.7 GB.
 */
@Timeout(60)
class IdleMemoryTest {
  private static final int SESSIONS = 40;

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getTotalCapacity).sum();
  }

  @Test
  void sessionsThatAreLoggedOnAndIdleHaveNoDirectMemory() throws Exception {
    try (FixEngine servers = FixEngine.builder().name("servers").start();
        FixEngine clients = FixEngine.builder().name("clients").start()) {
      AcceptorBuilder builder = servers.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          (session, message) -> {}).store(new MemoryStores(4_096));
      for (int i = 0; i < SESSIONS; i++) {
        builder.session(SessionSettings.of(SessionId.of("FIX.4.4", "SERVER", "CLIENT" + i)).build());
      }
      FixAcceptor acceptor = builder.open();
      List<FixSession> sessions = new ArrayList<>();
      connect(clients, acceptor, sessions, 0, 1);
      long before = directBytes();
      connect(clients, acceptor, sessions, 1, SESSIONS);
      long perSession = (directBytes() - before) / (2L * (SESSIONS - 1));
      // a chunk of 4 KiB until the first heartbeat; the rest is what the two loops share
      assertThat(perSession).isLessThan(16 * 1024);
      assertThat(sessions).allMatch(FixSession::isLoggedOn);
    }
  }

  private static void connect(FixEngine clients, FixAcceptor acceptor, List<FixSession> sessions, int from, int to)
      throws Exception {
    for (int i = from; i < to; i++) {
      sessions.add(clients.initiator(SessionSettings.of(SessionId.of("FIX.4.4", "CLIENT" + i, "SERVER")).build(),
          (session, message) -> {}).host("127.0.0.1", acceptor.localAddress().getPort())
          .store(new MemoryStores(4_096)).open());
    }
    for (FixSession session : sessions) {
      assertThat(session.awaitLogon(TwoEngines.PATIENCE)).isTrue();
    }
  }
}
