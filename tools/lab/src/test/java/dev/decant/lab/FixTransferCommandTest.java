package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.store.FileStores;
import dev.decant.fix.store.MessageStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class FixTransferCommandTest {
  @TempDir
  private Path folder = Path.of("");

  private String run(int expected, String... arguments) {
    List<String> all = new ArrayList<>(List.of("fix"));
    all.addAll(List.of(arguments));
    StringWriter screen = new StringWriter();
    CommandLine line = Decant.commandLine().setOut(new PrintWriter(screen)).setErr(new PrintWriter(screen));
    assertThat(line.execute(all.toArray(String[]::new))).as(screen.toString()).isEqualTo(expected);
    return screen.toString();
  }

  /** A section without an identity was skipped, and the import succeeded. */
  @Test
  void sectionsThatAreNoSessionsAreNamed() throws IOException {
    Path settings = Files.writeString(folder.resolve("b.cfg"), "[session]\nBeginString=FIX.4.4\nSenderCompID=A\n");
    Path empty = Files.writeString(folder.resolve("c.cfg"), "hello\n");

    assertThat(run(3, "import", settings.toString())).contains("[session] in line 1: targetCompId is empty");
    assertThat(run(3, "import", empty.toString())).contains("there is no section [session]");
  }

  @Test
  void storesGoToQuickFixAndComeBack() throws IOException {
    Path settings = Files.writeString(folder.resolve("a.cfg"), """
        [session]
        ConnectionType=initiator
        BeginString=FIX.4.4
        SenderCompID=A
        TargetCompID=B
        FileStorePath=%s
        """.formatted(folder.resolve("store")));
    FileStores stores = FileStores.builder(folder.resolve("store")).segmentBytes(1 << 16).build();
    try (MessageStore store = stores.open(SessionId.of("FIX.4.4", "A", "B"), 1_000_000)) {
      store.setNextOutbound(7, 1_000_000);
      store.setNextInbound(9, 1_000_000);
    }

    assertThat(run(0, "export", settings.toString())).contains("exported FIX.4.4:A->B: 0 messages, next out 7");
    assertThat(folder.resolve("store").resolve("FIX.4.4-A-B.senderseqnums")).exists();
    assertThat(run(3, "import", settings.toString())).contains("has numbers of session");
    assertThat(run(0, "import", settings.toString(), "--replace")).contains("imported FIX.4.4:A->B", "next in 9");
  }
}
