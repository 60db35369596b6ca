package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the log tool decodes, filters, follows and times message logs. */
@Timeout(60)
class FixLogCommandTest {
  private static final String ORDER = "20260314-09:26:53.000100 FIX.4.4:A->B out 8=FIX.4.4|9=1|35=D|34=2|49=A|56=B"
      + "|11=X1|54=1|58=a\\x7Cb\\\\c|10=001|";
  private static final String ANSWER = "20260314-09:26:53.000350 FIX.4.4:A->B in 8=FIX.4.4|9=1|35=8|34=2|49=B|56=A"
      + "|11=X1|150=0|10=001|";
  private static final String OTHER = "20260314-09:27:53.000000 FIX.4.4:A->C in 8=FIX.4.4|9=1|35=0|34=2|49=C|56=A"
      + "|10=001|";
  private static final String EVENT = "20260315-09:26:54.000000 FIX.4.4:A->B event logged on";

  @TempDir
  Path folder;

  private final CommandLines lines = new CommandLines();

  @BeforeEach
  void write() throws IOException {
    try (GZIPOutputStream out = new GZIPOutputStream(
        Files.newOutputStream(folder.resolve("messages-20260314-0001.log.gz")))) {
      out.write((ORDER + '\n' + ANSWER + '\n').getBytes(StandardCharsets.ISO_8859_1));
    }
    Files.writeString(folder.resolve("messages-20260314-0002.log"), OTHER + "\nno line of ours\n");
    Files.writeString(folder.resolve("messages-20260315-0001.log"), EVENT + '\n');
    Files.writeString(folder.resolve("names.xml"), "<fix major='4' minor='4'><messages>"
        + "<message name='NewOrderSingle' msgtype='D'/></messages><fields><field number='54' name='Side'>"
        + "<value enum='1' description='BUY'/></field><field number='11' name='ClOrdID'/></fields></fix>");
  }

  private String run(String... options) {
    CommandLines each = new CommandLines();
    String[] all = new String[options.length + 3];
    all[0] = "fix";
    all[1] = "log";
    all[2] = folder.toString();
    System.arraycopy(options, 0, all, 3, options.length);
    assertThat(each.run(all)).as(each.err()).isZero();
    return each.out();
  }

  @Test
  void messagesAreDecodedWithNames() {
    assertThat(run("--dictionary", folder.resolve("names.xml").toString())).isEqualTo("""
        2026-03-14T09:26:53.000100 FIX.4.4:A->B out NewOrderSingle(D) 34=2 ClOrdID(11)=X1 Side(54)=1(BUY) 58=a|b\\c
        2026-03-14T09:26:53.000350 FIX.4.4:A->B in 8 34=2 ClOrdID(11)=X1 150=0
        2026-03-14T09:27:53 FIX.4.4:A->C in 0 34=2
        2026-03-15T09:26:54 FIX.4.4:A->B event logged on
        """);
  }

  /**
   * The XML parser's own message was printed on several lines, and a file without names was accepted as a dictionary.
   */
  @Test
  void fileThatIsNoDictionaryGetsOneLineWithAdvice() throws IOException {
    Path text = Files.writeString(folder.resolve("settings.cfg"), "[DEFAULT]\nBeginString=FIX.4.4\n");
    Path other = Files.writeString(folder.resolve("pom.xml"), "<project/>");
    for (Path wrong : new Path[] {text, other}) {
      CommandLines each = new CommandLines();
      assertThat(each.run("fix", "log", folder.toString(), "--dictionary", wrong.toString())).isEqualTo(3);
      assertThat(each.err()).startsWith("decant: " + wrong + " is no dictionary: ")
          .contains("give an XML file in QuickFIX's format, such as FIX44.xml").hasLineCount(1);
    }
  }

  @Test
  void linesAreFiltered() {
    assertThat(run("--raw", "--session", "->C")).isEqualTo(OTHER + '\n');
    assertThat(run("--raw", "--type", "D,event")).isEqualTo(ORDER + '\n' + EVENT + '\n');
    assertThat(run("--raw", "--match", "11=X*", "--match", "150=0")).isEqualTo(ANSWER + '\n');
    assertThat(run("--raw", "--match", "11=X")).isEmpty();
    assertThat(run("--raw", "--direction", "out")).isEqualTo(ORDER + '\n');
    assertThat(run("--raw", "--from", "09:27", "--to", "09:30")).isEqualTo(OTHER + '\n');
    assertThat(run("--raw", "--from", "2026-03-15T00:00:00Z")).isEqualTo(EVENT + '\n');
    assertThat(run("--raw", "--to", "20260314-09:26:54")).isEqualTo(ORDER + '\n' + ANSWER + '\n');
  }

  @Test
  void latencyIsThatOfPairs() {
    assertThat(run("--latency", "11", "--each")).isEqualTo("""
        2026-03-14T09:26:53.000100 FIX.4.4:A->B 11=X1 250 us
        1 pairs by tag 11, in us: min 250, p50 250, p90 250, p99 250, p99.9 250, max 250; 0 without a response
        """);
    assertThat(run("--latency", "999")).startsWith("no pairs");
  }

  /** The command printed nothing, as it does without a log. */
  @Test
  void emptyResultSaysWhy() throws IOException {
    assertThat(lines.run("fix", "log", folder.toString(), "--session", "NOBODY")).isZero();
    assertThat(lines.err()).contains("the options want none of 4 lines");
    Path empty = Files.createDirectory(folder.resolve("empty"));
    assertThat(lines.run("fix", "log", empty.toString())).isEqualTo(2);
    assertThat(lines.err()).contains("there is no log in " + empty);
  }

  @Test
  void tornCompressedLogIsNamed() throws IOException {
    Path whole = folder.resolve("messages-20260314-0001.log.gz");
    byte[] bytes = Files.readAllBytes(whole);
    Path torn = Files.write(folder.resolve("torn.log.gz"), Arrays.copyOf(bytes, bytes.length - 9));
    assertThat(lines.run("fix", "log", torn.toString())).isEqualTo(3);
    assertThat(lines.err()).contains(torn + " is no whole compressed log");
  }

  @Test
  void wrongUsageIsRefusedInOneLine() {
    assertThat(lines.run("fix", "log", folder.toString(), "--from", "noon")).isEqualTo(2);
    assertThat(lines.err()).contains("'noon' is no time").hasLineCount(1);
    assertThat(lines.run("fix", "log", folder.resolve("nowhere").toString())).isEqualTo(2);
    assertThat(lines.run("fix", "log", folder.toString(), "--match", "x")).isEqualTo(2);
    assertThat(lines.run("fix", "log", folder.toString(), "--dictionary",
        folder.resolve("messages-20260315-0001.log").toString())).isEqualTo(3);
    assertThat(lines.err()).contains("is no dictionary");
  }

  /** Checks that the command follows a log into its next file. */
  @Test
  void followedLogGoesOnInItsNextFile() throws Exception {
    Thread follower = Thread.ofPlatform()
        .start(() -> lines.run("fix", "log", folder.toString(), "--follow", "--raw"));
    try {
      await(EVENT);
      append("messages-20260315-0001.log", "20260315-09:26:55.000000 S event ap");
      append("messages-20260315-0001.log", "pended\n");
      await("S event appended");
      append("messages-20260316-0001.log", "20260316-00:00:00.000000 S event next day\n");
      await("S event next day");
    } finally {
      follower.interrupt();
      follower.join(TimeUnit.SECONDS.toMillis(20));
    }
    assertThat(follower.isAlive()).isFalse();
    assertThat(lines.out()).startsWith(ORDER).hasLineCount(6);
  }

  private void append(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private void await(String text) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!lines.out().contains(text)) {
      assertThat(System.nanoTime() - deadline).as(text).isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }
}
