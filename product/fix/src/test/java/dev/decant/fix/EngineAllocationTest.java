package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.log.FileMessageLog;
import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.fix.store.AsyncFileStores;
import dev.decant.fix.store.FileStores;
import dev.decant.fix.store.MemoryStores;
import dev.decant.fix.store.MessageStoreFactory;
import dev.decant.idle.IdleStrategy;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Round trips allocate nothing once they are warm, on any thread of the JVM, with validation, log and heartbeats. */
@Tag("allocation")
@Timeout(120)
class EngineAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final Dictionary FIX44 = Dictionary.loadResource("FIX44.xml");
  private static final int ROUNDS = 500;
  private static final int WARM_UP_RUNS = 60;
  private static final int MEASURED_RUNS = 40;

  @TempDir
  Path folder;

  private interface Rounds {
    void run(int count) throws InterruptedException;
  }

  @Test
  void roundTripsWithAMemoryStoreAllocateNothing() throws IOException, InterruptedException {
    assertRoundTripsAllocateNothing(new MemoryStores(), new MemoryStores());
  }

  @Test
  void roundTripsWithAFileStoreAllocateNothing() throws IOException, InterruptedException {
    assertRoundTripsAllocateNothing(FileStores.builder(folder.resolve("server")).build(),
        FileStores.builder(folder.resolve("client")).build());
  }

  @Test
  void roundTripsWithAnAsynchronousFileStoreAllocateNothing() throws IOException, InterruptedException {
    assertRoundTripsAllocateNothing(
        AsyncFileStores.builder(FileStores.builder(folder.resolve("server")).build()).build(),
        AsyncFileStores.builder(FileStores.builder(folder.resolve("client")).build()).build());
  }

  private void assertRoundTripsAllocateNothing(MessageStoreFactory server, MessageStoreFactory client)
      throws IOException, InterruptedException {
    FileMessageLog log = FileMessageLog.builder(folder.resolve("log")).open();
    try (TwoEngines engines = new TwoEngines(IdleStrategy.block(), EngineAllocationTest::rules, server, client, log)) {
      assertThat(bytesPerRun(engines::roundTrips)).isEmpty();
    }
  }

  private static SessionSettingsBuilder rules(SessionSettingsBuilder settings) {
    return settings.heartbeatInterval(Duration.ofSeconds(1)).dictionary(FIX44);
  }

  /** For each thread the fewest bytes that a run allocated on it, if those are not 0. */
  private static Map<String, Long> bytesPerRun(Rounds rounds) throws InterruptedException {
    Map<String, Long> least = new TreeMap<>();
    for (int run = 0; run < WARM_UP_RUNS + MEASURED_RUNS; run++) {
      long[] ids = THREADS.getAllThreadIds();
      long[] before = THREADS.getThreadAllocatedBytes(ids);
      rounds.run(ROUNDS);
      long[] after = THREADS.getThreadAllocatedBytes(ids);
      for (int i = 0; i < ids.length && run >= WARM_UP_RUNS; i++) {
        String name = isOurs(ids[i]);
        if (!name.isEmpty() && after[i] >= 0) {
          least.merge(name, after[i] - before[i], Math::min);
        }
      }
    }
    least.values().removeIf(bytes -> bytes == 0);
    return least;
  }

  /** All but the thread that measures, which allocates the arrays above: its name; else nothing. */
  private static String isOurs(long id) {
    var info = THREADS.getThreadInfo(id);
    return info == null || id == Thread.currentThread().threadId() ? "" : info.getThreadName() + " " + id;
  }

  @Test
  void threadThatSendsAndWaitsAllocatesNothing() throws IOException, InterruptedException {
    try (TwoEngines engines = new TwoEngines(IdleStrategy.block())) {
      assertThat(bytesOfThisThread(engines::roundTrips)).isZero();
    }
  }

  @Test
  void threadThatPatchesAndSendsPreparedOrdersAllocatesNothing() throws IOException, InterruptedException {
    try (TwoEngines engines = new TwoEngines(IdleStrategy.block())) {
      assertThat(bytesOfThisThread(engines::preparedRoundTrips)).isZero();
    }
  }

  private static long bytesOfThisThread(Rounds rounds) throws InterruptedException {
    long least = Long.MAX_VALUE;
    for (int run = 0; run < WARM_UP_RUNS + MEASURED_RUNS; run++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      rounds.run(ROUNDS);
      long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
      least = run < WARM_UP_RUNS ? least : Math.min(least, allocated);
    }
    return least;
  }
}
