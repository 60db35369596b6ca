package dev.decant.fix.log;

import static dev.decant.fix.log.LogFolder.NOW;
import static dev.decant.fix.log.LogFolder.SESSION;
import static dev.decant.fix.log.LogFolder.messages;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Bursts, pauses, small rings and a disk that fails: each message is logged whole, or counted in its place. */
@Timeout(120)
class FileMessageLogStressTest {
  private static final Pattern LINE = Pattern.compile("34=(\\d+)\\|58=(x*)");
  private static final Pattern LOSS = Pattern.compile("(\\d+) messages were not logged");
  private static final int MESSAGES = 20_000;

  @TempDir
  private Path folder;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(1024);

  @Test
  void nothingIsLostUncounted() throws IOException {
    for (int run = 0; run < 6; run++) {
      long seed = System.nanoTime();
      run(new Random(seed), folder.resolve("run" + run), "seed " + seed);
    }
  }

  private void run(Random random, Path runFolder, String seed) throws IOException {
    FullDisk disk = new FullDisk(Long.MAX_VALUE);
    FileMessageLog log = FileMessageLog.builder(runFolder).ringBytes(8192 << random.nextInt(6))
        .linger(Duration.ofNanos(random.nextInt(100_000))).retryInterval(Duration.ofNanos(10_000))
        .maxBlock(Duration.ofNanos(random.nextInt(2) * 100_000L)).maxFileBytes(10_000 + random.nextInt(1_000_000))
        .seams(disk, new RecordingLogger()).open();
    try (log) {
      for (int i = 0; i < MESSAGES; i++) {
        log(log, i, random.nextInt(500));
        switch (random.nextInt(400)) {
          case 0 -> LockSupport.parkNanos(random.nextInt(200_000));
          case 1 -> disk.free.set(random.nextInt(2_000));
          case 2, 3, 4, 5, 6 -> disk.free.set(Long.MAX_VALUE);
          default -> {
          }
        }
      }
      disk.free.set(Long.MAX_VALUE);
    }
    check(messages(runFolder), log.notLogged(), seed);
  }

  private void log(FileMessageLog log, int number, int length) {
    byte[] bytes = ("34=" + number + "\1" + "58=" + "x".repeat(length)).getBytes(StandardCharsets.US_ASCII);
    buffer.put(0, bytes);
    log.outbound(SESSION, NOW, buffer, 0, bytes.length);
  }

  private static void check(List<String> lines, long notLogged, String seed) {
    int next = 0;
    long lost = 0;
    for (String line : lines) {
      Matcher message = LINE.matcher(line);
      Matcher loss = LOSS.matcher(line);
      if (message.matches()) {
        assertThat(Integer.parseInt(message.group(1))).as(seed).isEqualTo(next);
        next++;
      } else {
        assertThat(loss.matches()).as("%s: %s", seed, line).isTrue();
        next += Integer.parseInt(loss.group(1));
        lost += Integer.parseInt(loss.group(1));
      }
    }
    assertThat(next).as(seed).isEqualTo(MESSAGES);
    assertThat(lost).as(seed).isEqualTo(notLogged);
  }
}
