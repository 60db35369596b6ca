package dev.decant.kafka.producer;

import dev.decant.buffer.BytesWriter;
import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.telemetry.ErrorFunnel;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a batch into which any thread claims, encodes and commits records without a lock.
 *
 * <pre>
 *   state, one word:
 *   63       62          40 39       24 23          0
 *   +--------+-------------+-----------+-------------+
 *   | closed | generation  | records   | end of used |
 *   +--------+-------------+-----------+-------------+
 * </pre>
 *
 * <p>A claim is a compare-and-set that moves the end and counts the record. A commit counts the record as written. A
 * closed chunk may be read when as many records are committed as were claimed. If the stack or the heap ends before a
 * commit, the place is abandoned: it counts, too, but the chunk can only fail.
 *
 * <p>Chunks are recycled. A thread that was suspended between reading the state and claiming finds another generation,
 * so its claim fails. Without the generation it would land in a batch of another partition.
 */
final class Chunk {
  static final int APPENDED = 0;
  static final int NO_ROOM = 1;
  static final int LOST_RACE = 2;

  private static final long CLOSED = 1L << 63;
  private static final int GENERATION_SHIFT = 40;
  private static final int COUNT_SHIFT = 24;
  private static final int END_MASK = (1 << COUNT_SHIFT) - 1;
  private static final int COUNT_MASK = 0xffff;
  /** The largest offset that can be claimed. */
  static final int LARGEST_BYTES = END_MASK;
  private static final long GENERATION_MASK = (1L << 23) - 1;

  private static final ByteBuffer NO_MEMORY = ByteBuffer.allocate(0);

  private static final VarHandle STATE;
  private static final VarHandle COMMITTED;
  private static final VarHandle MAX_TIMESTAMP;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      STATE = lookup.findVarHandle(Chunk.class, "state", long.class);
      COMMITTED = lookup.findVarHandle(Chunk.class, "committed", int.class);
      MAX_TIMESTAMP = lookup.findVarHandle(Chunk.class, "maxTimestamp", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // Claimed and committed by any thread.
  private volatile long state = CLOSED;
  private volatile int committed;
  private volatile long maxTimestamp;
  /** True if a place was claimed and will never be filled. */
  private volatile boolean damaged;
  /** True for each abandoned place. The thread that claimed the place writes it as its last step. */
  private boolean[] abandoned = {};

  // Written before the queue publishes the chunk, read by threads that append.
  private @Nullable PooledBuffer memory;
  private ByteBuffer buffer = NO_MEMORY;
  private int limit;
  private int firstOffsetDelta;
  private long baseTimestamp;
  private int maxRecords;
  private final ChunkListeners listeners = new ChunkListeners();

  // Written by the thread that closes, under the monitor of the queue.
  private int closedCount;
  private int closedEnd;

  /** Number of batches with records in it: more than one after a split. Owner of the loop only, once published. */
  private int holders;

  /** Takes over memory, to give it back in {@link #release()}. */
  void lease(PooledBuffer lease) {
    memory = lease;
    buffer = lease.buffer();
  }

  /** Prepares for a new use. The caller publishes the chunk afterwards. */
  void open(int start, int claimLimit, int recordLimit, int offsetDelta, long batchTimestamp,
      @Nullable SendListener defaultListener) {
    maxRecords = Math.min(recordLimit, COUNT_MASK);
    listeners.open(defaultListener, maxRecords);
    limit = Math.min(claimLimit, Math.min(buffer.capacity(), END_MASK));
    firstOffsetDelta = offsetDelta;
    baseTimestamp = batchTimestamp;
    maxTimestamp = Long.MIN_VALUE;
    committed = 0;
    if (abandoned.length < maxRecords) {
      abandoned = new boolean[maxRecords];
    } else if (damaged) {
      Arrays.fill(abandoned, false);
    }
    damaged = false;
    holders = 1;
    long generation = ((state >>> GENERATION_SHIFT) + 1) & GENERATION_MASK;
    state = generation << GENERATION_SHIFT | start;
  }

  /** Returns the state that a claim compares. The caller checks after reading it that the chunk is still current. */
  long state() {
    return state;
  }

  static boolean isClosed(long state) {
    return state < 0;
  }

  /**
   * Claims, encodes and commits. {@code seen} is a state read while the chunk was current. If anything is thrown
   * between claim and commit, the place is abandoned.
   */
  int append(long seen, PendingRecord record, byte @Nullable [] value, @Nullable SendListener listener) {
    if (isClosed(seen)) {
      return NO_ROOM;
    }
    int end = (int) seen & END_MASK;
    int count = (int) (seen >>> COUNT_SHIFT) & COUNT_MASK;
    int offsetDelta = firstOffsetDelta + count;
    long timestampDelta = record.timestamp - baseTimestamp;
    int body = bodySize(record, offsetDelta, timestampDelta);
    int total = BytesWriter.sizeOfVarint(body) + body;
    if (total > limit - end || count >= maxRecords) {
      return NO_ROOM;
    }
    listeners.prepare(listener);
    if (!STATE.compareAndSet(this, seen, seen + (1L << COUNT_SHIFT) + total)) {
      return LOST_RACE;
    }
    try {
      encode(record, value, end, body, offsetDelta, timestampDelta);
      listeners.add(count, record.tag, record.timestamp, listener);
      if (record.timestamp > maxTimestamp) {
        raiseMaxTimestamp(record.timestamp);
      }
      COMMITTED.getAndAdd(this, 1);
    } catch (Throwable e) { // no call here: the stack may have no room
      damaged = true;
      abandoned[count] = true; // the last write: a later one could fall into the chunk's next use
      throw e;
    }
    return APPENDED;
  }

  /** Returns true if a claim of this record would succeed now. Under the monitor of the queue. */
  boolean hasRoomFor(PendingRecord record) {
    long seen = state;
    int count = (int) (seen >>> COUNT_SHIFT) & COUNT_MASK;
    int body = bodySize(record, firstOffsetDelta + count, record.timestamp - baseTimestamp);
    return BytesWriter.sizeOfVarint(body) + body <= limit - ((int) seen & END_MASK) && count < maxRecords;
  }

  /** Returns the largest size that the record can have in any batch. */
  static int mostBytes(PendingRecord record) {
    return 5 + bodySize(record, Integer.MAX_VALUE >> 1, Long.MAX_VALUE);
  }

  static int bodySize(PendingRecord r, int offsetDelta, long timestampDelta) {
    return 1 + BytesWriter.sizeOfVarlong(timestampDelta) + BytesWriter.sizeOfVarint(offsetDelta)
        + BytesWriter.sizeOfVarint(r.keySize) + Math.max(0, r.keySize) + BytesWriter.sizeOfVarint(r.valueSize)
        + Math.max(0, r.valueSize) + BytesWriter.sizeOfVarint(r.headerCount) + r.headersSize;
  }

  private void encode(PendingRecord record, byte @Nullable [] value, int at, int body, int offsetDelta,
      long timestampDelta) {
    ByteBuffer b = buffer;
    int p = putHead(b, at, body, timestampDelta, offsetDelta, record.keySize);
    if (record.keySize > 0) {
      b.put(p, record.keyBytes, 0, record.keySize);
      p += record.keySize;
    }
    p = putVarint(b, p, record.valueSize);
    if (value != null) {
      b.put(p, value, 0, record.valueSize);
      p += record.valueSize;
    } else if (record.valueSize > 0) {
      record.putEncodedValue(b, p);
      p += record.valueSize;
    }
    p = putVarint(b, p, record.headerCount);
    if (record.headersSize > 0) {
      b.put(p, record.headerBytes, 0, record.headersSize);
    }
  }

  /**
   * Writes length, attributes, both deltas and the length of the key. If they fit in eight bytes, as most do, one store
   * writes them from a register. The rest of the record overwrites the bytes behind them.
   */
  private static int putHead(ByteBuffer b, int at, int body, long timestampDelta, int offsetDelta, int keySize) {
    long length = (long) body << 1;
    long timestamp = (timestampDelta << 1) ^ (timestampDelta >> 63);
    long offset = (long) offsetDelta << 1;
    int key = (keySize << 1) ^ (keySize >> 31);
    if (((length | timestamp | offset) & ~0x3fffL) != 0 || (key & ~0x7f) != 0 || body < Long.BYTES) {
      return putHeadSlowPath(b, at, body, timestampDelta, offsetDelta, keySize);
    }
    int bits = bitsOf(length) + Byte.SIZE; // the attributes are zero
    long head = pair(length) | pair(timestamp) << bits;
    bits += bitsOf(timestamp);
    head |= pair(offset) << bits;
    bits += bitsOf(offset);
    b.putLong(at, Long.reverseBytes(head | (long) key << bits));
    return at + (bits >> 3) + 1;
  }

  private static int putHeadSlowPath(ByteBuffer b, int at, int body, long timestampDelta, int offsetDelta,
      int keySize) {
    int p = putVarint(b, at, body);
    b.put(p++, (byte) 0);
    p = putVarlong(b, p, timestampDelta);
    p = putVarint(b, p, offsetDelta);
    return putVarint(b, p, keySize);
  }

  /** Returns the varint of a number below 2^14, with the first byte in the lowest bits. */
  private static long pair(long v) {
    return v < 0x80 ? v : (v & 0x7f) | 0x80 | (v >> 7) << 8;
  }

  private static int bitsOf(long v) {
    return v < 0x80 ? 8 : 16;
  }

  private static int putVarint(ByteBuffer b, int at, int value) {
    int v = (value << 1) ^ (value >> 31);
    if ((v & ~0x7f) == 0) {
      b.put(at, (byte) v);
      return at + 1;
    }
    if ((v & ~0x3fff) == 0) {
      b.put(at, (byte) (v | 0x80));
      b.put(at + 1, (byte) (v >> 7));
      return at + 2;
    }
    return putVarlong(b, at, value);
  }

  private static int putVarlong(ByteBuffer b, int at, long value) {
    long v = (value << 1) ^ (value >> 63);
    int p = at;
    while ((v & ~0x7fL) != 0) {
      b.put(p++, (byte) (v | 0x80));
      v >>>= 7;
    }
    b.put(p++, (byte) v);
    return p;
  }

  private void raiseMaxTimestamp(long timestamp) {
    long seen = maxTimestamp;
    while (timestamp > seen && !MAX_TIMESTAMP.compareAndSet(this, seen, timestamp)) {
      seen = maxTimestamp;
    }
  }

  /** Ends claiming; does nothing the second time. Under the monitor of the queue. */
  void close() {
    long before = (long) STATE.getAndBitwiseOr(this, CLOSED);
    closedEnd = (int) before & END_MASK;
    closedCount = (int) (before >>> COUNT_SHIFT) & COUNT_MASK;
  }

  /** Returns true if each claimed place is committed or abandoned. To be asked after {@link #close()}. */
  boolean isComplete() {
    int filled = committed;
    return filled == closedCount || (damaged && filled + countAbandoned() == closedCount);
  }

  private int countAbandoned() {
    int count = 0;
    for (int i = 0; i < closedCount; i++) {
      count += abandoned[i] ? 1 : 0;
    }
    return count;
  }

  /** Returns true if a place was abandoned, so that the chunk cannot be sent. To be asked when it is complete. */
  boolean isDamaged() {
    return damaged;
  }

  /** Returns true if the chunk is closed: the owner of the loop may be waiting for the last commit. Any thread. */
  boolean isClosed() {
    return state < 0;
  }

  int count() {
    return closedCount;
  }

  int end() {
    return closedEnd;
  }

  long maxTimestamp() {
    return maxTimestamp;
  }

  /** Returns the size of the memory in bytes. */
  int capacity() {
    return buffer.capacity();
  }

  ByteBuffer buffer() {
    return buffer;
  }

  /**
   * Returns a view of some of the bytes, from which to write them. It is the same object each time. After {@link
   * #close()}.
   */
  ByteBuffer window(int from, int to) {
    PooledBuffer lease = memory;
    if (lease == null) {
      throw new IllegalStateException("the chunk has no memory");
    }
    return lease.window(from, to);
  }

  /** Counts another batch with records of this chunk. Owner of the loop only. */
  void share() {
    holders++;
  }

  /**
   * Counts out a batch that has no records of this chunk any more. Returns true for the last. Owner of the loop only.
   */
  boolean leave() {
    return --holders == 0;
  }

  ChunkListeners listeners() {
    return listeners;
  }

  /**
   * Calls the listeners of some records, each at most once. No place is abandoned: the chunk was sent.
   *
   * @param firstOffset offset of the first of these records; -1 if the broker did not say
   */
  void acknowledge(int first, int count, int partition, long firstOffset, long logAppendTime, ErrorFunnel errors) {
    listeners.acknowledge(first, count, partition, firstOffset, logAppendTime, errors);
  }

  /**
   * Calls the listeners of some records with a failure, but for abandoned places, whose sends have thrown an exception.
   *
   * @param error gives the error of each record, by its index among these plus {@code offset}
   */
  void fail(int first, int count, int partition, IntFunction<KafkaException> error, int offset, ErrorFunnel errors) {
    if (damaged) {
      listeners.mute(abandoned);
    }
    listeners.fail(first, count, partition, error, offset, errors);
  }

  /**
   * Gives the memory back. No other part refers to it: the chunk is written or its connection has ended, and every
   * listener was called.
   */
  void release() {
    PooledBuffer lease = memory;
    buffer = NO_MEMORY;
    listeners.close();
    if (lease != null) {
      memory = null;
      lease.release();
    }
  }
}
