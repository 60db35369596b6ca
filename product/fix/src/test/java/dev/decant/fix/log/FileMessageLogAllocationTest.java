package dev.decant.fix.log;

import static dev.decant.fix.log.LogFolder.NOW;
import static dev.decant.fix.log.LogFolder.SESSION;
import static dev.decant.fix.log.LogFolder.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.fix.settings.SessionId;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A log allocates nothing once it is warm, on neither thread. */
@Tag("allocation")
@Timeout(120)
class FileMessageLogAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int RUNS = 100;
  private static final int WARM_UP_RUNS = 50;
  private static final int ROUNDS = 200;

  @TempDir
  private Path folder;

  private final ByteBuffer message = LogFolder.bytes(
      "8=FIX.4.4|9=120|35=A|34=1|49=SELLER|56=BUYER|95=4|96=a|b=|554=hunter2|58=\u00e9=|10=000|");
  private final SessionId other = SessionId.of("FIX.4.2", "SELLER", "OTHER");

  private void round(FileMessageLog log, long epochNanos) {
    log.inbound(SESSION, epochNanos, message, 0, message.capacity());
    log.outbound(other, epochNanos, message, 5, message.capacity());
    log.event(SESSION, epochNanos, "something happens");
  }

  @Test
  void neitherThreadAllocates() throws IOException {
    long producer = Long.MAX_VALUE;
    long writer = Long.MAX_VALUE;
    try (FileMessageLog log = FileMessageLog.builder(folder).linger(Duration.ofMillis(1)).open()) {
      for (int run = 0; run < RUNS; run++) {
        await("idle", log::isIdle);
        long writerBefore = THREADS.getThreadAllocatedBytes(log.thread().threadId());
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < ROUNDS; i++) {
          round(log, NOW + run);
        }
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        await("idle", log::isIdle);
        long byWriter = THREADS.getThreadAllocatedBytes(log.thread().threadId()) - writerBefore;
        if (run >= WARM_UP_RUNS) {
          producer = Math.min(producer, allocated);
          writer = Math.min(writer, byWriter);
        }
      }
      assertThat(log.notLogged()).isZero();
    }

    assertThat(producer).as("bytes of the engine's thread").isZero();
    assertThat(writer).as("bytes of the writer thread").isZero();
  }

  @Test
  void fullRingAllocatesNothing() throws IOException {
    FullDisk disk = new FullDisk(0);
    long least = Long.MAX_VALUE;
    try (FileMessageLog log = FileMessageLog.builder(folder).ringBytes(8192).retryInterval(Duration.ofMillis(1))
        .maxBlock(Duration.ofDays(1)).seams(disk, new RecordingLogger()).open()) {
      round(log, NOW);
      await("failure", () -> log.failures() > 0);
      for (int run = 0; run < RUNS; run++) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < ROUNDS; i++) {
          round(log, NOW);
        }
        least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
      }
      assertThat(log.notLogged()).isPositive();
    }

    assertThat(least).isZero();
  }
}
