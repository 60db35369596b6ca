package dev.decant.fix.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.record.CollectedBlocks;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A thousand sessions that were opened and closed hold no memory of their stores on Java 22 and newer. On Java 21 they
 * hold what {@link CollectedBlocks} allows, although the application keeps each session.
 */
@Timeout(120)
class SessionMemoryTest {
  private static final int ROUNDS = 10;
  private static final int PAIRS = 50;
  private static final int SESSIONS = 2 * PAIRS;
  private static final int STORE_BYTES = 1 << 20;
  private static final int FILE_BYTES = RecordRing.MIN_BYTES;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private static final boolean HAS_ARENAS = Runtime.version().feature() >= 22;
  /** What closed stores may hold: less than half of what a thousand have had. */
  private static final long HELD_DIRECT_BYTES = HAS_ARENAS ? 0 : CollectedBlocks.ALLOWED_BYTES;
  /** As many small files as are allowed; a ring has a page more. */
  private static final long HELD_MAPPED_BYTES = HAS_ARENAS
      ? 0
      : CollectedBlocks.ALLOWED_BYTES / CollectedBlocks.MIN_BLOCK_BYTES * (FILE_BYTES + RecordRing.DATA);
  /** Rings and output buffers of sessions, and the engines' pools, go with the collector's next run on any release. */
  private static final long BUFFERS_BYTES = (long) ROUNDS * SESSIONS * (96 << 10);

  @TempDir
  Path folder;
  private final List<FixSession> kept = new ArrayList<>();

  private static long used(String pool) {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(bean -> bean.getName().equals(pool)).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
  }

  /** Files of the test that the system has mapped, if it says so. */
  private long mappedFiles() throws IOException {
    Path maps = Path.of("/proc/self/maps");
    if (!Files.exists(maps)) {
      return 0;
    }
    try (Stream<String> lines = Files.lines(maps)) {
      return lines.filter(line -> line.contains(folder.toString())).count();
    }
  }

  private static SessionSettings settings(String sender, String target) {
    return SessionSettings.of(SessionId.of("FIX.4.4", sender, target)).maxMessageBytes(4096).ringBytes(1 << 13)
        .outputBytes(1 << 13).build();
  }

  private void openAndCloseSessions(MessageStoreFactory stores) throws IOException, InterruptedException {
    try (FixEngine server = FixEngine.builder().name("server").start();
        FixEngine client = FixEngine.builder().name("client").start()) {
      var builder = server.acceptor(ANY_PORT, (session, message) -> {}).store(stores);
      for (int i = 0; i < PAIRS; i++) {
        builder.session(settings("SERVER", "CLIENT" + i));
      }
      FixAcceptor acceptor = builder.open();
      for (int i = 0; i < PAIRS; i++) {
        FixSession session = client.initiator(settings("CLIENT" + i, "SERVER"), (from, message) -> {})
            .host("localhost", acceptor.localAddress().getPort()).store(stores).open();
        assertThat(session.awaitLogon(PATIENCE)).isTrue();
        kept.add(session);
      }
      assertThat(kept).allMatch(session -> session.nextOutbound() > 1);
    }
  }

  private void assertFlat(MessageStoreFactory stores) throws IOException, InterruptedException {
    long mapped = used("mapped");
    long direct = used("direct");
    for (int round = 0; round < ROUNDS; round++) {
      openAndCloseSessions(stores);
      assertThat(used("mapped")).as("mapped").isLessThanOrEqualTo(mapped + HELD_MAPPED_BYTES);
      assertThat(used("direct")).as("direct").isLessThanOrEqualTo(direct + HELD_DIRECT_BYTES + BUFFERS_BYTES);
      if (HAS_ARENAS) {
        assertThat(mappedFiles()).isZero();
      }
    }
    assertThat(kept).hasSize(ROUNDS * PAIRS);
  }

  @Test
  void memoryStoresLeaveNothing() throws IOException, InterruptedException {
    assertFlat(new MemoryStores(STORE_BYTES));
  }

  @Test
  void fileStoresLeaveNothing() throws IOException, InterruptedException {
    assertFlat(FileStores.builder(folder).segmentBytes(FILE_BYTES).build());
  }

  @Test
  void asynchronousFileStoresLeaveNothing() throws IOException, InterruptedException {
    assertFlat(AsyncFileStores.builder(FileStores.builder(folder).segmentBytes(FILE_BYTES).build())
        .ringBytes(FILE_BYTES).build());
  }
}
