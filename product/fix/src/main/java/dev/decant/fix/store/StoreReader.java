package dev.decant.fix.store;

import dev.decant.fix.record.NativeMemory;
import dev.decant.fix.record.RecordMemory;
import dev.decant.fix.record.SequenceNumbers;
import dev.decant.fix.segment.SegmentHeader;
import dev.decant.fix.segment.SegmentKeeper;
import dev.decant.fix.segment.SegmentLog;
import dev.decant.fix.segment.SegmentRecovery;
import dev.decant.fix.segment.SegmentSettings;
import dev.decant.fix.segment.SessionFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the files of {@link FileStores} and {@link AsyncFileStores} for operators and tools. It changes no file and
 * takes no lock, so another process may write meanwhile. The result then has all records up to some moment of the
 * reading. One thread per object.
 */
public final class StoreReader {
  private static final int MOST_ATTEMPTS = 20;
  private static final String SEGMENT = "segment-[0-9]{10}";
  private static final int PREFIX = "segment-".length();

  /** An open file, which another process may delete meanwhile, with its header at the time of opening. */
  private record OpenSegment(Path path, FileChannel channel, SegmentHeader header) {}

  private final Path folder;
  private final Consumer<StoredRecord> consumer;
  private final SequenceNumbers numbers = new SequenceNumbers(0);
  private final List<String> problems = new ArrayList<>();
  /** True after the first segment was read. */
  private boolean hasBegun;
  /** The ordinal that the next record must have. */
  private long nextRecord = 1;
  private long records;
  private long messages;
  private long bytes;
  private int files;
  private long waiting;
  /** Describes bytes behind the last record; null if there are none. */
  private @Nullable String tail;

  private StoreReader(Path folder, Consumer<StoredRecord> consumer) {
    this.folder = folder;
    this.consumer = consumer;
  }

  /**
   * Returns the folders of sessions.
   *
   * @param folder the folder of one session, or of the stores of many
   * @return the folders, in the order of their names; empty if there is no store
   * @throws IOException if they cannot be listed
   */
  public static List<Path> folders(Path folder) throws IOException {
    if (isSession(folder)) {
      return List.of(folder);
    }
    List<Path> found = new ArrayList<>();
    try (Stream<Path> below = Files.list(folder)) {
      for (Path path : below.sorted().toList()) {
        if (Files.isDirectory(path) && isSession(path)) {
          found.add(path);
        }
      }
    }
    return found;
  }

  private static boolean isSession(Path folder) throws IOException {
    try (DirectoryStream<Path> segments = Files.newDirectoryStream(folder, "segment-*")) {
      return segments.iterator().hasNext();
    }
  }

  /**
   * Reads all records of a session.
   *
   * @param folder the folder of the session
   * @param consumer receives the records in order; the bytes of a message are valid during the call
   * @return a summary of the store
   * @throws IOException if a file cannot be read. Damage is no error, but a problem in the summary
   */
  public static StoreSummary read(Path folder, Consumer<StoredRecord> consumer) throws IOException {
    StoreReader reader = new StoreReader(folder, consumer);
    reader.readAll();
    return reader.summary();
  }

  /**
   * Makes a damaged store usable with the records before the damage, as
   * {@link FileStores.Builder#recoverPrefix(boolean)} does. Files behind the damage move to the folder {@code damaged}.
   * The numbers may decrease, so both ends have to agree on them. Waiting records of an asynchronous store move to
   * segments.
   *
   * @param folder the folder of the session
   * @return the content of the store afterwards
   * @throws IOException if another process has the store open, or nothing can be recovered
   */
  public static StoreSummary repair(Path folder) throws IOException {
    SegmentHeader header = firstHeader(folder);
    Path parent = folder.toAbsolutePath().getParent();
    SegmentSettings settings = FileStores.builder(parent == null ? folder : parent)
        .segmentBytes(header.segmentBytes()).recoverPrefix(true).build().segments;
    SessionFolder locked = SessionFolder.open(folder, folder.toString(), header.session());
    SegmentLog log = SegmentLog.open(locked, folder.toString(), settings, new SegmentKeeper(),
        Math.multiplyExact(System.currentTimeMillis(), 1_000_000L));
    RingFile.recover(log, folder.toString(), settings);
    IOException failure = log.close();
    if (failure != null) {
      throw failure;
    }
    return read(folder, record -> {});
  }

  private static SegmentHeader firstHeader(Path folder) throws IOException {
    for (Path path : list(folder).values()) {
      try (FileChannel channel = FileChannel.open(path)) {
        SegmentHeader header = SegmentRecovery.readHeader(channel);
        if (header.isValid()) {
          return header;
        }
      }
    }
    throw new IOException(folder + ": no segment has a header; nothing can be recovered");
  }

  private static NavigableMap<Long, Path> list(Path folder) throws IOException {
    NavigableMap<Long, Path> found = new TreeMap<>();
    try (DirectoryStream<Path> paths = Files.newDirectoryStream(folder)) {
      for (Path path : paths) {
        String name = path.getFileName().toString();
        if (name.matches(SEGMENT)) {
          found.put(Long.parseLong(name.substring(PREFIX)), path);
        }
      }
    }
    return found;
  }

  private void readAll() throws IOException {
    // The ring is copied first: a record that leaves it later is then found in a segment. In the other order it would
    // be missing.
    RingCopy ring = RingCopy.of(folder, problems);
    List<OpenSegment> segments = open();
    try {
      // The files behind are prepared segments without records. A segment is complete when the next one has begun.
      int begun = segments.size();
      while (begun > 1 && !segments.get(begun - 1).header.isValid()) {
        begun--;
      }
      for (int i = 0; i < begun && problems.isEmpty(); i++) {
        read(segments.get(i));
      }
    } finally {
      close(segments);
    }
    if (ring != null && problems.isEmpty()) {
      ring.read(this::isNext, this::take);
      if (ring.hasRecord(nextRecord)) {
        problems.add(folder.resolve(RingFile.NAME) + ": record " + nextRecord
            + " is damaged or missing, and there are records behind it");
      }
    }
  }

  /** Opens all files. Starts again if another process deletes one between the listing and its opening. */
  private List<OpenSegment> open() throws IOException {
    for (int attempt = 1;; attempt++) {
      List<OpenSegment> opened = new ArrayList<>();
      boolean isOpen = false;
      try {
        for (Path path : list(folder).values()) {
          FileChannel channel = FileChannel.open(path);
          opened.add(new OpenSegment(path, channel, new SegmentHeader(ByteBuffer.allocate(0))));
          opened.set(opened.size() - 1, new OpenSegment(path, channel, SegmentRecovery.readHeader(channel)));
        }
        isOpen = true;
        return opened;
      } catch (NoSuchFileException e) {
        if (attempt == MOST_ATTEMPTS) {
          throw e;
        }
      } finally {
        if (!isOpen) {
          close(opened);
        }
      }
    }
  }

  private static void close(List<OpenSegment> segments) throws IOException {
    for (OpenSegment segment : segments) {
      segment.channel.close();
    }
  }

  private void read(OpenSegment segment) throws IOException {
    SegmentHeader header = segment.header;
    if (!header.isValid()) {
      problems.add(segment.path + ": it has no header of a segment");
      return;
    }
    if (hasBegun && !header.continues(nextRecord, numbers)) {
      problems.add(segment.path + ": it does not continue the segment before it; records from " + nextRecord
          + " on are missing or damaged");
      return;
    }
    if (!hasBegun) {
      SequenceNumbers first = header.numbers();
      numbers.begin(first.nextOutbound(), first.nextInbound(), first.createdEpochNanos());
      nextRecord = header.firstRecord();
      hasBegun = true;
    }
    long size = segment.channel.size();
    files++;
    bytes += size;
    int limit = (int) Math.min(size, header.segmentBytes());
    try (NativeMemory memory = NativeMemory.open()) {
      scan(new RecordMemory(memory.map(segment.channel, MapMode.READ_ONLY, limit), header.salt()), limit, segment.path);
    }
  }

  private void scan(RecordMemory memory, int limit, Path path) {
    int at = SegmentHeader.BYTES;
    int behind;
    do {
      while (isNext(memory, at, limit)) {
        int next = memory.after(at);
        take(memory, at);
        at = next;
      }
      behind = SegmentRecovery.recordBehind(memory, at, limit, nextRecord);
    } while (isNext(memory, at, limit)); // Another process may have appended meanwhile.
    tail = null;
    if (behind != SegmentRecovery.NOTHING_BEHIND) {
      problems.add(path + ": damaged at byte " + at + ", and there are records behind it");
    } else if (limit - at >= RecordMemory.HEADER_BYTES && (memory.lengthAt(at) != 0 || memory.kindAt(at) != 0)) {
      tail = path.getFileName() + ", byte " + at + ": the beginning of record " + nextRecord;
    }
  }

  private boolean isNext(RecordMemory memory, int at, int limit) {
    return memory.isRecord(at, limit, nextRecord) && numbers.accepts(memory.kindAt(at), memory.numberAt(at));
  }

  private void take(RecordMemory memory, int at) {
    int kind = memory.kindAt(at);
    long number = memory.numberAt(at);
    StoredRecord record = new StoredRecord(nextRecord, StoredRecord.Kind.of(kind), number,
        EpochNanos.instant(memory.timeAt(at)),
        memory.readOnly.slice(memory.bodyAt(at), memory.bodyEnd(at) - memory.bodyAt(at)));
    records++;
    messages += record.message().hasRemaining() ? 1 : 0;
    consumer.accept(record);
    numbers.apply(kind, number, memory.timeAt(at));
    nextRecord++;
  }

  /** Returns true if a record of the ring follows those before. It does not follow if a segment has it already. */
  private boolean isNext(RecordMemory memory, int at) {
    if (memory.ordinalAt(at) != nextRecord || !numbers.accepts(memory.kindAt(at), memory.numberAt(at))) {
      return false;
    }
    waiting++;
    return true;
  }

  private StoreSummary summary() {
    Instant created = hasBegun ? EpochNanos.instant(numbers.createdEpochNanos()) : null;
    return new StoreSummary(folder, numbers.nextOutbound(), numbers.nextInbound(), created, records, messages, files,
        bytes, waiting, tail, problems);
  }
}
