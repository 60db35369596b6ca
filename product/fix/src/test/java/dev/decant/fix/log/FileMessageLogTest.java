package dev.decant.fix.log;

import static dev.decant.fix.log.LogFolder.DAY_NANOS;
import static dev.decant.fix.log.LogFolder.NOW;
import static dev.decant.fix.log.LogFolder.SESSION;
import static dev.decant.fix.log.LogFolder.await;
import static dev.decant.fix.log.LogFolder.awaitMessages;
import static dev.decant.fix.log.LogFolder.inbound;
import static dev.decant.fix.log.LogFolder.lines;
import static dev.decant.fix.log.LogFolder.messages;
import static dev.decant.fix.log.LogFolder.names;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.settings.SessionId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The files of the log: lines, rolling, retention, restart; and the thread that writes them. */
@Timeout(60)
class FileMessageLogTest {
  @TempDir
  private Path folder;

  @Test
  void messagesAndEventsOfAllSessionsAreWrittenInTheirOrder() throws IOException {
    SessionId other = new SessionId("FIXT.1.1", "A B", "desk", "C", "", "2");
    try (MessageLog log = FileMessageLog.builder(folder).open()) {
      inbound(log, "8=FIX.4.4|35=A|");
      ByteBuffer reply = LogFolder.bytes("xx35=A|yy");
      log.outbound(other, NOW + 1000, reply, 2, 7);
      log.event(SESSION, NOW + 2000, "logged on: \u00e9\u20ac\n554=hunter2");
    }

    assertThat(lines(folder)).containsExactly(
        "20260314-09:26:53.589793 FIX.4.4:SELLER->BUYER in 8=FIX.4.4|35=A|",
        "20260314-09:26:53.589794 FIXT.1.1:A\\x20B/desk->C:2 out 35=A|",
        "20260314-09:26:53.589795 FIX.4.4:SELLER->BUYER event logged on: \\xC3\\xA9\\xE2\\x82\\xAC\\x0A554=***");
  }

  @Test
  void positionAndLimitOfTheBufferStayAsTheyAre() throws IOException {
    try (MessageLog log = FileMessageLog.builder(folder).open()) {
      ByteBuffer bytes = LogFolder.bytes("35=0|").position(1).limit(4);
      log.inbound(SESSION, NOW, bytes, 0, 4);

      assertThat(bytes.position()).isEqualTo(1);
      assertThat(bytes.limit()).isEqualTo(4);
      assertThatThrownBy(() -> log.inbound(SESSION, NOW, bytes, 0, 5)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    assertThat(messages(folder)).containsExactly("35=0");
  }

  @Test
  void messageLargerThanTheRingIsCut() throws IOException {
    try (FileMessageLog log = FileMessageLog.builder(folder).ringBytes(8192).open()) {
      inbound(log, "58=" + "x".repeat(100_000));
      log.event(SESSION, NOW, "\u20ac".repeat(50_000));
      inbound(log, "35=0|");
    }

    assertThat(messages(folder)).hasSize(3);
    assertThat(messages(folder).get(0)).matches("58=x{900,} \\\\\\(\\d+ bytes more\\)");
    assertThat(messages(folder).get(1)).matches("(\\\\xE2\\\\x82\\\\xAC){300,} \\\\\\(\\d+ bytes more\\)");
    assertThat(messages(folder).get(2)).isEqualTo("35=0|");
  }

  @Test
  void fileEndsWithTheLineThatReachesItsSize() throws IOException {
    try (MessageLog log = FileMessageLog.builder(folder).maxFileBytes(200).open()) {
      IntStream.range(0, 10).forEach(i -> inbound(log, "34=" + i + '|'));
    }

    assertThat(names(folder)).containsExactly("messages-20260314-0001.log", "messages-20260314-0002.log",
        "messages-20260314-0003.log");
    assertThat(Files.readAllLines(folder.resolve("messages-20260314-0001.log"))).hasSize(4);
    assertThat(messages(folder)).hasSize(10).startsWith("34=0|").endsWith("34=9|");
  }

  @Test
  void eachDayHasAFileOfItsOwn() throws IOException {
    long midnight = LogFolder.epochNanos("2026-03-15T00:00:00Z");
    try (MessageLog log = FileMessageLog.builder(folder).open()) {
      inbound(log, midnight - 1, "34=1|");
      inbound(log, midnight, "34=2|");
      inbound(log, midnight - 1, "34=3|");
      inbound(log, midnight + 3 * DAY_NANOS, "34=4|");
      inbound(log, midnight, "34=5|");
    }

    assertThat(names(folder)).containsExactly("messages-20260314-0001.log", "messages-20260315-0001.log",
        "messages-20260318-0001.log");
    assertThat(messages(folder)).as("the clock was set back by seconds, then by days")
        .containsExactly("34=1|", "34=2|", "34=3|", "34=5|", "34=4|");
  }

  @Test
  void oldFilesAreDeletedButNoOthers() throws IOException {
    Files.writeString(folder.resolve("messages-20200101-0001.log.gz"), "");
    Files.writeString(folder.resolve("messages.txt"), "");
    try (MessageLog log = FileMessageLog.builder(folder).maxFileBytes(1).maxFiles(3).open()) {
      IntStream.range(0, 12).forEach(i -> inbound(log, NOW + i / 6 * DAY_NANOS, "34=" + i + '|'));
    }

    assertThat(messages(folder)).containsExactly("34=9|", "34=10|", "34=11|");
    assertThat(folder.resolve("messages-20200101-0001.log.gz")).exists();
    assertThat(folder.resolve("messages.txt")).exists();
  }

  @Test
  void logThatIsOpenedAgainAppends() throws IOException {
    for (int i = 0; i < 3; i++) {
      try (MessageLog log = FileMessageLog.builder(folder).open()) {
        inbound(log, "34=" + i + '|');
      }
    }

    assertThat(names(folder)).containsExactly("messages-20260314-0001.log");
    assertThat(messages(folder)).containsExactly("34=0|", "34=1|", "34=2|");
  }

  @Test
  void logThatIsOpenedAgainHeedsTheSizeAndTheDayOfTheLastFile() throws IOException {
    for (int i = 0; i < 3; i++) {
      try (MessageLog log = FileMessageLog.builder(folder).maxFileBytes(60).open()) {
        inbound(log, NOW + i / 2 * DAY_NANOS, "34=" + i + '|');
      }
    }

    assertThat(names(folder)).containsExactly("messages-20260314-0001.log", "messages-20260315-0001.log");
    assertThat(messages(folder)).containsExactly("34=0|", "34=1|", "34=2|");
  }

  /** A machine stopped in the middle of a write, and the next line must not be taken for the rest of the last. */
  @Test
  void lineThatWasCutOffByACrashIsEnded() throws IOException {
    Files.writeString(folder.resolve("messages-20260314-0007.log"), "20260314-09:26:53.000000 FIX.4.4:SEL");
    try (MessageLog log = FileMessageLog.builder(folder).open()) {
      inbound(log, "34=1|");
    }

    assertThat(names(folder)).containsExactly("messages-20260314-0007.log");
    assertThat(lines(folder)).containsExactly("20260314-09:26:53.000000 FIX.4.4:SEL",
        "20260314-09:26:53.589793 FIX.4.4:SELLER->BUYER in 34=1|");
  }

  @Test
  void folderServesOneLogAtATime() throws IOException {
    try (MessageLog log = FileMessageLog.builder(folder).open()) {
      assertThatThrownBy(() -> FileMessageLog.builder(folder).open()).isInstanceOf(IOException.class)
          .hasMessageContaining(folder.toString());
      log.event(SESSION, NOW, "still here");
    }
    FileMessageLog.builder(folder).open().close();

    assertThat(messages(folder)).containsExactly("still here");
  }

  @Test
  void settingsAreChecked() {
    FileMessageLog.Builder builder = FileMessageLog.builder(folder);

    assertThatThrownBy(() -> builder.ringBytes(100)).hasMessageContaining("ringBytes: 100");
    assertThatThrownBy(() -> builder.maxMessageBytes(1)).hasMessageContaining("maxMessageBytes");
    assertThatThrownBy(() -> builder.maxFileBytes(0)).hasMessageContaining("maxFileBytes");
    assertThatThrownBy(() -> builder.maxFiles(0)).hasMessageContaining("maxFiles");
    assertThatThrownBy(() -> builder.maxBlock(Duration.ofNanos(-1))).hasMessageContaining("maxBlock");
    assertThatThrownBy(() -> builder.linger(Duration.ofDays(1_000_000))).hasMessageContaining("linger");
    assertThatThrownBy(() -> builder.maskTag(0)).hasMessageContaining("tag");
  }

  @Test
  void furtherTagsAreMasked() throws IOException {
    try (MessageLog log = FileMessageLog.builder(folder).maskTag(58).maskData(1401, 1402).open()) {
      inbound(log, "554=a|58=b|1401=3|1402=c|d|1=e|");
    }

    assertThat(messages(folder)).containsExactly("554=***|58=***|1401=3|1402=***|1=e|");
  }

  @Test
  void writerThreadSleepsWhileThereIsNothingToWrite() throws IOException {
    FullDisk disk = new FullDisk(Long.MAX_VALUE);
    RecordingLogger logger = new RecordingLogger();
    try (FileMessageLog log = FileMessageLog.builder(folder).linger(Duration.ofMillis(1)).seams(disk, logger).open()) {
      await("sleep", () -> log.thread().getState() == Thread.State.WAITING);
      for (int i = 1; i <= 3; i++) {
        inbound(log, "34=" + i + '|');
        awaitMessages(folder, i);
        await("sleep", () -> log.thread().getState() == Thread.State.WAITING);
      }
      log.thread().interrupt();
      await("sleep", () -> log.thread().getState() == Thread.State.WAITING && !log.thread().isInterrupted());
      inbound(log, "34=4|");
      awaitMessages(folder, 4);
    }

    assertThat(disk.writes).hasValue(4);
    assertThat(logger.lines).isEmpty();
  }

  @Test
  void messagesThatArriveWhileTheWriterLingersAreWrittenTogether() throws IOException {
    FullDisk disk = new FullDisk(Long.MAX_VALUE);
    try (FileMessageLog log = FileMessageLog.builder(folder).linger(Duration.ofHours(1))
        .seams(disk, new RecordingLogger()).open()) {
      await("sleep", () -> log.thread().getState() == Thread.State.WAITING);
      inbound(log, "34=0|");
      awaitMessages(folder, 1);
      await("linger", () -> log.thread().getState() == Thread.State.TIMED_WAITING);
      IntStream.range(1, 100).forEach(i -> inbound(log, "34=" + i + '|'));

      assertThat(disk.writes).hasValue(1);
    }

    assertThat(messages(folder)).hasSize(100);
    assertThat(disk.writes).hasValue(2);
  }

  @Test
  void lingeringWriterWakesWhenTheRingFills() throws IOException {
    try (FileMessageLog log = FileMessageLog.builder(folder).ringBytes(1 << 14).linger(Duration.ofHours(1)).open()) {
      inbound(log, "34=0|");
      await("linger", () -> log.thread().getState() == Thread.State.TIMED_WAITING);
      IntStream.range(0, 100).forEach(i -> inbound(log, "58=" + "x".repeat(100)));
      awaitMessages(folder, 50);
    }

    assertThat(messages(folder)).hasSize(101);
  }

  @Test
  void closingTwiceAndLoggingAfterwardsDoNothingButCount() throws IOException {
    FileMessageLog log = FileMessageLog.builder(folder).open();
    log.close();
    log.close();
    inbound(log, "34=1|");

    assertThat(log.notLogged()).isEqualTo(1);
    assertThat(log.thread().isAlive()).isFalse();
    assertThat(names(folder)).isEmpty();
  }
}
