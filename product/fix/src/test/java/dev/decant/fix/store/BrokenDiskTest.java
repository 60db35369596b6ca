package dev.decant.fix.store;

import static dev.decant.fix.store.StoredMessages.BEGUN;
import static dev.decant.fix.store.StoredMessages.SESSION;
import static dev.decant.fix.store.StoredMessages.numbered;
import static dev.decant.fix.store.StoredMessages.numberedTexts;
import static dev.decant.fix.store.StoredMessages.replayed;
import static dev.decant.fix.store.StoredMessages.send;
import static dev.decant.fix.store.StoredMessages.sendNumbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.decant.fix.record.RecordKind;
import dev.decant.fix.segment.SegmentLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A disk that is full, broken or slow refuses changes, and accepts them when it works again. */
@Timeout(60)
class BrokenDiskTest {
  private static final int SEGMENT = 4096;

  @TempDir
  Path folder;
  private final FaultyStorage storage = new FaultyStorage();

  private FileStores.Builder settings() {
    FileStores.Builder builder = FileStores.builder(folder).segmentBytes(SEGMENT);
    builder.storage = storage;
    return builder;
  }

  private void awaitPrepared() {
    Path sessionFolder = folder.resolve("FIX.4.4_BANK__BROKER");
    Await.until("the second file", () -> Files.exists(sessionFolder.resolve("segment-0000000002")));
  }

  private static long sendUntilRefused(MessageStore store) {
    while (send(store, numbered(store.nextOutbound()))) {
      assertThat(store.failure()).isNull();
    }
    return store.nextOutbound();
  }

  @Test
  void messageThatAFullDiskCannotTakeIsRefusedUntilItCan() throws IOException {
    try (MessageStore store = settings().build().open(SESSION, BEGUN)) {
      sendNumbered(store, 1);
      awaitPrepared();
      storage.isFull = true;
      long refused = sendUntilRefused(store);
      assertThat(refused).isBetween(2L, 300L);
      assertThat(store.failure()).hasMessageContaining("No space left").hasMessageContaining("segment-");
      assertThat(send(store, numbered(refused))).isFalse();
      assertThat(store.setNextInbound(9, BEGUN)).isIn(true, false);
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, refused - 1));

      storage.isFull = false;
      Await.until("the disk is used again", () -> send(store, numbered(refused)));
      assertThat(store.failure()).isNull();
      sendNumbered(store, 500);
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, refused + 500));
    }
    try (MessageStore store = settings().build().open(SESSION, BEGUN)) {
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, store.nextOutbound() - 1)).hasSizeGreaterThan(500);
    }
  }

  @Test
  void storeWhoseDiskIsFullIsClosedAndOpenedWithAllThatItTook() throws IOException {
    long refused;
    try (MessageStore store = settings().build().open(SESSION, BEGUN)) {
      sendNumbered(store, 1);
      awaitPrepared();
      storage.isFull = true;
      refused = sendUntilRefused(store);
    }
    assertThatIOException().isThrownBy(() -> settings().build().open(SESSION, BEGUN))
        .withMessageContaining("No space left").withMessageContaining("BANK->BROKER");
    storage.isFull = false;
    try (MessageStore store = settings().build().open(SESSION, BEGUN)) {
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, refused - 1));
    }
  }

  @Test
  void resetIsARecordWhileTheDiskIsFull() throws IOException {
    try (MessageStore store = settings().build().open(SESSION, BEGUN)) {
      sendNumbered(store, 1);
      awaitPrepared();
      storage.isFull = true;
      for (int day = 1; day <= 20; day++) {
        assertThat(store.reset(BEGUN + day)).isTrue();
        sendNumbered(store, 2);
        assertThat(replayed(store)).isEqualTo(numberedTexts(1, 2));
      }
    }
  }

  @Test
  void newStoreOnAFullDiskIsAnError() {
    storage.isFull = true;
    assertThatIOException().isThrownBy(() -> settings().build().open(SESSION, BEGUN))
        .withMessageContaining("No space left").withMessageContaining("BANK->BROKER");
  }

  @Test
  void appendWaitsForAFileThatIsNotReadyAndThenIsRefused() throws IOException {
    Semaphore permits = new Semaphore(2); // for the first file, and the second
    storage.permits = permits;
    try (MessageStore store = settings().maxWait(Duration.ofMillis(20)).build().open(SESSION, BEGUN)) {
      sendUntilRefused(store);
      assertThat(store.failure()).hasMessageContaining("not ready");
      permits.release(1000);
      sendNumbered(store, 500);
    }
  }

  @Test
  void commitForcesAllMessagesSinceTheLastOneAtOnce() throws IOException {
    try (MessageStore store = settings().forceEveryMessage().build().open(SESSION, BEGUN)) {
      assertThat(store.commit()).isTrue();
      int before = storage.forces.get();
      sendNumbered(store, 10);
      assertThat(storage.forces.get()).isEqualTo(before);
      assertThat(store.commit()).isTrue();
      assertThat(storage.forces.get()).isEqualTo(before + 1);
      assertThat(storage.forcedTo - storage.forcedFrom).isEqualTo(10 * 48);
      assertThat(store.commit()).isTrue();
      assertThat(storage.forces.get()).isEqualTo(before + 1);

      sendNumbered(store, 200);
      assertThat(store.commit()).isTrue();
      assertThat(storage.forces.get()).isGreaterThan(before + 3);
    }
  }

  @Test
  void commitThatCannotForceFailsUntilItCan() throws IOException {
    try (MessageStore store = settings().forceEveryMessage().build().open(SESSION, BEGUN)) {
      sendNumbered(store, 100);
      storage.isBroken = true;
      assertThat(store.commit()).isFalse();
      assertThat(store.failure()).hasMessageContaining("Input/output error");
      sendNumbered(store, 100);
      assertThat(store.commit()).isFalse();
      storage.isBroken = false;
      assertThat(store.commit()).isTrue();
      assertThat(store.failure()).isNull();
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, 200));
    }
  }

  private boolean isThere(int segment) {
    return Files.exists(folder.resolve("FIX.4.4_BANK__BROKER").resolve("segment-000000000" + segment));
  }

  /** Opens a log with three messages, which a reset makes obsolete. The reset is in the next file. */
  private SegmentLog openAndReset(FileStores stores) throws IOException {
    SegmentLog log = stores.openLog(SESSION, BEGUN);
    for (long number = 1; number <= 3; number++) {
      assertThat(log.append(RecordKind.OUTBOUND, number, BEGUN, StoredMessages.bytes(numbered(1)), 0, 9)).isTrue();
    }
    Await.until("the next file", () -> !log.isSegmentPending());
    storage.isBroken = true;
    assertThat(log.append(RecordKind.RESET, 1, BEGUN + 1, StoredMessages.bytes(""), 0, 0)).isTrue();
    Await.until("the third file, which is made after deletions", () -> !log.isSegmentPending());
    assertThat(isThere(3)).isTrue();
    assertThat(isThere(1)).isTrue();
    return log;
  }

  /**
   * A crash of the machine before the force would leave neither the old numbers nor the reset: the store could not be
   * opened at all.
   */
  @Test
  void filesBeforeAResetStayUntilTheResetIsForced() throws IOException {
    SegmentLog log = openAndReset(settings().forceEveryMessage().build());
    assertThat(log.force()).isFalse();
    assertThat(isThere(1)).isTrue();
    storage.isBroken = false;
    assertThat(log.force()).isTrue();
    Await.until("the deletion", () -> !isThere(1));
    log.close();
  }

  @Test
  void filesBeforeAResetStayUntilAnIntervalHasForcedIt() throws IOException {
    SegmentLog log = openAndReset(settings().forceAtIntervals(Duration.ofMillis(1)).build());
    storage.isBroken = false;
    Await.until("the deletion", () -> !isThere(1));
    log.close();
  }

  @Test
  void logThatIsClosedBeforeItsResetIsForcedLeavesAllFiles() throws IOException {
    SegmentLog log = openAndReset(settings().forceEveryMessage().build());
    log.close();
    assertThat(isThere(1)).isTrue();
    storage.isBroken = false;
    try (MessageStore again = settings().forceEveryMessage().build().open(SESSION, BEGUN)) {
      assertThat(again.nextOutbound()).isOne();
      assertThat(again.createdEpochNanos()).isEqualTo(BEGUN + 1);
      Await.until("the deletion", () -> !isThere(1));
    }
  }

  @Test
  void bytesAreForcedWithinAnIntervalAndNotWithoutNeed() throws IOException {
    FileStores stores = settings().forceAtIntervals(Duration.ofMillis(1)).build();
    try (MessageStore store = stores.open(SESSION, BEGUN)) {
      for (int i = 0; i < 20; i++) {
        int before = storage.forces.get();
        sendNumbered(store, 20);
        Await.until("a force", () -> storage.forces.get() > before);
        assertThat(store.commit()).isTrue();
      }
    }
  }

  @Test
  void forceAtAnIntervalThatFailsIsSaidUntilOneSucceeds() throws IOException {
    FileStores stores = settings().forceAtIntervals(Duration.ofMillis(1)).build();
    try (MessageStore store = stores.open(SESSION, BEGUN)) {
      storage.isBroken = true;
      sendNumbered(store, 1);
      Await.until("the failure", () -> !store.commit());
      assertThat(store.failure()).hasMessageContaining("Input/output error").hasMessageContaining("segment-");
      storage.isBroken = false;
      Await.until("the next force", store::commit);
      assertThat(store.failure()).isNull();
    }
  }

  @Test
  void storeThatCannotForceAtItsEndSaysSo() throws IOException {
    MessageStore store = settings().forceEveryMessage().build().open(SESSION, BEGUN);
    sendNumbered(store, 1);
    storage.isBroken = true;
    store.close();
    assertThat(store.failure()).hasMessageContaining("Input/output error");
    storage.isBroken = false;
    settings().build().open(SESSION, BEGUN).close();
  }

  /** A caller that asked whether the segment is pending would take this for a broken disk, and refuse a message. */
  @Test
  void segmentThatIsMadeRightAfterARefusalIsNoFailure() throws IOException {
    Semaphore permits = new Semaphore(2); // for the first file and the second
    storage.permits = permits;
    SegmentLog log = settings().build().openLog(SESSION, BEGUN);
    try {
      long number = 1;
      while (log.append(RecordKind.OUTBOUND, number, BEGUN, StoredMessages.bytes(numbered(1)), 0, 9)) {
        number++;
      }
      permits.release(100);
      Await.until("the next segment", () -> !log.isSegmentPending());
      assertThat(log.failure()).isNull();
      assertThat(log.append(RecordKind.OUTBOUND, number, BEGUN, StoredMessages.bytes(numbered(1)), 0, 9)).isTrue();
    } finally {
      permits.release(100);
      log.close();
    }
  }
}
