package dev.decant.fix.record;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Records in direct memory, little-endian, each at a multiple of 8:
 *
 * <pre>
 *   0        4        8                  16               24               32           length
 *   +--------+--------+------+-----------+----------------+----------------+---- ... ----+-------+
 *   | check  | length | kind | ordinal   | number         | time           | body        | zeros |
 *   +--------+--------+------+-----------+----------------+----------------+---- ... ----+-------+
 *     int      int      byte   7 bytes     long             long                         to a multiple of 8
 *                       (the highest byte of a long)
 * </pre>
 * <ul>
 * <li>check: CRC32C of the bytes from 4 to length, XORed with the salt of the memory. A counterparty does not know the
 * salt, so bytes that it sends cannot pass for a record.
 * <li>length: bytes of the record without the zeros at its end.
 * <li>ordinal: 1 for the first record of a store, one more for each later one of any kind and segment.
 * <li>number: MsgSeqNum(34), or the number that was set.
 * <li>time: nanoseconds since the epoch.
 * </ul>
 *
 * <p>One thread at a time calls {@link #seal} and {@link #isRecord}. Any thread that sees a record may read it.
 */
public final class RecordMemory {
  /** Bytes before the body of a record. */
  public static final int HEADER_BYTES = 32;
  /** A record begins at a multiple of this. */
  public static final int ALIGNMENT = 8;

  private static final int CHECK = 0;
  private static final int LENGTH = 4;
  private static final int KIND_AND_ORDINAL = 8;
  private static final int NUMBER = 16;
  private static final int TIME = 24;
  private static final int KIND_SHIFT = 56;
  private static final long ORDINAL_MASK = (1L << KIND_SHIFT) - 1;

  /** The records, little-endian. Its position and limit must not be changed. */
  public final ByteBuffer buffer;
  /** A view of the same memory for message handlers, which cannot change stored bytes by it. */
  public final ByteBuffer readOnly;
  /** A view of the same memory whose position and limit move. */
  private final ByteBuffer checked;
  private final CRC32C crc = new CRC32C();
  /** XORed with the check of each record. */
  private int salt;

  /** Creates a view of records in memory, whose checks have this salt. */
  public RecordMemory(ByteBuffer memory, int salt) {
    buffer = memory.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    checked = memory.duplicate();
    readOnly = memory.asReadOnlyBuffer();
    this.salt = salt;
  }

  /** Sets the salt. */
  public void salt(int value) {
    salt = value;
  }

  /** Returns the salt. */
  public int salt() {
    return salt;
  }

  /** Returns the length of a record with this body, including the zeros at its end. */
  public static int alignedBytes(int bodyBytes) {
    return align(HEADER_BYTES + bodyBytes);
  }

  private static int align(int length) {
    return (length + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** Writes the fields before the body. {@link #seal} completes the record. */
  public void header(int at, int kind, long ordinal, long number, long epochNanos) {
    buffer.putLong(at + KIND_AND_ORDINAL, ((long) kind << KIND_SHIFT) | ordinal);
    buffer.putLong(at + NUMBER, number);
    buffer.putLong(at + TIME, epochNanos);
  }

  /** Writes body, length and check. The check is stored last and completes the record. */
  public void seal(int at, ByteBuffer body, int from, int to) {
    int length = HEADER_BYTES + to - from;
    buffer.put(at + HEADER_BYTES, body, from, to - from);
    buffer.putInt(at + LENGTH, length);
    int check = check(at, length);
    VarHandle.releaseFence();
    buffer.putInt(at + CHECK, check);
  }

  /** Fills a place with padding, where no record fits. */
  public void pad(int at, int length, long ordinal) {
    header(at, RecordKind.PADDING, ordinal, 1, 0);
    buffer.putInt(at + LENGTH, length);
    // The check covers the header only: old records are behind it.
    buffer.putInt(at + CHECK, check(at, HEADER_BYTES));
  }

  private int check(int at, int length) {
    checked.limit(at + length).position(at + LENGTH);
    crc.reset();
    crc.update(checked);
    return (int) crc.getValue() ^ salt;
  }

  /** Returns true if a whole record with this ordinal is here. It reads nothing at the limit or behind. */
  public boolean isRecord(int at, int limit, long ordinal) {
    if (limit - at < HEADER_BYTES || ordinalAt(at) != ordinal) {
      return false;
    }
    int length = lengthAt(at);
    return length >= HEADER_BYTES && length <= limit - at
        && check(at, kindAt(at) == RecordKind.PADDING ? HEADER_BYTES : length) == buffer.getInt(at + CHECK);
  }

  /** Returns the length of a record without the zeros at its end. */
  public int lengthAt(int at) {
    return buffer.getInt(at + LENGTH);
  }

  /** Returns where the next record begins. */
  public int after(int at) {
    return at + align(lengthAt(at));
  }

  /** Returns where the body of a record begins. */
  public int bodyAt(int at) {
    return at + HEADER_BYTES;
  }

  /** Returns where the body of a record ends. */
  public int bodyEnd(int at) {
    return at + lengthAt(at);
  }

  /** Returns the kind of a record. */
  public int kindAt(int at) {
    return (int) (buffer.getLong(at + KIND_AND_ORDINAL) >>> KIND_SHIFT);
  }

  /** Returns the ordinal of a record. */
  public long ordinalAt(int at) {
    return buffer.getLong(at + KIND_AND_ORDINAL) & ORDINAL_MASK;
  }

  /** Returns the number of a record. */
  public long numberAt(int at) {
    return buffer.getLong(at + NUMBER);
  }

  /** Returns the time of a record, in nanoseconds since the epoch. */
  public long timeAt(int at) {
    return buffer.getLong(at + TIME);
  }
}
