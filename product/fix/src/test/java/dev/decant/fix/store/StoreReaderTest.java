package dev.decant.fix.store;

import static dev.decant.fix.store.StoredMessages.BEGUN;
import static dev.decant.fix.store.StoredMessages.SESSION;
import static dev.decant.fix.store.StoredMessages.numberedTexts;
import static dev.decant.fix.store.StoredMessages.receive;
import static dev.decant.fix.store.StoredMessages.replayed;
import static dev.decant.fix.store.StoredMessages.send;
import static dev.decant.fix.store.StoredMessages.sendNumbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.decant.fix.segment.SegmentHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operators read a store that its engine has open, and the reading changes nothing. */
@Timeout(60)
class StoreReaderTest {
  @TempDir
  Path folder;

  private final List<String> sent = new ArrayList<>();
  private final List<StoredRecord.Kind> kinds = new ArrayList<>();

  private Path sessionFolder() throws IOException {
    return StoreReader.folders(folder).getFirst();
  }

  private StoreSummary read() throws IOException {
    sent.clear();
    kinds.clear();
    return StoreReader.read(sessionFolder(), record -> {
      kinds.add(record.kind());
      if (record.kind() == StoredRecord.Kind.SENT) {
        byte[] bytes = new byte[record.message().remaining()];
        record.message().get(bytes);
        sent.add(record.number() + ":" + new String(bytes, StandardCharsets.ISO_8859_1));
      }
    });
  }

  private MessageStore open(StoreKind kind) throws IOException {
    FileStores.Builder files = StoreKind.files(folder).keepInbound(true);
    return (kind == StoreKind.ASYNC ? StoreKind.async(files) : files.build()).open(SESSION, BEGUN);
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(sessionFolder())) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FILE", "ASYNC"})
  void storeInUseIsReadWhole(StoreKind kind) throws IOException {
    try (MessageStore store = open(kind)) {
      sendNumbered(store, 400);
      receive(store, "in");
      store.setNextInbound(7, BEGUN);

      StoreSummary summary = read();
      assertThat(sent).hasSize(400);
      assertThat(sent.getFirst()).startsWith("1:");
      assertThat(kinds).endsWith(StoredRecord.Kind.RECEIVED, StoredRecord.Kind.NEXT_INBOUND);
      assertThat(summary.nextOutbound()).isEqualTo(401);
      assertThat(summary.nextInbound()).isEqualTo(7);
      assertThat(summary.created()).isEqualTo(EpochNanos.instant(BEGUN));
      assertThat(summary.records()).isEqualTo(402);
      assertThat(summary.messages()).isEqualTo(401);
      assertThat(summary.problems()).isEmpty();
      assertThat(summary.tail()).isNull();

      assertThat(send(store, "after")).isTrue();
      assertThat(read().nextOutbound()).isEqualTo(402);
    }
    StoreSummary closed = read();
    assertThat(closed.nextOutbound()).isEqualTo(402);
    assertThat(closed.waiting()).isZero();
  }

  @Test
  void readerOfAStoreThatIsBeingWrittenSeesAPrefix() throws Exception {
    AtomicBoolean ends = new AtomicBoolean();
    try (MessageStore store = open(StoreKind.ASYNC)) {
      send(store, "first");
      Thread writer = Thread.ofPlatform().start(() -> {
        while (!ends.get()) {
          send(store, "message");
          if (store.nextOutbound() % 3_000 == 0) {
            store.reset(BEGUN); // segments are deleted
          }
        }
      });
      for (int i = 0; i < 60; i++) {
        StoreSummary summary = read();
        assertThat(summary.problems()).isEmpty();
      }
      ends.set(true);
      writer.join();
    }
  }

  @Test
  void tornTailIsShownAndStays() throws IOException {
    try (MessageStore store = open(StoreKind.FILE)) {
      sendNumbered(store, 3);
    }
    Path segment = sessionFolder().resolve("segment-0000000001");
    long end = 0;
    try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer all = ByteBuffer.allocate((int) channel.size());
      channel.read(all, 0);
      for (int i = 0; i < all.capacity(); i++) {
        end = all.get(i) == 0 ? end : i + 1;
      }
      end = (end + 7) / 8 * 8;
      channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 90, 0, 0, 0}), end);
    }
    byte[] before = Files.readAllBytes(segment);

    StoreSummary summary = read();
    assertThat(summary.tail()).isEqualTo("segment-0000000001, byte " + end + ": the beginning of record 4");
    assertThat(summary.problems()).isEmpty();
    assertThat(sent).hasSize(3);
    assertThat(Files.readAllBytes(segment)).isEqualTo(before);
    assertThat(files()).doesNotContain("segment-0000000001.tmp");
  }

  @Test
  void damageIsAProblemUntilItIsRepaired() throws IOException {
    try (MessageStore store = open(StoreKind.FILE)) {
      sendNumbered(store, 50);
    }
    Path segment = sessionFolder().resolve("segment-0000000001");
    try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {77}), SegmentHeader.BYTES + 200);
    }

    StoreSummary summary = read();
    assertThat(summary.problems()).singleElement().asString().startsWith(segment + ": damaged at byte ");
    assertThatIOException().isThrownBy(() -> open(StoreKind.FILE)).withMessageContaining("is damaged");

    StoreSummary repaired = StoreReader.repair(sessionFolder());
    assertThat(repaired.problems()).isEmpty();
    assertThat(repaired.nextOutbound()).isEqualTo(summary.nextOutbound()).isBetween(1L, 50L);
    assertThat(files()).contains("damaged");
    try (MessageStore store = open(StoreKind.FILE)) {
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, (int) repaired.nextOutbound() - 1));
      assertThatIOException().isThrownBy(() -> StoreReader.repair(sessionFolder()))
          .withMessageContaining("another engine has the store");
    }
  }

  @Test
  void folderWithoutAStoreHasNoSessions() throws IOException {
    assertThat(StoreReader.folders(folder)).isEmpty();
    Files.createDirectory(folder.resolve("empty"));
    assertThat(StoreReader.folders(folder)).isEmpty();
    assertThatIOException().isThrownBy(() -> StoreReader.repair(folder.resolve("empty")))
        .withMessageContaining("nothing can be recovered");
  }
}
