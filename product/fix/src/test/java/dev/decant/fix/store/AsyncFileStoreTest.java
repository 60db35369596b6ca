package dev.decant.fix.store;

import static dev.decant.fix.store.StoredMessages.BEGUN;
import static dev.decant.fix.store.StoredMessages.SESSION;
import static dev.decant.fix.store.StoredMessages.arrived;
import static dev.decant.fix.store.StoredMessages.bytes;
import static dev.decant.fix.store.StoredMessages.numbered;
import static dev.decant.fix.store.StoredMessages.numberedTexts;
import static dev.decant.fix.store.StoredMessages.replayed;
import static dev.decant.fix.store.StoredMessages.send;
import static dev.decant.fix.store.StoredMessages.sendNumbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The ring takes records that the files cannot take yet, and loses none. */
@Timeout(120)
class AsyncFileStoreTest {
  private static final int SEGMENT = 4096;
  private static final int ROUNDS = 30;

  @TempDir
  Path folder;
  private final FaultyStorage storage = new FaultyStorage();

  private FileStores.Builder files() {
    FileStores.Builder builder = FileStores.builder(folder).segmentBytes(SEGMENT).keepInbound(true);
    builder.storage = storage;
    return builder;
  }

  private MessageStore open() throws IOException {
    return StoreKind.async(files()).open(SESSION, BEGUN);
  }

  /** Fills the files that there are, so that all that follows stays in the ring. */
  private void fillFiles(MessageStore store) {
    sendNumbered(store, 1);
    Path second = folder.resolve("FIX.4.4_BANK__BROKER").resolve("segment-0000000002");
    Await.until("the second file", () -> Files.exists(second));
    storage.isFull = true;
    sendNumbered(store, 200);
  }

  private static long sendUntilRefused(MessageStore store) {
    while (send(store, numbered(store.nextOutbound()))) {
      assertThat(store.failure()).isNull();
    }
    return store.nextOutbound();
  }

  @Test
  void ringTakesMessagesWhileTheDiskIsFullAndRefusesThemWhenItIsFullItself() throws IOException {
    try (MessageStore store = open()) {
      fillFiles(store);
      long refused = sendUntilRefused(store);
      assertThat(refused).isGreaterThan(1000);
      assertThat(store.failure()).hasMessageContaining("No space left");
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, refused - 1));

      storage.isFull = false;
      Await.until("the disk is used again", () -> send(store, numbered(refused)));
      assertThat(store.failure()).isNull();
      sendNumbered(store, 2000);
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, refused + 2000));
    }
    try (MessageStore store = open()) {
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, store.nextOutbound() - 1)).hasSizeGreaterThan(3000);
    }
  }

  @Test
  void fullRingWaitsForASlowDiskAndThenRefuses() throws IOException {
    Semaphore permits = new Semaphore(3); // for the first file, the ring, and the second file
    storage.permits = permits;
    AsyncFileStores stores = AsyncFileStores.builder(files().build()).ringBytes(RecordRing.MIN_BYTES)
        .maxWait(Duration.ofMillis(20)).build();
    try (MessageStore store = stores.open(SESSION, BEGUN)) {
      sendUntilRefused(store);
      assertThat(store.failure()).hasMessageContaining("full").hasMessageContaining("slow");
      permits.release(1000);
      // on a busy machine the disk may take longer than the store waits
      Await.until("the disk is used again", () -> send(store, numbered(store.nextOutbound())));
    }
  }

  @Test
  void fullRingRefusesAtOnceIfThatIsSet() throws IOException {
    AsyncFileStores stores = AsyncFileStores.builder(files().build()).ringBytes(RecordRing.MIN_BYTES)
        .maxWait(Duration.ZERO).build();
    try (MessageStore store = stores.open(SESSION, BEGUN)) {
      fillFiles(store);
      sendUntilRefused(store);
      assertThat(store.failure()).isNotNull();
      storage.isFull = false;
      Await.until("the disk is used again", () -> send(store, numbered(store.nextOutbound())));
    }
  }

  @Test
  void storeThatIsClosedOnAFullDiskSaysSoAndKeepsTheRestInTheRing() throws IOException {
    MessageStore store = open();
    fillFiles(store);
    store.close();
    assertThat(store.failure()).hasMessageContaining("No space left");
    storage.isFull = false;
    try (MessageStore again = open()) {
      assertThat(replayed(again)).isEqualTo(numberedTexts(1, 201));
    }
    try (MessageStore again = open()) {
      assertThat(replayed(again)).isEqualTo(numberedTexts(1, 201));
    }
  }

  @Test
  void fileStoreTakesWhatARingHasKept() throws IOException {
    MessageStore store = open();
    fillFiles(store);
    store.close();
    storage.isFull = false;
    try (MessageStore again = files().build().open(SESSION, BEGUN)) {
      assertThat(replayed(again)).isEqualTo(numberedTexts(1, 201));
      sendNumbered(again, 10);
    }
    try (MessageStore again = open()) {
      assertThat(replayed(again)).isEqualTo(numberedTexts(1, 211));
    }
  }

  /** The numbers are set back and begin anew in records that are in the ring alone. */
  @Test
  void changesInTheRingAreSeenAsThoseInTheFiles() throws IOException {
    long seed = Long.getLong("decant.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < ROUNDS; round++) {
      StoreModel model = new StoreModel(BEGUN);
      storage.isFull = false;
      try (MessageStore store = open()) {
        model.reset(BEGUN + round);
        store.reset(BEGUN + round);
        storage.isFull = true;
        for (int i = 0; i < 500; i++) {
          change(random.nextInt(200), random, store);
          change(random, store, model);
        }
        String when = "seed " + seed + ", round " + round;
        long from = 1 + random.nextLong(model.nextOutbound());
        assertThat(replayed(store, from, from + 50)).as(when).isEqualTo(model.outbound(from, from + 50));
        assertThat(replayed(store)).as(when).isEqualTo(model.outbound(1, Long.MAX_VALUE));
        assertThat(arrived(store)).as(when).isEqualTo(model.arrived());
        assertThat(store.nextInbound()).as(when).isEqualTo(model.nextInbound());
      }
    }
  }

  /** Looks at the store at times: a replay moves what can be moved. */
  private static void change(int choice, SplittableRandom random, MessageStore store) throws IOException {
    if (choice == 0) {
      replayed(store, 1 + random.nextInt(100), 50);
    }
  }

  private static void change(SplittableRandom random, MessageStore store, StoreModel model) {
    int choice = random.nextInt(100);
    long time = BEGUN + random.nextInt(1_000_000);
    String body = numbered(random.nextInt(1000));
    if (choice < 60) {
      assertThat(store.appendOutbound(store.nextOutbound(), time, bytes(body), 0, body.length())).isTrue();
      model.appendOutbound(model.nextOutbound(), time, bytes(body), 0, body.length());
    } else if (choice < 90) {
      assertThat(store.appendInbound(store.nextInbound(), time, bytes(body), 0, body.length())).isTrue();
      model.appendInbound(model.nextInbound(), time, bytes(body), 0, body.length());
    } else if (choice < 99) {
      long number = Math.max(1, model.nextOutbound() + random.nextInt(20) - 15);
      assertThat(store.setNextOutbound(number, time)).isTrue();
      model.setNextOutbound(number, time);
    } else if (random.nextInt(4) == 0) {
      assertThat(store.reset(time)).isTrue();
      model.reset(time);
    }
  }

  @Test
  void handlerMayAppendWhileItReadsTheRing() throws IOException {
    try (MessageStore store = open()) {
      fillFiles(store);
      store.replayOutbound(1, 201, (number, time, buffer, from, to) -> send(store, numbered(store.nextOutbound())));
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, 402));
    }
  }

  @Test
  void commitWaitsUntilTheThreadHasForced() throws IOException {
    try (MessageStore store = StoreKind.async(files().forceEveryMessage()).open(SESSION, BEGUN)) {
      for (int i = 0; i < 50; i++) {
        int before = storage.forces.get();
        sendNumbered(store, 3);
        assertThat(store.commit()).isTrue();
        assertThat(storage.forces.get()).isGreaterThan(before);
      }
      int before = storage.forces.get();
      assertThat(store.commit()).isTrue();
      assertThat(storage.forces.get()).isEqualTo(before);
    }
  }

  @Test
  void commitOfAHandlerForcesWhileItReads() throws IOException {
    try (MessageStore store = StoreKind.async(files().forceEveryMessage()).open(SESSION, BEGUN)) {
      sendNumbered(store, 20);
      store.replayOutbound(1, 20,
          (number, time, buffer, from, to) -> send(store, numbered(store.nextOutbound())) && store.commit());
      assertThat(store.nextOutbound()).isEqualTo(41);
    }
  }

  @Test
  void commitThatCannotForceFailsUntilItCan() throws IOException {
    try (MessageStore store = StoreKind.async(files().forceEveryMessage()).open(SESSION, BEGUN)) {
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

  @Test
  void commitFailsWhileMessagesCannotReachTheFilesThatAreForced() throws IOException {
    try (MessageStore store = StoreKind.async(files().forceEveryMessage()).open(SESSION, BEGUN)) {
      fillFiles(store);
      assertThat(store.commit()).isFalse();
      assertThat(store.failure()).hasMessageContaining("No space left");
      storage.isFull = false;
      Await.until("the disk is used again", store::commit);
    }
  }

  @Test
  void failedForceAtAnIntervalIsSaidUntilOneSucceeds() throws IOException {
    FileStores.Builder files = files().forceAtIntervals(Duration.ofMillis(1));
    try (MessageStore store = StoreKind.async(files).open(SESSION, BEGUN)) {
      storage.isBroken = true;
      sendNumbered(store, 1);
      Await.until("the failure", () -> !store.commit());
      assertThat(store.failure()).hasMessageContaining("Input/output error");
      storage.isBroken = false;
      Await.until("the next force", store::commit);
    }
  }

  @Test
  void threadSleepsWhileNothingArrivesAndWakesForTheNextMessage() throws IOException {
    try (MessageStore store = open()) {
      Thread writer = RingWriterThreads.only();
      for (int i = 0; i < 20; i++) {
        Await.until("sleep", () -> writer.getState() == Thread.State.WAITING);
        sendNumbered(store, 1);
        Await.until("the writer", ((AsyncFileStore) store)::isMoved);
      }
    }
    Await.until("the end of the thread", () -> RingWriterThreads.all().isEmpty());
  }
}
