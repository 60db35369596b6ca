package dev.decant.fix.segment;

import dev.decant.fix.record.RecordKind;
import dev.decant.fix.record.RecordMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.NavigableMap;

/**
 * Reads the segments of a store when it is opened.
 *
 * <p>A killed process leaves at most one incomplete record, behind all others, and at most one segment that has not
 * begun, behind the last. Both are removed. Any other damage is an error, unless the store is opened to recover the
 * records before it. Then the files behind the damage move to the folder {@code damaged}.
 *
 * <p>Used by one thread, once.
 */
public final class SegmentRecovery {
  private static final String DAMAGED = "damaged";
  private static final int CHUNK_BYTES = 64 * 1024;
  /** Limit of the search for a record behind a damaged one: this many times the size of the segment is checked. */
  private static final int SEARCH_FACTOR = 4;
  /** {@link #recordBehind} returns this if it finds no record. */
  public static final int NOTHING_BEHIND = -1;
  static final int CANNOT_TELL = -2;

  private final SegmentFiles files;
  private final SegmentList list = new SegmentList();

  private SegmentRecovery(SegmentFiles files) {
    this.files = files;
  }

  /**
   * Reads all segments.
   *
   * @return the segments; empty if there is none
   * @throws IOException if one is damaged; the message names the file, the byte, and what to do
   */
  static SegmentList recover(SegmentFiles files, boolean recoversPrefix) throws IOException {
    SegmentRecovery recovery = new SegmentRecovery(files);
    boolean isRead = false;
    try {
      recovery.readAll();
      isRead = true;
      return recovery.list;
    } catch (DamagedFileException e) {
      if (!recoversPrefix) {
        throw e;
      }
      recovery.cut(e);
    } finally {
      if (!isRead) {
        recovery.list.close();
      }
    }
    return recover(files, false);
  }

  private void readAll() throws IOException {
    NavigableMap<Long, Path> found = files.list();
    while (found.size() > 1 && !hasBegun(found.lastEntry().getValue())) {
      Files.delete(found.pollLastEntry().getValue());
    }
    for (Map.Entry<Long, Path> file : found.entrySet()) {
      read(file.getKey(), file.getValue(), file.getKey().equals(found.lastKey()));
    }
    if (files.forces()) {
      for (int i = 0; i < list.count(); i++) {
        list.get(i).force(files.storage);
      }
    }
  }

  /** Returns true if a file has content to keep: a header, or bytes in the place of records. */
  private static boolean hasBegun(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path)) {
      SegmentHeader header = readHeader(channel);
      if (header.isValid()) {
        return true;
      }
      long size = channel.size();
      if (size > SegmentSettings.MAX_BYTES) {
        throw new DamagedFileException(path, 0, "it is larger than any segment");
      }
      // Only a file of full length can contain a part of a header.
      return !isZero(channel, size < SegmentSettings.MIN_BYTES ? 0 : SegmentHeader.BYTES, size);
    }
  }

  private static boolean isZero(FileChannel channel, long from, long to) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
    long at = from;
    while (at < to) {
      chunk.clear();
      int read = channel.read(chunk, at);
      if (read < 0) {
        return true;
      }
      for (int i = 0; i < read; i++) {
        if (chunk.get(i) != 0) {
          return false;
        }
      }
      at += read;
    }
    return true;
  }

  /** Returns the header. Its buffer is shorter if the file is. */
  public static SegmentHeader readHeader(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(SegmentHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    int read = 0;
    while (read >= 0 && bytes.hasRemaining()) {
      read = channel.read(bytes, bytes.position());
    }
    return new SegmentHeader(bytes.flip().slice().order(ByteOrder.LITTLE_ENDIAN));
  }

  private void read(long ordinal, Path path, boolean isLast) throws IOException {
    Segment segment = map(ordinal, path, isLast);
    boolean isRead = false;
    try {
      if (list.count() > 0) {
        requireContinuation(segment);
      }
      isRead = true;
    } finally {
      if (!isRead) {
        segment.close();
      }
    }
    list.add(segment);
    int end = scan(segment);
    if (isLast) {
      requireNothingBehind(segment, end);
      begin(segment);
    }
  }

  private Segment map(long ordinal, Path path, boolean isLast) throws IOException {
    try (FileChannel channel = isLast
        ? FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)
        : FileChannel.open(path)) {
      SegmentHeader header = readHeader(channel);
      if (!header.isValid() || header.ordinal() != ordinal) {
        throw new DamagedFileException(path, 0, "it has no header of this segment");
      }
      if (header.session() != files.session) {
        throw new IOException(path + " belongs to another session. Move it away, or correct the session's identity");
      }
      int bytes = header.segmentBytes();
      if (channel.size() < bytes && !isLast) {
        throw new DamagedFileException(path, channel.size(), "the rest is missing");
      }
      if (channel.size() < bytes) {
        files.storage.writeZeros(channel, channel.size(), bytes);
      }
      Segment segment = Segment.map(path, ordinal, channel, isLast ? MapMode.READ_WRITE : MapMode.READ_ONLY, bytes);
      segment.records.salt(header.salt());
      return segment;
    }
  }

  private void requireContinuation(Segment segment) throws DamagedFileException {
    Segment before = list.last();
    if (segment.ordinal != before.ordinal + 1) {
      throw new DamagedFileException(before.path, before.end(),
          "the segment behind it is missing, and there are later ones");
    }
    if (!segment.header.continues(list.nextRecord(), list.numbers)) {
      throw new DamagedFileException(before.path, before.end(), "there must be more records before the next segment");
    }
    before.next = segment;
  }

  /** Applies the records of the last segment in the list, and returns where they end. */
  private int scan(Segment segment) {
    RecordMemory records = segment.records;
    int limit = segment.bytes();
    int at = SegmentHeader.BYTES;
    while (records.isRecord(at, limit, list.nextRecord()) && segment.index.hasRoom()
        && list.numbers.accepts(records.kindAt(at), records.numberAt(at))) {
      list.apply(at, records.kindAt(at), records.numberAt(at), records.timeAt(at));
      at = records.after(at);
    }
    segment.end(at);
    return at;
  }

  /** Throws if there is a record behind the end. Then the damage is not an incomplete last record. */
  private void requireNothingBehind(Segment segment, int end) throws DamagedFileException {
    int at = recordBehind(segment.records, end, segment.bytes(), list.nextRecord());
    if (at != NOTHING_BEHIND) {
      throw new DamagedFileException(segment.path, end, at == CANNOT_TELL
          ? "what is behind it cannot be told from records"
          : "there is a whole record behind it, at " + at);
    }
  }

  /**
   * Returns the position of a record behind the end of the others; {@link #NOTHING_BEHIND} if there is none, and
   * {@link #CANNOT_TELL} if the search reached its limit.
   */
  public static int recordBehind(RecordMemory records, int end, int limit, long nextRecord) {
    return recordBehind(records, end, limit, nextRecord, (limit - end) / RecordMemory.HEADER_BYTES);
  }

  /**
   * Does the same for a part of the memory that was behind the end.
   *
   * @param mostRecords how many records may be behind the end
   */
  public static int recordBehind(RecordMemory records, int end, int limit, long nextRecord, int mostRecords) {
    long budget = (long) SEARCH_FACTOR * limit;
    for (int at = end + RecordMemory.ALIGNMENT; at + RecordMemory.HEADER_BYTES <= limit; at += RecordMemory.ALIGNMENT) {
      int kind = records.kindAt(at);
      // The rest of a segment is mostly zeros, of which nothing more is read: this is most of the time of an opening.
      if (kind == 0 || kind > RecordKind.RESET) {
        continue;
      }
      long ordinal = records.ordinalAt(at);
      if (ordinal < nextRecord || ordinal > nextRecord + mostRecords) {
        continue;
      }
      if (records.isRecord(at, limit, ordinal)) {
        return at;
      }
      budget -= Math.clamp(records.lengthAt(at), 0, limit);
      if (budget < 0) {
        return CANNOT_TELL;
      }
    }
    return NOTHING_BEHIND;
  }

  /** Prepares the last segment for records: bytes behind its end become zeros that occupy space on the disk. */
  private void begin(Segment segment) throws IOException {
    try (FileChannel channel = FileChannel.open(segment.path, StandardOpenOption.WRITE)) {
      files.storage.writeZeros(channel, segment.end(), segment.bytes());
    }
    segment.touch(segment.end());
  }

  /** Removes the bytes behind the last valid record, and keeps a copy of them. */
  private void cut(DamagedFileException damage) throws IOException {
    if (list.count() == 0) {
      throw new IOException("nothing of the store can be recovered: " + damage.getMessage(), damage);
    }
    Segment last = list.last();
    for (Path later : files.list().tailMap(last.ordinal, false).values()) {
      files.move(later, DAMAGED);
    }
    files.copy(last.path, DAMAGED);
    try (FileChannel channel = FileChannel.open(last.path, StandardOpenOption.WRITE)) {
      files.storage.writeZeros(channel, last.end(), last.bytes());
    }
  }
}
