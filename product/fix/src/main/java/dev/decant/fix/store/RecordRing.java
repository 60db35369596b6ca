package dev.decant.fix.store;

import dev.decant.fix.record.NativeMemory;
import dev.decant.fix.record.RecordKind;
import dev.decant.fix.record.RecordMemory;
import dev.decant.fix.segment.DamagedFileException;
import dev.decant.fix.segment.SegmentLog;
import dev.decant.fix.segment.SegmentRecovery;
import dev.decant.fix.store.MessageStore.Replay;
import dev.decant.ring.ByteRing;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.zip.CRC32C;

/**
 * Records on their way from the thread of a session to the thread that writes segments. The ring is a mapped file, so
 * its records survive the end of the process.
 *
 * <pre>
 *   0     magic         long   "FIX RING"
 *   8     version       int    1
 *   12    data bytes    int    a power of two
 *   16    session       long   hash of the session's identity
 *   24    salt          int    see RecordMemory
 *   28    check         int    CRC32C of the bytes from 0 to 28
 *   64    tail          long   position after the last record; stored by the session's thread
 *   128   head          long   position of the first record that is in no segment; stored by the writer
 *   4096  records              see RecordMemory; a position p is at 4096 + p modulo data bytes
 * </pre>
 *
 * <p>A record is never split. If it does not fit before the end, it begins at the start. The rest before the end is
 * padding, or is shorter than a record's header.
 *
 * <p>A kill at any time loses nothing, because of the order of stores. A record is complete before the tail passes it.
 * It is in a segment before the head passes it. Only then does the session's thread overwrite it.
 *
 * <p>Tail and head of the file are for other processes. The threads of this one use those of a {@link ByteRing}, which
 * are stored after them.
 */
final class RecordRing implements AutoCloseable {
  static final int MIN_BYTES = 64 * 1024;
  static final int MAX_BYTES = 1 << 30;
  static final int DATA = 4096;

  private static final long MAGIC = 0x474E_4952_2058_4946L;
  private static final int VERSION_1 = 1;
  private static final int VERSION = 8;
  private static final int DATA_BYTES = 12;
  private static final int SESSION = 16;
  private static final int SALT = 24;
  private static final int CHECK = 28;
  static final int TAIL = 64;
  static final int HEAD = 128;
  private static final int PAGE_BYTES = 4096;
  private static final ByteBuffer NO_MEMORY = ByteBuffer.allocateDirect(0).order(ByteOrder.LITTLE_ENDIAN);
  /** If more than this part of the ring waits, the writer works at once. */
  private static final int URGENT_SHARE = 4;
  private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final SecureRandom SALTS = new SecureRandom();

  /** The whole file. {@link #close} replaces it and {@link #records}. */
  private ByteBuffer memory;
  private RecordMemory records;
  private final ByteRing ring;
  private final NativeMemory owned;
  /** The ordinal of the next record. Session's thread only. */
  private long nextRecord;
  /** Results of {@link #findSetBack}: the number, and the position of the record that sets it. */
  private long setBackTo;
  private long setBackAt;

  private RecordRing(ByteBuffer memory, NativeMemory owned) {
    this.memory = memory;
    this.owned = owned;
    ring = new ByteRing(memory.capacity() - DATA, memory.getLong(HEAD), memory.getLong(TAIL));
    records = new RecordMemory(memory.slice(DATA, ring.capacity()), memory.getInt(SALT));
  }

  /** Creates an empty ring in a file of zeros. It stores to each page, so that a later append causes no page fault. */
  static RecordRing create(FileChannel channel, int dataBytes, long session, long nextRecord) throws IOException {
    NativeMemory owned = NativeMemory.open();
    try {
      ByteBuffer memory = owned.map(channel, MapMode.READ_WRITE, DATA + dataBytes).order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 0; i < memory.capacity(); i += PAGE_BYTES) {
        memory.put(i, (byte) 0);
      }
      memory.putLong(0, MAGIC);
      memory.putInt(VERSION, VERSION_1);
      memory.putInt(DATA_BYTES, dataBytes);
      memory.putLong(SESSION, session);
      memory.putInt(SALT, SALTS.nextInt());
      memory.putInt(CHECK, check(memory));
      RecordRing ring = new RecordRing(memory, owned);
      ring.nextRecord = nextRecord;
      return ring;
    } catch (IOException | RuntimeException | Error e) {
      owned.close();
      throw e;
    }
  }

  /**
   * Returns true if a file has no byte of a header. After a crash of the machine, only the name of a file may be left.
   */
  static boolean isUnwritten(FileChannel channel) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(CHECK);
    int read = channel.read(header, 0);
    for (int i = 0; i < read; i++) {
      if (header.get(i) != 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Opens the ring of another process, to move its records to segments.
   *
   * @throws DamagedFileException if it is no ring of the session
   */
  static RecordRing read(Path path, FileChannel channel, long session) throws IOException {
    long size = channel.size();
    if (size < DATA + MIN_BYTES || size > DATA + MAX_BYTES || Long.bitCount(size - DATA) != 1) {
      throw new DamagedFileException(path, 0, "it has not the size of a ring");
    }
    NativeMemory owned = NativeMemory.open();
    boolean isRing = false;
    try {
      ByteBuffer memory = owned.map(channel, MapMode.READ_ONLY, (int) size).order(ByteOrder.LITTLE_ENDIAN);
      long head = memory.getLong(HEAD);
      long tail = memory.getLong(TAIL);
      isRing = memory.getLong(0) == MAGIC && memory.getInt(VERSION) == VERSION_1
          && memory.getInt(DATA_BYTES) == size - DATA && memory.getLong(SESSION) == session
          && memory.getInt(CHECK) == check(memory) && head >= 0 && head <= tail && tail - head <= size - DATA
          && (head | tail) % RecordMemory.ALIGNMENT == 0;
      if (!isRing) {
        throw new DamagedFileException(path, 0, "it has no header of this session's ring");
      }
      return new RecordRing(memory, owned);
    } finally {
      if (!isRing) {
        owned.close();
      }
    }
  }

  /** Returns the capacity in a ring's header, which begins at index 0; negative if this is no header. */
  static int capacity(ByteBuffer header) {
    int bytes = header.getInt(DATA_BYTES);
    boolean isHeader = header.getLong(0) == MAGIC && header.getInt(VERSION) == VERSION_1
        && header.getInt(CHECK) == check(header) && bytes >= MIN_BYTES && bytes <= MAX_BYTES
        && Integer.bitCount(bytes) == 1;
    return isHeader ? bytes : -1;
  }

  static int salt(ByteBuffer header) {
    return header.getInt(SALT);
  }

  private static int check(ByteBuffer memory) {
    CRC32C crc = new CRC32C();
    crc.update(memory.duplicate().limit(CHECK).position(0));
    return (int) crc.getValue();
  }

  /** Returns the length of the largest record. Two of them fit, so each fits behind the padding before the other. */
  static int maxRecordBytes(int dataBytes) {
    return dataBytes / 2;
  }

  /**
   * Appends a record. Session's thread only. The store of the tail is volatile: it precedes the caller's next load.
   * Returns false if the ring is full.
   */
  boolean append(int kind, long number, long epochNanos, ByteBuffer body, int from, int to) {
    int bytes = RecordMemory.alignedBytes(to - from);
    long tail = ring.producerTail();
    long claim = ring.claim(bytes);
    if (claim == ByteRing.NO_ROOM) {
      return false;
    }
    if (claim - tail >= RecordMemory.HEADER_BYTES) {
      records.pad(index(tail), (int) (claim - tail), nextRecord);
    }
    int at = index(claim);
    records.header(at, kind, nextRecord, number, epochNanos);
    records.seal(at, body, from, to);
    nextRecord++;
    LONGS.setRelease(memory, TAIL, claim + bytes);
    ring.publishVolatile(claim + bytes);
    return true;
  }

  private int index(long position) {
    return ring.index(position);
  }

  /** Returns the position after the last record. Session's thread only. */
  long tail() {
    return ring.producerTail();
  }

  /** Returns the position after the last record. The writer then sees all records before it. */
  long tailVolatile() {
    return ring.tail();
  }

  /** Returns the position of the first record that is in no segment. Any thread. */
  long head() {
    return ring.head();
  }

  /** Any thread. */
  boolean isEmpty() {
    return waitingBytes() == 0;
  }

  /** Returns true if so many records wait that the writer must work at once. Any thread. */
  boolean isUrgent() {
    return waitingBytes() >= capacity() / URGENT_SHARE;
  }

  /** Returns the bytes of records that are in no segment. Any thread. */
  long waitingBytes() {
    return ring.size();
  }

  int capacity() {
    return ring.capacity();
  }

  /**
   * Returns {@link #isUrgent} for the session's thread. It reads the writer's head only if its own copy says that the
   * ring fills.
   */
  boolean becameUrgent() {
    int urgent = capacity() / URGENT_SHARE;
    return ring.used(urgent - 1) >= urgent;
  }

  /**
   * Moves records to a log. Writer only, or the session's thread while the writer cannot.
   *
   * @param mostBytes about how many bytes to move
   * @return false if none was moved: the log has refused it, if the ring is not empty
   */
  boolean moveTo(SegmentLog log, int mostBytes) {
    long first = head();
    long end = tailVolatile();
    long position = first;
    while (position < end && position - first < mostBytes) {
      position = skipPadding(position);
      int at = index(position);
      if (!append(log, at)) {
        break;
      }
      position = after(position);
    }
    LONGS.setRelease(memory, HEAD, position);
    ring.release(position);
    return position > first;
  }

  /** Returns the position of the next record. Padding is stored before the tail passes the record behind it. */
  private long skipPadding(long position) {
    int at = index(position);
    int left = capacity() - at;
    return left < RecordMemory.HEADER_BYTES || records.kindAt(at) == RecordKind.PADDING ? position + left : position;
  }

  private long after(long position) {
    int at = index(position);
    return position + records.after(at) - at;
  }

  /**
   * Moves the records of another process to a log that may have some of them already. It ends at the first record that
   * is damaged or does not follow. A killed process leaves none; a crash of the machine can.
   *
   * @param path names the ring in errors
   * @throws DamagedFileException if there is a whole record behind the end, whose message was accepted
   * @throws IOException if the log does not accept a record in time
   */
  void recoverTo(SegmentLog log, Path path, long maxWaitNanos) throws IOException {
    long position = head();
    long tail = tail();
    while (position < tail) {
      int at = index(position);
      int left = capacity() - at;
      if (left < RecordMemory.HEADER_BYTES) {
        position += left;
        continue;
      }
      long ordinal = records.ordinalAt(at);
      if (!records.isRecord(at, capacity(), ordinal) || ordinal > log.nextRecord()) {
        break;
      }
      if (records.kindAt(at) == RecordKind.PADDING) {
        position += left;
        continue;
      }
      if (ordinal == log.nextRecord()) {
        if (after(position) > tail || !log.numbers().accepts(records.kindAt(at), records.numberAt(at))) {
          break;
        }
        if (!append(log, at) && (!log.awaitSegment(maxWaitNanos) || !append(log, at))) {
          throw log.refusal();
        }
      }
      position = after(position);
    }
    if (hasRecord(records, capacity(), position, tail, log.nextRecord())) {
      throw new DamagedFileException(path, (long) DATA + index(position), "there is a whole record behind it");
    }
  }

  /**
   * Returns true if there is a whole record that has not been read: then the first damaged one is not the last, or what
   * is behind it cannot be told. Without this check a store once opened without the records behind the damage, and used
   * their numbers again.
   *
   * @param position the position from which to search
   * @param tail the position at which the search ends
   * @param nextRecord the ordinal of the first record that has not been read
   */
  static boolean hasRecord(RecordMemory records, int capacity, long position, long tail, long nextRecord) {
    int waiting = (int) Math.max(tail - position, 0);
    int most = waiting / RecordMemory.HEADER_BYTES;
    int from = (int) position & capacity - 1;
    int before = from - RecordMemory.ALIGNMENT; // The search begins behind this: at the position itself.
    int end = Math.min(from + waiting, capacity);
    int wrapped = from + waiting - end;
    return SegmentRecovery.recordBehind(records, before, end, nextRecord, most) != SegmentRecovery.NOTHING_BEHIND
        || SegmentRecovery.recordBehind(records, -RecordMemory.ALIGNMENT, wrapped, nextRecord,
            most) != SegmentRecovery.NOTHING_BEHIND;
  }

  private boolean append(SegmentLog log, int at) {
    return log.append(records.kindAt(at), records.numberAt(at), records.timeAt(at), records.buffer,
        records.bodyAt(at), records.bodyEnd(at));
  }

  /**
   * Finds the record after a position that sets the outbound number to its lowest value. The caller has stopped the
   * writer.
   *
   * @param nextOutbound the number before the position
   */
  private void findSetBack(long from, long nextOutbound) {
    long tail = tail();
    setBackTo = Long.MAX_VALUE;
    setBackAt = tail;
    long next = nextOutbound;
    for (long p = skipFrom(from); p < tail; p = skipFrom(after(p))) {
      int kind = records.kindAt(index(p));
      long number = records.numberAt(index(p));
      boolean isSet = kind == RecordKind.NEXT_OUTBOUND || kind == RecordKind.RESET;
      if (isSet && number < next && number <= setBackTo) {
        setBackTo = number;
        setBackAt = p;
      }
      next = isSet ? number : kind == RecordKind.OUTBOUND ? number + 1 : next;
    }
  }

  /**
   * Returns the lowest value to which a record of the ring sets the outbound number. Messages of the segments from that
   * number on are forgotten. The caller has stopped the writer.
   *
   * @param nextOutbound the number before the ring's records
   */
  long lowestSetBack(long nextOutbound) {
    findSetBack(head(), nextOutbound);
    return setBackTo;
  }

  /** Returns the position of the last reset; -1 if there is none. */
  long lastReset() {
    long tail = tail();
    long reset = -1;
    for (long p = skipFrom(head()); p < tail; p = skipFrom(after(p))) {
      reset = records.kindAt(index(p)) == RecordKind.RESET ? p : reset;
    }
    return reset;
  }

  private long skipFrom(long position) {
    return position < tail() ? skipPadding(position) : position;
  }

  /** Reads messages that were sent. Requires {@link #lowestSetBack} before, and a writer that is stopped. */
  void replayOutbound(long fromNumber, long toNumber, Replay replay) {
    long end = tail();
    for (long p = skipFrom(head()); p < end; p = skipFrom(after(p))) {
      int at = index(p);
      long number = records.numberAt(at);
      if (records.kindAt(at) != RecordKind.OUTBOUND) {
        continue;
      }
      if (p > setBackAt) {
        findSetBack(p, number);
      }
      if (number >= fromNumber && number <= toNumber && number < setBackTo && !deliver(at, replay)) {
        return;
      }
    }
  }

  /** Reads messages that were received. Session's thread only, which has stopped the writer. */
  void replayInbound(long fromNumber, long toNumber, Replay replay) {
    long end = tail();
    for (long p = skipFrom(Math.max(head(), lastReset())); p < end; p = skipFrom(after(p))) {
      int at = index(p);
      long number = records.numberAt(at);
      if (records.kindAt(at) == RecordKind.INBOUND_MESSAGE && number >= fromNumber && number <= toNumber
          && !deliver(at, replay)) {
        return;
      }
    }
  }

  private boolean deliver(int at, Replay replay) {
    return replay.onMessage(records.numberAt(at), records.timeAt(at), records.readOnly, records.bodyAt(at),
        records.bodyEnd(at));
  }

  /** Unmaps the file. A closed store may still be referenced, so it must keep no buffer. */
  @Override
  public void close() {
    memory = NO_MEMORY;
    records = new RecordMemory(NO_MEMORY, 0);
    owned.close();
  }
}
