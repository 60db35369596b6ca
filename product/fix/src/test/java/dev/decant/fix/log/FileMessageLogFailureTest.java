package dev.decant.fix.log;

import static dev.decant.fix.log.LogFolder.await;
import static dev.decant.fix.log.LogFolder.awaitMessages;
import static dev.decant.fix.log.LogFolder.inbound;
import static dev.decant.fix.log.LogFolder.lines;
import static dev.decant.fix.log.LogFolder.messages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A full ring, a full disk and a missing disk are reported, counted, and survived. */
@Timeout(60)
class FileMessageLogFailureTest {
  private static final String BULK = "58=" + "x".repeat(500);

  @TempDir
  private Path folder;
  private final FullDisk disk = new FullDisk(0);
  private final RecordingLogger logger = new RecordingLogger();

  private FileMessageLog.Builder builder() {
    return FileMessageLog.builder(folder).ringBytes(8192).linger(Duration.ZERO)
        .retryInterval(Duration.ofMillis(1)).seams(disk, logger);
  }

  /** Logs until the ring is full, with the disk full; returns how many messages were taken. */
  private static int fill(FileMessageLog log) {
    int logged = 0;
    while (log.notLogged() == 0) {
      inbound(log, BULK + logged++);
    }
    return logged - 1;
  }

  @Test
  void lostMessagesAreToldWhereTheyAreMissing() throws IOException {
    int first;
    try (FileMessageLog log = builder().open()) {
      first = fillWhileTheWriterIsStuck(log);
      inbound(log, "second loss");
      disk.free.set(Long.MAX_VALUE);
      awaitMessages(folder, first + 1);
      inbound(log, "third");

      assertThat(log.notLogged()).isEqualTo(2);
    }

    List<String> expected = new ArrayList<>();
    for (int i = 0; i < first; i++) {
      expected.add(BULK + i);
    }
    expected.add("2 messages were not logged");
    expected.add("third");
    assertThat(messages(folder)).isEqualTo(expected);
  }

  /** The writer holds a message, so that what the ring takes afterwards is the same in each run. */
  private int fillWhileTheWriterIsStuck(FileMessageLog log) {
    inbound(log, BULK + 0);
    await("an attempt", () -> disk.attempts.get() > 1);
    int logged = 1;
    while (log.notLogged() == 0) {
      inbound(log, BULK + logged++);
    }
    return logged - 1;
  }

  @Test
  void fullRingIsToldOfThoughNoMessageFollows() throws IOException {
    try (FileMessageLog log = builder().open()) {
      int logged = fill(log);
      disk.free.set(Long.MAX_VALUE);
      awaitMessages(folder, logged + 1);

      assertThat(messages(folder)).last().isEqualTo("1 messages were not logged");
    }
  }

  @Test
  void callThatMayWaitDoesNotWaitForAFullDisk() throws IOException {
    try (FileMessageLog log = builder().maxBlock(Duration.ofDays(1)).open()) {
      inbound(log, "34=1|");
      await("a failure", () -> log.failures() > 0);
      fill(log);

      assertThat(log.notLogged()).isEqualTo(1);
    }
  }

  @Test
  void callThatMayWaitGetsRoomFromAWriterThatWrites() throws IOException {
    disk.free.set(Long.MAX_VALUE);
    try (FileMessageLog log = builder().maxBlock(Duration.ofSeconds(30)).open()) {
      for (int i = 0; i < 5_000; i++) {
        inbound(log, BULK + i);
      }

      assertThat(log.notLogged()).isZero();
    }

    assertThat(messages(folder)).hasSize(5_000).last().isEqualTo(BULK + 4_999);
  }

  /** The disk took half a line: the rest of it follows when there is room again. */
  @Test
  void writingContinuesWhereADiskWasFull() throws IOException {
    disk.free.set(100);
    try (FileMessageLog log = builder().open()) {
      inbound(log, "34=1|");
      inbound(log, "34=2|58=" + "y".repeat(50));
      await("failures", () -> log.failures() >= 3);
      disk.free.set(10);
      inbound(log, "34=3|");
      await("the room is taken", () -> disk.free.get() == 0);
      long failures = log.failures();
      await("failures", () -> log.failures() >= failures + 3);
      disk.free.set(Long.MAX_VALUE);
      awaitMessages(folder, 3);
      assertThat(log.notLogged()).isZero();
      await("the recovery is told", () -> logger.lines.size() == 2);
    }

    assertThat(messages(folder)).containsExactly("34=1|", "34=2|58=" + "y".repeat(50), "34=3|");
    assertThat(logger.lines.get(0)).startsWith("ERROR the FIX message log").contains("No space left on device")
        .contains("messages-20260314-0001.log");
    assertThat(logger.lines.get(1)).startsWith("INFO");
  }

  @Test
  void diskThatFailsAgainAndAgainIsToldOfOnceAMinute() throws IOException {
    try (FileMessageLog log = builder().open()) {
      for (int i = 1; i <= 5; i++) {
        disk.free.set(0);
        inbound(log, "34=" + i + '|');
        long failures = log.failures();
        await("a failure", () -> log.failures() > failures);
        disk.free.set(Long.MAX_VALUE);
        awaitMessages(folder, i);
      }

      assertThat(log.failures()).isGreaterThanOrEqualTo(5);
    }

    assertThat(logger.lines).filteredOn(line -> line.startsWith("ERROR")).hasSize(1);
  }

  @Test
  void fileThatCannotBeOpenedIsOpenedLater() throws IOException {
    disk.opens = false;
    disk.free.set(Long.MAX_VALUE);
    try (FileMessageLog log = builder().open()) {
      inbound(log, "34=1|");
      await("failures", () -> log.failures() >= 3);
      disk.opens = true;
      awaitMessages(folder, 1);
    }

    assertThat(messages(folder)).containsExactly("34=1|");
  }

  @Test
  void folderThatIsGoneIsWrittenToWhenItIsBack() throws IOException {
    Path inner = folder.resolve("inner");
    try (FileMessageLog log = FileMessageLog.builder(inner).retryInterval(Duration.ofMillis(1))
        .seams(AppendFile::open, logger).open()) {
      Files.move(inner, folder.resolve("away"));
      inbound(log, "34=1|");
      await("failures", () -> log.failures() >= 3);
      Files.move(folder.resolve("away"), inner);
      awaitMessages(inner, 1);
    }

    assertThat(messages(inner)).containsExactly("34=1|");
  }

  @Test
  void fileThatWasEmptiedByAnOperatorIsContinued() throws IOException {
    disk.free.set(Long.MAX_VALUE);
    try (FileMessageLog log = builder().open()) {
      inbound(log, "34=1|");
      awaitMessages(folder, 1);
      Files.write(folder.resolve("messages-20260314-0001.log"), new byte[0]);
      disk.free.set(0);
      inbound(log, "34=2|");
      await("failures", () -> log.failures() >= 2);
      disk.free.set(Long.MAX_VALUE);
      awaitMessages(folder, 1);
    }

    assertThat(messages(folder)).containsExactly("34=2|");
  }

  @Test
  void closingGivesUpOnAFullDiskAndSaysWhatIsLost() throws IOException {
    FileMessageLog log = builder().closeTimeout(Duration.ofSeconds(30)).open();
    int logged = fill(log);
    log.close();

    assertThat(log.thread().isAlive()).isFalse();
    assertThat(lines(folder)).isEmpty();
    assertThat(log.notLogged()).isEqualTo(logged + 1);
    assertThat(logger.lines).last().asString().startsWith("ERROR").contains("up to " + (logged + 1) + " messages");
  }

  @Test
  void closingDoesNotWaitLongerThanItsTimeout() throws IOException {
    disk.free.set(Long.MAX_VALUE);
    FileMessageLog log = builder().closeTimeout(Duration.ofMillis(1)).seams(path -> {
      Thread stuck = Thread.currentThread();
      await("the test's end", () -> logger.lines.stream().anyMatch(line -> line.contains("still writing")));
      assertThat(stuck.isDaemon()).isTrue();
      return disk.open(path);
    }, logger).open();
    inbound(log, "34=1|");
    log.close();

    assertThat(logger.lines).first().asString().contains("still writing");
    await("the end of the thread", () -> !log.thread().isAlive());
    assertThat(messages(folder)).containsExactly("34=1|");
  }

  /** A defect of ours, or no memory: the engine goes on, nobody waits, and all that is lost is counted. */
  @Test
  void deadWriterIsToldOfAndMakesNobodyWait() throws IOException {
    FileMessageLog log = builder().maxBlock(Duration.ofDays(1)).seams(path -> {
      throw new IllegalStateException("defect");
    }, logger).open();
    inbound(log, "34=1|");
    await("the end of the thread", () -> !log.thread().isAlive());
    inbound(log, "34=2|");
    inbound(log, "34=3|");
    log.close();

    assertThat(logger.lines).first().asString().contains("ends").contains("defect");
    assertThat(log.notLogged()).isEqualTo(3);
  }

  /** The system's message is the path alone, from which nobody sees what is wrong with it. */
  @Test
  void aFolderThatCannotBeMadeIsNamedWithTheReason() throws IOException {
    Path taken = Files.createFile(folder.resolve("log"));
    assertThatIOException().isThrownBy(() -> FileMessageLog.builder(taken).open())
        .withMessage("cannot make the folder " + taken + " of the message log: "
            + "java.nio.file.FileAlreadyExistsException: " + taken);
  }
}
