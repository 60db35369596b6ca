package dev.decant.fix.segment;

import dev.decant.fix.record.RecordMemory;
import dev.decant.fix.record.SequenceNumbers;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The first bytes of a segment, little-endian. They are written when the segment begins to take records. They contain
 * the numbers, so older segments can be deleted.
 *
 * <pre>
 *   0   magic              long   "FIXSTORE"
 *   8   version            int    1
 *   12  segment bytes      int    of the whole file
 *   16  session            long   hash of the session's identity
 *   24  ordinal            long   of the segment, as in its name
 *   32  first record       long   ordinal of its first record
 *   40  next outbound      long   the numbers before its first record
 *   48  next inbound       long
 *   56  created            long   when the numbers began, nanoseconds since the epoch
 *   64  salt               int    see RecordMemory
 *   68  check              int    CRC32C of the bytes from 0 to 68
 *   72  zeros
 *   128 records
 * </pre>
 */
public final class SegmentHeader {
  /** The length of a header. */
  public static final int BYTES = 128;

  private static final long MAGIC = 0x4552_4F54_5358_4946L;
  private static final int VERSION_1 = 1;
  private static final int VERSION = 8;
  private static final int SEGMENT_BYTES = 12;
  private static final int SESSION = 16;
  private static final int ORDINAL = 24;
  private static final int FIRST_RECORD = 32;
  private static final int NEXT_OUTBOUND = 40;
  private static final int NEXT_INBOUND = 48;
  private static final int CREATED = 56;
  private static final int SALT = 64;
  private static final int CHECK = 68;

  private final ByteBuffer buffer;
  private final ByteBuffer checked;
  private final CRC32C crc = new CRC32C();

  /**
   * Creates a view of a header.
   *
   * @param buffer little-endian, with the header at index 0
   */
  public SegmentHeader(ByteBuffer buffer) {
    this.buffer = buffer;
    checked = buffer.duplicate();
  }

  /** Writes the fields that are known before the segment begins. The header is not valid yet. */
  void prepare(int segmentBytes, long session, long ordinal, int salt) {
    buffer.putInt(VERSION, VERSION_1);
    buffer.putInt(SEGMENT_BYTES, segmentBytes);
    buffer.putLong(SESSION, session);
    buffer.putLong(ORDINAL, ordinal);
    buffer.putInt(SALT, salt);
  }

  /** Writes the other fields, which begins the segment. */
  void begin(long firstRecord, SequenceNumbers numbers) {
    buffer.putLong(0, MAGIC);
    buffer.putLong(FIRST_RECORD, firstRecord);
    buffer.putLong(NEXT_OUTBOUND, numbers.nextOutbound());
    buffer.putLong(NEXT_INBOUND, numbers.nextInbound());
    buffer.putLong(CREATED, numbers.createdEpochNanos());
    buffer.putInt(CHECK, check());
  }

  private int check() {
    checked.limit(CHECK).position(0);
    crc.reset();
    crc.update(checked);
    return (int) crc.getValue();
  }

  /**
   * Returns true if this is the header of a segment that has begun. Otherwise, the other methods must not be called.
   */
  public boolean isValid() {
    return buffer.capacity() >= BYTES && buffer.getLong(0) == MAGIC && buffer.getInt(CHECK) == check()
        && buffer.getInt(VERSION) == VERSION_1 && segmentBytes() >= SegmentSettings.MIN_BYTES
        && segmentBytes() <= SegmentSettings.MAX_BYTES && segmentBytes() % RecordMemory.ALIGNMENT == 0;
  }

  /** Returns the bytes of the whole file. */
  public int segmentBytes() {
    return buffer.getInt(SEGMENT_BYTES);
  }

  /** Returns the hash of the session's identity. */
  public long session() {
    return buffer.getLong(SESSION);
  }

  long ordinal() {
    return buffer.getLong(ORDINAL);
  }

  /** Returns the ordinal of the first record. */
  public long firstRecord() {
    return buffer.getLong(FIRST_RECORD);
  }

  /** Returns the salt of the records. */
  public int salt() {
    return buffer.getInt(SALT);
  }

  /** Returns the numbers before the first record. */
  public SequenceNumbers numbers() {
    SequenceNumbers numbers = new SequenceNumbers(0);
    numbers.begin(buffer.getLong(NEXT_OUTBOUND), buffer.getLong(NEXT_INBOUND), buffer.getLong(CREATED));
    return numbers;
  }

  /** Returns true if the numbers before the first record are these. */
  public boolean continues(long record, SequenceNumbers numbers) {
    return firstRecord() == record && buffer.getLong(NEXT_OUTBOUND) == numbers.nextOutbound()
        && buffer.getLong(NEXT_INBOUND) == numbers.nextInbound()
        && buffer.getLong(CREATED) == numbers.createdEpochNanos();
  }
}
