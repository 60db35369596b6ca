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

import dev.decant.fix.record.RecordMemory;
import dev.decant.fix.segment.SegmentHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A store opens with all whole records before a torn one, or reports the damage. It never invents a record. */
@Timeout(180)
class DamagedFileTest {
  private static final int SEGMENT = 4096;
  private static final int FUZZ_RUNS = 500;
  private static final int RECORDS = 20;

  @TempDir
  Path folder;
  private Path first;

  @BeforeEach
  void nameFirstFile() {
    first = folder.resolve("FIX.4.4_BANK__BROKER").resolve("segment-0000000001");
  }

  private MessageStore open() throws IOException {
    return FileStores.builder(folder).segmentBytes(SEGMENT).build().open(SESSION, BEGUN);
  }

  /** The system's message is the path alone, from which nobody sees what is wrong with it. */
  @Test
  void aFolderThatCannotBeMadeIsNamedWithTheSessionAndTheReason() throws IOException {
    Path taken = Files.createFile(first.getParent());
    assertThatIOException().isThrownBy(this::open)
        .withMessage("session " + SESSION + ": cannot make the folder " + taken
            + " of its store: java.nio.file.FileAlreadyExistsException: " + taken);
  }

  /** As above, for a file in the folder. */
  @Test
  void aFileThatCannotBeOpenedIsNamedWithTheReason() throws IOException {
    Files.createSymbolicLink(Files.createDirectory(first.getParent()).resolve("lock"), folder.resolve("away/lock"));
    assertThatIOException().isThrownBy(this::open)
        .withMessageContainingAll("cannot lock the store of session " + SESSION, "NoSuchFileException", "lock");
    Files.delete(first.resolveSibling("lock"));
    Files.createSymbolicLink(first, folder.resolve("away/segment"));
    assertThatIOException().isThrownBy(this::open)
        .withMessageContainingAll("cannot open the store of session " + SESSION, "NoSuchFileException", "segment");
  }

  /** Where the last record begins, and where it ends without the zeros behind it. */
  private int[] lastRecord(byte[] file) {
    int end = file.length;
    while (file[end - 1] == 0) {
      end--;
    }
    return new int[] {end - RecordMemory.HEADER_BYTES - numbered(RECORDS).length(), end};
  }

  private byte[] fileWithRecords() throws IOException {
    try (MessageStore store = open()) {
      sendNumbered(store, RECORDS);
    }
    return Files.readAllBytes(first);
  }

  /** What is left can be used: other messages follow, and are there when it is opened once more. */
  private void assertLastIsCut(String how) throws IOException {
    try (MessageStore store = open()) {
      assertThat(store.nextOutbound()).as(how).isEqualTo(RECORDS);
      assertThat(replayed(store)).as(how).isEqualTo(numberedTexts(1, RECORDS - 1));
      send(store, "x");
    }
    try (MessageStore store = open()) {
      assertThat(store.nextOutbound()).as(how).isEqualTo(RECORDS + 1);
      assertThat(replayed(store, RECORDS, RECORDS)).as(how).hasSize(1).first().asString().endsWith(":x");
      sendNumbered(store, 3);
      assertThat(replayed(store, RECORDS + 1, RECORDS + 9)).as(how)
          .isEqualTo(numberedTexts(RECORDS + 1, RECORDS + 3));
    }
  }

  @Test
  void fileThatEndsInTheLastRecordLosesThatAlone() throws IOException {
    byte[] file = fileWithRecords();
    int[] last = lastRecord(file);
    for (int end = last[0]; end < last[1]; end++) {
      Files.write(first, Arrays.copyOf(file, end));
      assertLastIsCut("cut at " + end);
      removeOthers();
    }
  }

  @Test
  void lastRecordOfWhichAnyPartWasNotWrittenIsCut() throws IOException {
    byte[] file = fileWithRecords();
    int[] last = lastRecord(file);
    for (int end = last[0]; end < last[1]; end++) {
      byte[] torn = file.clone();
      Arrays.fill(torn, end, last[1], (byte) 0);
      Files.write(first, torn);
      assertLastIsCut("zeros from " + end);
      removeOthers();
    }
    for (int begin = last[0] + 1; begin <= last[1]; begin++) {
      byte[] torn = file.clone();
      Arrays.fill(torn, last[0], begin, (byte) 0);
      if (!Arrays.equals(torn, file)) { // the first byte of the check may be zero anyway
        Files.write(first, torn);
        assertLastIsCut("zeros to " + begin);
        removeOthers();
      }
    }
  }

  @Test
  void lastRecordWithAChangedByteIsCut() throws IOException {
    byte[] file = fileWithRecords();
    int[] last = lastRecord(file);
    for (int at = last[0]; at < last[1]; at++) {
      for (int bit : new int[] {1, 128, 255}) {
        byte[] torn = file.clone();
        torn[at] ^= (byte) bit;
        Files.write(first, torn);
        assertLastIsCut("byte " + at + ", bits " + bit);
        removeOthers();
      }
    }
  }

  @Test
  void garbageBehindTheLastRecordIsCutAndNeverRead() throws IOException {
    byte[] file = fileWithRecords();
    int[] last = lastRecord(file);
    byte[] torn = file.clone();
    // the records of the beginning once more, behind a hole: whole, but of another place
    Arrays.fill(torn, last[0], last[1], (byte) 0);
    System.arraycopy(file, SegmentHeader.BYTES, torn, last[0] + 64, 800);
    Files.write(first, torn);
    assertLastIsCut("old records behind");
    try (MessageStore store = open()) {
      sendNumbered(store, 30);
      assertThat(replayed(store, RECORDS + 1, Long.MAX_VALUE)).isEqualTo(numberedTexts(RECORDS + 1, RECORDS + 33));
    }
  }

  @Test
  void damageInFrontOfWholeRecordsIsSaidAndNothingIsChanged() throws IOException {
    byte[] file = fileWithRecords();
    int secondToLast = lastRecord(file)[0] - 48;
    for (int at = SegmentHeader.BYTES; at < secondToLast; at += 7) {
      byte[] damaged = file.clone();
      damaged[at] ^= 64;
      Files.write(first, damaged);
      if (isPadding(file, at)) {
        continue;
      }
      assertThatIOException().as("byte " + at).isThrownBy(this::open)
          .withMessageContaining(first + " is damaged at byte").withMessageContaining("Restore the file")
          .withMessageContaining("BANK->BROKER");
      assertThat(Files.readAllBytes(first)).isEqualTo(damaged);
    }
  }

  /** The zeros that fill a record to a multiple of 8 are never read. */
  private static boolean isPadding(byte[] file, int at) {
    ByteBuffer bytes = ByteBuffer.wrap(file).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    int record = SegmentHeader.BYTES;
    while (true) {
      int length = bytes.getInt(record + 4);
      int next = record + (length + 7) / 8 * 8;
      if (at < next) {
        return at >= record + length;
      }
      record = next;
    }
  }

  @Test
  void prefixIsRecoveredIfThatIsSetAndTheRestIsKeptAside() throws IOException {
    byte[] file = fileWithRecords();
    file[file.length / 16 + 200] ^= 1;
    Files.write(first, file);
    FileStores stores = FileStores.builder(folder).segmentBytes(SEGMENT).recoverPrefix(true).build();
    int kept;
    try (MessageStore store = stores.open(SESSION, BEGUN)) {
      kept = replayed(store).size();
      assertThat(kept).isBetween(1, RECORDS - 1);
      sendNumbered(store, 5);
    }
    try (MessageStore store = open()) {
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, kept + 5));
    }
    assertThat(Files.readAllBytes(first.resolveSibling("damaged").resolve(first.getFileName()))).isEqualTo(file);
  }

  @Test
  void damagedHeaderIsSaid() throws IOException {
    byte[] file = fileWithRecords();
    for (int at = 0; at < 72; at++) {
      byte[] damaged = file.clone();
      damaged[at] ^= 2;
      Files.write(first, damaged);
      assertThatIOException().as("byte " + at).isThrownBy(this::open).withMessageContaining(first.toString());
    }
    Files.write(first, new byte[0]);
    assertThatIOException().isThrownBy(this::open).withMessageContaining(first.toString());
    Files.write(first, new byte[SEGMENT]);
    assertThatIOException().isThrownBy(this::open).withMessageContaining(first.toString());
  }

  @Test
  void damageOfAFileInTheMiddleIsSaid() throws IOException {
    try (MessageStore store = open()) {
      sendNumbered(store, 500);
    }
    Path middle = first.resolveSibling("segment-0000000003");
    byte[] file = Files.readAllBytes(middle);
    int end = lastRecord(file)[1];
    for (int at = 0; at < end; at += 61) {
      byte[] damaged = file.clone();
      damaged[at] ^= 4;
      Files.write(middle, damaged);
      if (at >= 72 && (at < SegmentHeader.BYTES || isPadding(file, at))) {
        continue;
      }
      assertThatIOException().as("byte " + at).isThrownBy(this::open)
          .withMessageContaining(middle + " is damaged at byte");
    }
    Files.write(middle, Arrays.copyOf(file, end - 1));
    assertThatIOException().isThrownBy(this::open).withMessageContaining(middle + " is damaged at byte");
    Arrays.fill(file, end - 20, end, (byte) 0);
    Files.write(middle, file);
    assertThatIOException().isThrownBy(this::open).withMessageContaining(middle + " is damaged at byte");
  }

  /** Random changes of files: whatever comes out is a beginning of what went in, or an error that names a file. */
  @Test
  void hostileFilesGiveABeginningOrAnError() throws IOException {
    long seed = Long.getLong("decant.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    try (MessageStore store = open()) {
      sendNumbered(store, 150);
    }
    List<Path> paths = segments();
    List<byte[]> contents = new ArrayList<>();
    for (Path path : paths) {
      contents.add(Files.readAllBytes(path));
    }
    for (int run = 0; run < FUZZ_RUNS; run++) {
      removeOthers();
      for (int i = 0; i < paths.size(); i++) {
        Files.write(paths.get(i), contents.get(i));
      }
      int changes = 1 + random.nextInt(4);
      for (int i = 0; i < changes; i++) {
        damage(paths.get(random.nextInt(paths.size())), random);
      }
      String when = "seed " + seed + ", run " + run;
      try (MessageStore store = open()) {
        List<String> kept = replayed(store);
        assertThat(kept).as(when).isEqualTo(numberedTexts(1, kept.size()));
        assertThat(store.nextOutbound()).as(when).isEqualTo(kept.size() + 1);
        sendNumbered(store, 100);
        assertThat(replayed(store)).as(when).isEqualTo(numberedTexts(1, kept.size() + 100));
      } catch (IOException e) {
        assertThat(e).as(when).hasMessageContaining("segment-").hasMessageContaining("BANK->BROKER");
      }
    }
  }

  private List<Path> segments() throws IOException {
    try (Stream<Path> files = Files.list(first.getParent())) {
      return files.filter(file -> file.getFileName().toString().startsWith("segment-")).sorted().toList();
    }
  }

  private void removeOthers() throws IOException {
    for (Path path : segments()) {
      if (!path.equals(first)) {
        Files.delete(path);
      }
    }
  }

  private static void damage(Path path, SplittableRandom random) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      long size = channel.size();
      int from = random.nextInt(SEGMENT);
      switch (random.nextInt(5)) {
        case 0 -> channel.truncate(Math.min(from, size));
        case 1 -> channel.write(ByteBuffer.allocate(1 + random.nextInt(300)), from);
        case 2 -> {
          byte[] noise = new byte[1 + random.nextInt(200)];
          random.nextBytes(noise);
          channel.write(ByteBuffer.wrap(noise), from);
        }
        case 3 -> channel.write(ByteBuffer.wrap(new byte[] {(byte) random.nextInt(256)}), from);
        default -> channel.write(ByteBuffer.wrap(new byte[] {(byte) -1, (byte) -1, (byte) -1, 0x7F}), from & -8);
      }
    }
  }
}
