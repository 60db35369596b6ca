package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.store.FileStores;
import dev.decant.fix.store.MessageStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the store tool reads, checks, exports and repairs. */
@Timeout(60)
class FixStoreCommandTest {
  private static final long EPOCH_NANOS = 1_773_480_413_000_000_000L;

  @TempDir
  Path folder;

  private final CommandLines lines = new CommandLines();

  private MessageStore open() throws IOException {
    return FileStores.builder(folder.resolve("stores")).segmentBytes(16 * 1024).build()
        .open(SessionId.of("FIX.4.4", "A", "B"), EPOCH_NANOS);
  }

  private static void send(MessageStore store, String text) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(text.length()).put(0, text.getBytes(StandardCharsets.ISO_8859_1));
    assertThat(store.appendOutbound(store.nextOutbound(), EPOCH_NANOS, bytes, 0, text.length())).isTrue();
  }

  @Test
  void storeInUseIsShownAndExported() throws IOException {
    String stores = folder.resolve("stores").toString();
    try (MessageStore store = open()) {
      send(store, "8=FIX.4.4\u000135=D\u000158=caf\u00e9\u0001");
      send(store, "8=FIX.4.4\u000135=F\u0001");

      assertThat(lines.run("fix", "store", stores)).isZero();
      assertThat(lines.out()).startsWith("FIX.4.4_A__B: next outbound 3, next inbound 1, created 2026-03-14T09:26:53Z, "
          + "2 records (2 messages) in 1 files of 16384 bytes\n");
      assertThat(lines.run("fix", "store", stores, "print", "--from", "1", "--to", "1")).isZero();
      assertThat(lines.out()).contains("1 2026-03-14T09:26:53Z SENT                 1 8=FIX.4.4|35=D|58=caf\\xE9|\n")
          .doesNotContain("35=F");
      Path out = folder.resolve("out");
      assertThat(lines.run("fix", "store", stores, "export", "--out", out.toString())).isZero();
      assertThat(out).hasContent("8=FIX.4.4|35=D|58=caf\\xE9|\n8=FIX.4.4|35=F|\n");
      assertThat(lines.run("fix", "store", stores, "export", "--out", out.toString())).isEqualTo(3);
      assertThat(lines.err()).contains(out + " is there already; give another name");
      assertThat(lines.run("fix", "store", stores, "repair")).isEqualTo(3);
      assertThat(lines.err()).contains("another engine has the store");
    }
  }

  @Test
  void damageIsFoundAndRepaired() throws IOException {
    String stores = folder.resolve("stores").toString();
    try (MessageStore store = open()) {
      for (int i = 0; i < 20; i++) {
        send(store, "8=FIX.4.4\u000135=D\u0001");
      }
    }
    try (RandomAccessFile file = new RandomAccessFile(
        folder.resolve("stores/FIX.4.4_A__B/segment-0000000001").toString(), "rw")) {
      file.seek(400);
      file.write(77);
    }
    assertThat(lines.run("fix", "store", stores, "check")).isEqualTo(1);
    assertThat(lines.out()).contains("  damaged: ");
    assertThat(lines.run("fix", "store", stores, "repair")).isZero();
    assertThat(lines.run("fix", "store", stores, "check")).isZero();
  }

  @Test
  void wrongUsageIsRefused() {
    assertThat(lines.run("fix", "store", folder.toString())).isEqualTo(2);
    assertThat(lines.err()).contains("has no store of a session");
    assertThat(lines.run("fix", "store", folder.resolve("x").toString())).isEqualTo(2);
    assertThat(lines.run("fix", "store", folder.toString(), "explode")).isEqualTo(2);
  }
}
