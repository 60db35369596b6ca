package dev.decant.fix.store;

import static dev.decant.fix.store.StoredMessages.BEGUN;
import static dev.decant.fix.store.StoredMessages.SESSION;
import static dev.decant.fix.store.StoredMessages.numbered;
import static dev.decant.fix.store.StoredMessages.numberedTexts;
import static dev.decant.fix.store.StoredMessages.replayed;
import static dev.decant.fix.store.StoredMessages.sendNumbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.decant.fix.record.RecordMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A ring returns the whole records before the first damaged one, and never invents a record. If whole records are
 * behind the damage, it says so.
 */
@Timeout(180)
class DamagedRingTest {
  private static final int SEGMENT = 4096;
  private static final int FUZZ_RUNS = 300;
  private static final int MESSAGES = 201;
  private static final int TAIL = 64;

  @TempDir
  Path folder;
  private Path session;
  /** The ring as a killed process leaves it. */
  private byte[] ring = {};
  private byte[][] segments = {};
  private int lastFrom;
  private int lastTo;

  /** Fills a disk, so that the last messages are in the ring alone. */
  @BeforeEach
  void leaveMessagesInTheRing() throws IOException {
    session = folder.resolve("FIX.4.4_BANK__BROKER");
    FaultyStorage storage = new FaultyStorage();
    FileStores.Builder files = FileStores.builder(folder).segmentBytes(SEGMENT);
    files.storage = storage;
    try (MessageStore store = StoreKind.async(files).open(SESSION, BEGUN)) {
      sendNumbered(store, 1);
      Await.until("the second file", () -> Files.exists(segment(2)));
      storage.isFull = true;
      sendNumbered(store, MESSAGES - 1);
    }
    ring = Files.readAllBytes(session.resolve("ring"));
    segments = new byte[][] {Files.readAllBytes(segment(1)), Files.readAllBytes(segment(2))};
    long tail = ByteBuffer.wrap(ring).order(ByteOrder.LITTLE_ENDIAN).getLong(TAIL);
    int aligned = RecordMemory.alignedBytes(numbered(MESSAGES).length());
    lastFrom = RecordRing.DATA + (int) tail - aligned;
    lastTo = lastFrom + RecordMemory.HEADER_BYTES + numbered(MESSAGES).length();
  }

  private Path segment(int ordinal) {
    return session.resolve("segment-000000000" + ordinal);
  }

  private MessageStore open() throws IOException {
    return StoreKind.async(FileStores.builder(folder).segmentBytes(SEGMENT)).open(SESSION, BEGUN);
  }

  private void restore(byte[] damagedRing) throws IOException {
    List<Path> present;
    try (Stream<Path> all = Files.list(session)) {
      present = all.filter(path -> !path.endsWith("lock") && Files.isRegularFile(path)).toList();
    }
    for (Path path : present) {
      Files.delete(path);
    }
    Files.write(segment(1), segments[0]);
    Files.write(segment(2), segments[1]);
    Files.write(session.resolve("ring"), damagedRing);
  }

  private void assertLastIsDropped(byte[] torn, String how) throws IOException {
    restore(torn);
    try (MessageStore store = open()) {
      assertThat(store.nextOutbound()).as(how).isEqualTo(MESSAGES);
      assertThat(replayed(store)).as(how).isEqualTo(numberedTexts(1, MESSAGES - 1));
      sendNumbered(store, 3);
    }
    try (MessageStore store = open()) {
      assertThat(replayed(store)).as(how).isEqualTo(numberedTexts(1, MESSAGES + 2));
    }
  }

  @Test
  void messagesOfTheRingAreMovedToTheFiles() throws IOException {
    restore(ring);
    try (MessageStore store = open()) {
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, MESSAGES));
    }
  }

  @Test
  void recordOfWhichAnyPartWasNotWrittenIsDropped() throws IOException {
    for (int end = lastFrom; end < lastTo; end++) {
      byte[] torn = ring.clone();
      Arrays.fill(torn, end, lastTo, (byte) 0);
      assertLastIsDropped(torn, "zeros from " + end);
    }
  }

  @Test
  void recordWithAChangedByteIsDropped() throws IOException {
    for (int at = lastFrom; at < lastTo; at++) {
      byte[] torn = ring.clone();
      torn[at] ^= (byte) (1 << at % 8);
      assertLastIsDropped(torn, "byte " + at);
    }
  }

  @Test
  void recordThatTheTailHasNotPassedIsDropped() throws IOException {
    byte[] torn = ring.clone();
    ByteBuffer header = ByteBuffer.wrap(torn).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(TAIL, lastFrom - RecordRing.DATA);
    assertLastIsDropped(torn, "the tail before it");
  }

  private int recordBeforeTheLast() {
    return lastFrom - RecordMemory.alignedBytes(numbered(MESSAGES - 1).length());
  }

  /** The store once opened without the records behind the damage, and used their numbers again. */
  @Test
  void damageInFrontOfAWholeRecordIsSaid() throws IOException {
    byte[] damaged = ring.clone();
    damaged[recordBeforeTheLast() + RecordMemory.HEADER_BYTES] ^= 1;
    restore(damaged);
    assertThat(StoreReader.read(session, record -> {}).problems()).singleElement().asString()
        .contains("ring: record ", "is damaged or missing, and there are records behind it");

    assertThatIOException().isThrownBy(this::open).withMessageContaining("ring is damaged at byte ")
        .withMessageContaining("there is a whole record behind it").withMessageContaining("recoverPrefix");
    FileStores.Builder files = FileStores.builder(folder).segmentBytes(SEGMENT).recoverPrefix(true);
    try (MessageStore store = StoreKind.async(files).open(SESSION, BEGUN)) {
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, MESSAGES - 2));
    }
    assertThat(session.resolve("damaged").resolve("ring")).hasBinaryContent(damaged);
  }

  @Test
  void readerOfARingWithImpossiblePositionsSaysSo() throws IOException {
    byte[] damaged = ring.clone();
    ByteBuffer.wrap(damaged).order(ByteOrder.LITTLE_ENDIAN).putLong(TAIL, 1L << 60);
    restore(damaged);

    assertThat(StoreReader.read(session, record -> {}).problems()).singleElement().asString()
        .contains("its header has positions that no ring has");
  }

  @Test
  void recordsThatTheFilesHaveAlreadyAreNotTakenAgain() throws IOException {
    byte[] stale = ring.clone();
    int head = 128;
    ByteBuffer.wrap(stale).putLong(head, 0);
    restore(stale);
    for (int i = 0; i < 3; i++) {
      try (MessageStore store = open()) {
        assertThat(replayed(store)).isEqualTo(numberedTexts(1, MESSAGES));
      }
      Files.write(session.resolve("ring"), stale);
    }
  }

  @Test
  void ringWithoutItsHeaderIsSaidAndSetAsideIfThatIsSet() throws IOException {
    byte[] damaged = ring.clone();
    damaged[3] ^= 1;
    restore(damaged);
    assertThatIOException().isThrownBy(this::open).withMessageContaining("ring is damaged at byte 0")
        .withMessageContaining("recoverPrefix");
    FileStores.Builder files = FileStores.builder(folder).segmentBytes(SEGMENT).recoverPrefix(true);
    try (MessageStore store = StoreKind.async(files).open(SESSION, BEGUN)) {
      List<String> kept = replayed(store);
      assertThat(kept).isEqualTo(numberedTexts(1, kept.size())).hasSizeBetween(100, MESSAGES - 1);
    }
    assertThat(session.resolve("damaged").resolve("ring")).exists();
  }

  @Test
  void ringThatNeverReachedTheDiskIsNone() throws IOException {
    restore(new byte[ring.length]);
    open().close();
    restore(new byte[0]);
    open().close();
  }

  @Test
  void damagedRingGivesAPrefixOrIsSaid() throws IOException {
    long seed = Long.getLong("decant.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    for (int run = 0; run < FUZZ_RUNS; run++) {
      byte[] damaged = random.nextInt(10) == 0 ? Arrays.copyOf(ring, random.nextInt(ring.length)) : ring.clone();
      int end = random.nextInt(4) == 0 ? RecordRing.DATA : lastTo;
      for (int i = random.nextInt(20); i >= 0; i--) {
        damaged[random.nextInt(Math.min(damaged.length, end) + 1) % damaged.length] = (byte) random.nextInt(256);
      }
      restore(damaged);
      String how = "seed " + seed + ", run " + run;
      try (MessageStore store = open()) {
        List<String> kept = replayed(store);
        assertThat(kept).as(how).isEqualTo(numberedTexts(1, kept.size())).hasSizeGreaterThan(100);
        assertThat(store.nextOutbound()).as(how).isEqualTo(kept.size() + 1);
      } catch (IOException e) {
        assertThat(e).as(how).hasMessageContaining("damaged");
      }
    }
  }
}
