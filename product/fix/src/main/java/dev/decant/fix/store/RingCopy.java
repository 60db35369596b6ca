package dev.decant.fix.store;

import dev.decant.fix.record.RecordKind;
import dev.decant.fix.record.RecordMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a {@link RecordRing} that another process may be writing to. The tail is copied first, then the records,
 * then the head. The session's thread overwrites nothing behind the head, so all records from the head of the copy to
 * its tail are whole.
 */
final class RingCopy {
  private final ByteBuffer data;
  private final RecordMemory records;
  private final long head;
  private final long tail;

  private RingCopy(ByteBuffer data, int salt, long head, long tail) {
    this.data = data;
    this.records = new RecordMemory(data, salt);
    this.head = head;
    this.tail = tail;
  }

  @FunctionalInterface
  interface Condition {
    boolean test(RecordMemory memory, int at);
  }

  @FunctionalInterface
  interface Taker {
    void take(RecordMemory memory, int at);
  }

  /** Copies the ring of a session. Returns null if there is none, or if it is empty. */
  static @Nullable RingCopy of(Path folder, List<String> problems) throws IOException {
    Path path = folder.resolve(RingFile.NAME);
    try (FileChannel channel = FileChannel.open(path)) {
      if (RecordRing.isUnwritten(channel)) {
        return null;
      }
      ByteBuffer header = read(channel, 0, RecordRing.DATA);
      int capacity = RecordRing.capacity(header);
      if (capacity < 0 || channel.size() != RecordRing.DATA + (long) capacity) {
        problems.add(path + ": it has no header of a ring");
        return null;
      }
      long tail = header.getLong(RecordRing.TAIL);
      ByteBuffer data = read(channel, RecordRing.DATA, capacity);
      long head = read(channel, RecordRing.HEAD, Long.BYTES).getLong(0);
      if (head < 0 || tail - head > capacity) {
        problems.add(path + ": its header has positions that no ring has");
        return null;
      }
      return head < tail ? new RingCopy(data, RecordRing.salt(header), head, tail) : null;
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private static ByteBuffer read(FileChannel channel, long from, int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int read = 0;
    while (read >= 0 && buffer.hasRemaining()) {
      read = channel.read(buffer, from + buffer.position());
    }
    return buffer.clear();
  }

  /** Returns true if there is a whole record with this ordinal or a later one. */
  boolean hasRecord(long nextRecord) {
    return RecordRing.hasRecord(records, data.capacity(), head, tail, nextRecord);
  }

  /** Reads the records that meet a condition. Ends at an incomplete one. */
  void read(Condition condition, Taker taker) {
    int capacity = data.capacity();
    long position = head;
    while (position < tail) {
      int at = (int) position & capacity - 1;
      int left = capacity - at;
      if (left < RecordMemory.HEADER_BYTES) {
        position += left;
        continue;
      }
      if (!records.isRecord(at, capacity, records.ordinalAt(at))) {
        return;
      }
      if (records.kindAt(at) == RecordKind.PADDING) {
        position += left;
        continue;
      }
      if (condition.test(records, at)) {
        taker.take(records, at);
      }
      position += records.after(at) - at;
    }
  }
}
