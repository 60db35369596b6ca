package dev.decant.fix.log;

import static dev.decant.fix.log.LogFolder.DAY_NANOS;
import static dev.decant.fix.log.LogFolder.NOW;
import static dev.decant.fix.log.LogFolder.await;
import static dev.decant.fix.log.LogFolder.inbound;
import static dev.decant.fix.log.LogFolder.messages;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Finished files of a log are compressed. After any crash, no line is lost or doubled. */
@Timeout(60)
class LogCompressionTest {
  @TempDir
  Path folder;

  private FileMessageLog open(int maxFiles) throws IOException {
    return FileMessageLog.builder(folder).compress(true).maxFileBytes(1).maxFiles(maxFiles).open();
  }

  private List<String> names() {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(path -> path.getFileName().toString()).filter(name -> name.startsWith("messages-")).sorted()
          .toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String compressed(int number) {
    return String.format("messages-20260314-%04d.log.gz", number);
  }

  private static List<String> all(int count) {
    List<String> names = new ArrayList<>();
    IntStream.range(1, count).forEach(i -> names.add(compressed(i)));
    names.add(compressed(count).replace(".gz", ""));
    return names;
  }

  private String text(String name) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(folder.resolve(name)))) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }
    return bytes.toByteArray();
  }

  @Test
  void finishedFilesAreCompressedAndTheOneInUseIsNot() throws IOException {
    try (FileMessageLog log = open(100)) {
      IntStream.range(0, 5).forEach(i -> inbound(log, "34=" + i + '|'));
      await("four compressed files", () -> names().equals(all(5)));
    }
    for (int i = 1; i < 5; i++) {
      assertThat(text(compressed(i))).endsWith(" in 34=" + (i - 1) + "|\n").hasLineCount(1);
    }
    assertThat(messages(folder)).containsExactly("34=4|");
  }

  @Test
  void oldestAreDeletedCompressedOrNot() throws IOException {
    try (FileMessageLog log = open(3)) {
      for (int i = 0; i < 8; i++) {
        inbound(log, "34=" + i + '|');
        int expected = i + 1;
        await("all finished files are compressed", () -> names().size() == Math.min(3, expected)
            && names().stream().filter(name -> name.endsWith(".log")).toList()
                .equals(List.of(compressed(expected).replace(".gz", ""))));
      }
    }
    assertThat(names()).containsExactly(compressed(6), compressed(7), compressed(8).replace(".gz", ""));
  }

  /** A killed process leaves a temporary file, a file in both forms, or files that nobody has compressed. */
  @Test
  void nextLogFinishesWhatAKilledProcessHasLeft() throws IOException {
    Files.writeString(folder.resolve("messages-20260314-0001.log"), "one\n");
    Files.write(folder.resolve("messages-20260314-0001.log.gz.tmp"), new byte[] {31, -117});
    Files.writeString(folder.resolve("messages-20260314-0002.log"), "two\n");
    Files.write(folder.resolve(compressed(2)), gzip("two\n"));
    Files.writeString(folder.resolve("messages-20260314-0003.log"), "three\n");
    try (FileMessageLog log = open(100)) {
      inbound(log, "34=4|");
      await("all are compressed", () -> names().equals(all(4)));
    }
    assertThat(text(compressed(1))).isEqualTo("one\n");
    assertThat(text(compressed(2))).isEqualTo("two\n");
    assertThat(text(compressed(3))).isEqualTo("three\n");
  }

  /** The last file of the day was compressed when the process was killed: lines go to a new one. */
  @Test
  void nothingIsAppendedToAFileThatIsCompressed() throws IOException {
    Files.writeString(folder.resolve("messages-20260314-0001.log"), "one\n");
    Files.write(folder.resolve(compressed(1)), gzip("one\n"));
    try (FileMessageLog log = FileMessageLog.builder(folder).compress(true).open()) {
      inbound(log, "34=2|");
      await("one is compressed", () -> names().equals(all(2)));
    }
    assertThat(text(compressed(1))).isEqualTo("one\n");
    assertThat(messages(folder)).containsExactly("34=2|");
  }

  @Test
  void fileThatCannotBeCompressedStaysAndIsCounted() throws IOException {
    Files.createDirectories(folder.resolve("messages-20260314-0001.log.gz.tmp/x"));
    try (FileMessageLog log = FileMessageLog.builder(folder).compress(true).maxFileBytes(1)
        .seams(AppendFile::open, new RecordingLogger()).open()) {
      inbound(log, "34=1|");
      inbound(log, "34=2|");
      await("the failure", () -> log.failures() > 0);
    }
    assertThat(messages(folder)).containsExactly("34=1|", "34=2|");
  }

  @Test
  void clockThatIsSetBackForDaysLosesNoLine() throws IOException {
    try (FileMessageLog log = FileMessageLog.builder(folder).compress(true).open()) {
      inbound(log, NOW, "34=1|");
      inbound(log, NOW + 4 * DAY_NANOS, "34=2|");
      await("the first day", () -> names().contains(compressed(1)));
      inbound(log, NOW, "34=3|");
      inbound(log, NOW + 4 * DAY_NANOS, "34=4|");
      await("the second file of the first day", () -> names().contains(compressed(2)));
    }
    assertThat(text(compressed(1))).contains("34=1|");
    assertThat(text(compressed(2))).contains("34=3|");
    assertThat(messages(folder)).containsExactly("34=2|", "34=4|");
  }

  @Test
  void heartbeatsAreLeftOutIfSoSet() throws IOException {
    try (FileMessageLog log = FileMessageLog.builder(folder).heartbeats(false).open()) {
      inbound(log, "8=FIX.4.4|9=5|35=0|34=1|10=000|");
      inbound(log, "8=FIX.4.4|9=5|35=1|34=2|10=000|");
      inbound(log, "8=FIX.4.4|9=5|35=0A|34=3|10=000|");
      inbound(log, "35=0|");
      inbound(log, "8=FIX.4.4|9=5|35=0");
    }
    assertThat(messages(folder)).containsExactly("8=FIX.4.4|9=5|35=1|34=2|10=000|", "8=FIX.4.4|9=5|35=0A|34=3|10=000|",
        "35=0|", "8=FIX.4.4|9=5|35=0");
  }
}
