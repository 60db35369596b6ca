package dev.decant.fix.store;

import static dev.decant.fix.store.StoredMessages.BEGUN;
import static dev.decant.fix.store.StoredMessages.SESSION;
import static dev.decant.fix.store.StoredMessages.arrived;
import static dev.decant.fix.store.StoredMessages.numberedTexts;
import static dev.decant.fix.store.StoredMessages.receive;
import static dev.decant.fix.store.StoredMessages.replayed;
import static dev.decant.fix.store.StoredMessages.send;
import static dev.decant.fix.store.StoredMessages.sendNumbered;
import static dev.decant.fix.store.StoredMessages.text;
import static dev.decant.fix.store.StoredMessages.time;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.decant.fix.settings.SessionId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Folders and files of sessions. */
@Timeout(60)
class FileStoreTest {
  @TempDir
  Path folder;

  private MessageStore open() throws IOException {
    return StoreKind.files(folder).build().open(SESSION, BEGUN);
  }

  private Path sessionFolder() {
    return folder.resolve("FIX.4.4_BANK__BROKER");
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(sessionFolder())) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void storeThatIsOpenedAgainContinues() throws IOException {
    try (MessageStore store = open()) {
      sendNumbered(store, 300);
      receive(store, "in");
      store.setNextInbound(7, BEGUN);
    }
    try (MessageStore store = StoreKind.files(folder).build().open(SESSION, BEGUN + 1)) {
      assertThat(store.nextOutbound()).isEqualTo(301);
      assertThat(store.nextInbound()).isEqualTo(7);
      assertThat(store.createdEpochNanos()).isEqualTo(BEGUN);
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, 300));
      sendNumbered(store, 300);
    }
    try (MessageStore store = open()) {
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, 600));
    }
  }

  @Test
  void storeThatIsOpenCannotBeOpenedAgain() throws IOException {
    try (MessageStore store = open()) {
      send(store, "first");
      for (int i = 0; i < 2; i++) {
        assertThatIOException().isThrownBy(this::open).withMessageContaining("FIX.4.4:BANK->BROKER")
            .withMessageContaining(sessionFolder().toString()).withMessageContaining("another engine");
      }
      assertThat(send(store, "second")).isTrue();
    }
    open().close();
  }

  @Test
  void folderNamesOfSessionsAreSafeAndDiffer() throws IOException {
    FileStores stores = StoreKind.files(folder).segmentBytes(4096).build();
    String longId = "x".repeat(300);
    SessionId ab = SessionId.of("FIX.4.4", "A", "B");
    List<SessionId> sessions = List.of(new SessionId("FIX.4.4", "A", "B", "C", "", ""),
        new SessionId("FIX.4.4", "A_B", "", "C", "", ""), new SessionId("FIX.4.4", "A", "", "B_C", "", ""),
        new SessionId("FIX.4.4", "A", "", "B", "C", ""), new SessionId("FIX.4.4", "A", "", "B", "", "C"),
        new SessionId("..", "../..", "a/b", "c\\d:*?", "%41", " "), SessionId.of("FIX.4.4", longId, longId + "1"),
        SessionId.of("FIX.4.4", longId, longId + "2"), ab.withSender("", "C"), ab.withTarget("", "C"),
        ab.withSender("C", "").withTarget("", "C"));
    for (SessionId session : sessions) {
      stores.open(session, BEGUN).close();
    }
    try (Stream<Path> files = Files.list(folder)) {
      List<String> names = files.map(file -> file.getFileName().toString()).toList();
      assertThat(names).hasSameSizeAs(sessions).allMatch(name -> name.matches("[A-Za-z0-9%_-][A-Za-z0-9%._-]{0,199}"));
    }
  }

  /** LocationIDs were added behind the other components: a folder without them must keep its name. */
  @Test
  void folderNamesWithoutLocationsAreWhatTheyWere() throws IOException {
    FileStores stores = StoreKind.files(folder).segmentBytes(4096).build();
    stores.open(new SessionId("FIX.4.4", "BANK", "DESK", "BROKER", "FLOOR", "2"), BEGUN).close();
    stores.open(SessionId.of("FIX.4.4", "BANK", "BROKER").withTarget("", "PARIS"), BEGUN).close();
    assertThat(folder.resolve("FIX.4.4_BANK_DESK_BROKER_FLOOR_2")).isDirectory();
    assertThat(folder.resolve("FIX.4.4_BANK__BROKER____PARIS")).isDirectory();
  }

  @Test
  void filesOfAnotherSessionAreRefused() throws IOException {
    try (MessageStore store = open()) {
      send(store, "mine");
    }
    Files.move(sessionFolder(), folder.resolve("FIX.4.4_BANK__OTHER"));
    SessionId other = SessionId.of("FIX.4.4", "BANK", "OTHER");
    assertThatIOException().isThrownBy(() -> StoreKind.files(folder).build().open(other, BEGUN))
        .withMessageContaining("belongs to another session");
  }

  @Test
  void resetLetsOlderFilesGo() throws IOException {
    try (MessageStore store = open()) {
      sendNumbered(store, 2000);
      assertThat(names()).hasSizeGreaterThan(5);
      store.reset(BEGUN + 1);
      send(store, "after");
    }
    assertThat(names()).hasSize(2).contains("lock");
    try (MessageStore store = open()) {
      assertThat(replayed(store)).containsExactly(text(1, time(1), "after"));
      assertThat(store.createdEpochNanos()).isEqualTo(BEGUN + 1);
    }
  }

  @Test
  void olderFilesGoToTheArchiveIfThatIsSet() throws IOException {
    try (MessageStore store = StoreKind.files(folder).archive(true).build().open(SESSION, BEGUN)) {
      sendNumbered(store, 1000);
      store.reset(BEGUN + 1);
    }
    assertThat(names()).hasSize(3).contains("archive");
    try (Stream<Path> files = Files.list(sessionFolder().resolve("archive"))) {
      assertThat(files).hasSizeGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void asMuchAsIsToBeRetainedIsKeptAndOlderMessagesAreLeftOut() throws IOException {
    FileStores stores = StoreKind.files(folder).retainBytes(3 * 16 * 1024).build();
    try (MessageStore store = stores.open(SESSION, BEGUN)) {
      sendNumbered(store, 5000);
      receive(store, "in");
      List<String> kept = replayed(store);
      assertThat(kept).isEqualTo(numberedTexts(5001 - kept.size(), 5000)).hasSizeBetween(600, 1600);
    }
    assertThat(names()).hasSize(4);
    try (MessageStore store = stores.open(SESSION, BEGUN)) {
      assertThat(store.nextOutbound()).isEqualTo(5001);
      assertThat(store.nextInbound()).isEqualTo(2);
      assertThat(store.createdEpochNanos()).isEqualTo(BEGUN);
      List<String> kept = replayed(store);
      assertThat(kept).isEqualTo(numberedTexts(5001 - kept.size(), 5000)).hasSizeGreaterThan(600);
    }
  }

  @Test
  void filesAreNotDeletedWhileTheyAreRead() throws IOException {
    FileStores stores = StoreKind.files(folder).retainBytes(0).build();
    try (MessageStore store = stores.open(SESSION, BEGUN)) {
      sendNumbered(store, 100);
      store.replayOutbound(1, 100, (number, time, buffer, from, to) -> {
        assertThat(text(number, time, buffer, from, to)).isEqualTo(numberedTexts(number, number).getFirst());
        sendNumbered(store, 50);
        return true;
      });
      assertThat(replayed(store)).hasSizeLessThan(1000);
    }
  }

  @Test
  void messagesThatArriveAreKeptIfThatIsSet() throws IOException {
    try (MessageStore store = open()) {
      receive(store, "one");
      send(store, "out");
      receive(store, "two");
      store.setNextInbound(2, BEGUN);
      receive(store, "two again");
    }
    try (MessageStore store = open()) {
      assertThat(arrived(store)).containsExactly(text(1, time(1), "one"), text(2, time(2), "two"),
          text(2, time(2), "two again"));
      store.reset(BEGUN);
      receive(store, "anew");
      assertThat(arrived(store)).containsExactly(text(1, time(1), "anew"));
    }
  }

  @Test
  void messagesThatArriveAreNotThereIfTheyAreNotKept() throws IOException {
    try (MessageStore store = FileStores.builder(folder).segmentBytes(4096).build().open(SESSION, BEGUN)) {
      receive(store, "one");
      assertThat(store.nextInbound()).isEqualTo(2);
      assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> arrived(store));
    }
  }

  @Test
  void fileOfAnotherSizeIsContinued() throws IOException {
    try (MessageStore store = open()) {
      sendNumbered(store, 10);
    }
    try (MessageStore store = StoreKind.files(folder).segmentBytes(4096).build().open(SESSION, BEGUN)) {
      sendNumbered(store, 1000);
    }
    try (MessageStore store = StoreKind.files(folder).segmentBytes(1 << 20).build().open(SESSION, BEGUN)) {
      sendNumbered(store, 1000);
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, 2010));
    }
  }

  @Test
  void emptyFileThatWasPreparedIsRemovedAtOpen() throws IOException {
    try (MessageStore store = open()) {
      sendNumbered(store, 10);
    }
    Files.write(sessionFolder().resolve("segment-0000000002"), new byte[16 * 1024]);
    byte[] half = new byte[16 * 1024];
    System.arraycopy(Files.readAllBytes(sessionFolder().resolve("segment-0000000001")), 0, half, 0, 40);
    Files.write(sessionFolder().resolve("segment-0000000003"), half);
    Files.write(sessionFolder().resolve("segment-0000000004.tmp"), new byte[7]);
    try (MessageStore store = open()) {
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, 10));
      sendNumbered(store, 1000);
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, 1010));
    }
  }

  @Test
  void missingFileInTheMiddleIsSaid() throws IOException {
    try (MessageStore store = open()) {
      sendNumbered(store, 2000);
    }
    Files.delete(sessionFolder().resolve("segment-0000000003"));
    assertThatIOException().isThrownBy(this::open).withMessageContaining("segment-0000000002 is damaged at byte")
        .withMessageContaining("recoverPrefix");
    try (MessageStore store = StoreKind.files(folder).recoverPrefix(true).build().open(SESSION, BEGUN)) {
      List<String> kept = replayed(store);
      assertThat(kept).isEqualTo(numberedTexts(1, kept.size())).hasSizeGreaterThan(100);
      sendNumbered(store, 2000);
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, kept.size() + 2000));
    }
  }
}
