package dev.decant.kafka.producer;

import dev.decant.buffer.BytesWriter;
import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.telemetry.ErrorFunnel;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
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
 * <p>A claim is a compare-and-set that moves the end and counts the record. A commit counts up {@code committed}; a
 * closed chunk may be read when as many are committed as were claimed. Chunks are recycled: a thread that was suspended
 * between reading the state and claiming finds another generation, so its claim fails and cannot land in a batch of
 * another partition.
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
  /** Nothing behind this offset can be claimed. */
  static final int LARGEST_BYTES = END_MASK;
  private static final long GENERATION_MASK = (1L << 23) - 1;

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

  // Written before the chunk is published by its queue, read by who appends.
  private @Nullable PooledBuffer memory;
  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private int limit;
  private int firstOffsetDelta;
  private long baseTimestamp;
  private @Nullable SendListener usualListener;

  // Made at the first use of a listener and kept; a slot is written by who claimed it, read after its commit.
  private volatile @Nullable Completions completions;

  // Written by who closes, under the monitor of the queue.
  private int closedCount;
  private int closedEnd;

  /**
   * What is to be told to whom about each record of a chunk. Most records of a chunk have the listener with which it
   * was opened: for them a number is stored, since a reference costs the collector's write barrier.
   */
  private static final class Completions {
    static final byte NOBODY = 0;
    static final byte USUAL = 1;
    static final byte OWN = 2;

    final long[] tags;
    final long[] timestamps;
    final byte[] whom;
    final @Nullable SendListener[] listeners;

    Completions(int records) {
      tags = new long[records];
      timestamps = new long[records];
      whom = new byte[records];
      listeners = new SendListener[records];
    }
  }

  /** Takes over memory, to give it back in {@link #release()}. */
  void lease(PooledBuffer lease) {
    memory = lease;
    buffer = lease.buffer();
  }

  /** Prepares for a new use; afterwards it must be published before anybody appends. */
  void open(int start, int claimLimit, int offsetDelta, long batchTimestamp, @Nullable SendListener usual) {
    usualListener = usual;
    limit = Math.min(claimLimit, Math.min(buffer.capacity(), END_MASK));
    firstOffsetDelta = offsetDelta;
    baseTimestamp = batchTimestamp;
    maxTimestamp = Long.MIN_VALUE;
    committed = 0;
    long generation = ((state >>> GENERATION_SHIFT) + 1) & GENERATION_MASK;
    state = generation << GENERATION_SHIFT | start;
  }

  /** The state to claim against; the caller checks that the chunk is still current after reading it. */
  long state() {
    return state;
  }

  static boolean isClosed(long state) {
    return state < 0;
  }

  /** Claims, encodes and commits. {@code seen} is a state read while the chunk was current. */
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
    if (total > limit - end || count == COUNT_MASK) {
      return NO_ROOM;
    }
    if (!STATE.compareAndSet(this, seen, seen + (1L << COUNT_SHIFT) + total)) {
      return LOST_RACE;
    }
    int valueAt = encodeUpToValue(record, end, body, offsetDelta, timestampDelta);
    encodeValueAndHeaders(record, valueAt, value);
    if (listener != null || completions != null) {
      remember(record, count, listener);
    }
    if (record.timestamp > maxTimestamp) {
      raiseMaxTimestamp(record.timestamp);
    }
    COMMITTED.getAndAdd(this, 1);
    return APPENDED;
  }

  /** Whether a claim of this record would succeed now. Under the monitor of the queue. */
  boolean hasRoomFor(PendingRecord record) {
    long seen = state;
    int count = (int) (seen >>> COUNT_SHIFT) & COUNT_MASK;
    int body = bodySize(record, firstOffsetDelta + count, record.timestamp - baseTimestamp);
    return BytesWriter.sizeOfVarint(body) + body <= limit - ((int) seen & END_MASK) && count < COUNT_MASK;
  }

  /** No encoding of the record takes more, wherever it lands. */
  static int mostBytes(PendingRecord record) {
    return 5 + bodySize(record, Integer.MAX_VALUE >> 1, Long.MAX_VALUE);
  }

  static int bodySize(PendingRecord r, int offsetDelta, long timestampDelta) {
    return 1 + BytesWriter.sizeOfVarlong(timestampDelta) + BytesWriter.sizeOfVarint(offsetDelta)
        + BytesWriter.sizeOfVarint(r.keySize) + Math.max(0, r.keySize) + BytesWriter.sizeOfVarint(r.valueSize)
        + Math.max(0, r.valueSize) + BytesWriter.sizeOfVarint(r.headerCount) + r.headersSize;
  }

  private int encodeUpToValue(PendingRecord record, int at, int body, int offsetDelta, long timestampDelta) {
    ByteBuffer b = buffer;
    int p = putVarint(b, at, body);
    b.put(p++, (byte) 0);
    p = putVarlong(b, p, timestampDelta);
    p = putVarint(b, p, offsetDelta);
    p = putVarint(b, p, record.keySize);
    if (record.keySize > 0) {
      b.put(p, record.keyBytes, 0, record.keySize);
      p += record.keySize;
    }
    return p;
  }

  private void encodeValueAndHeaders(PendingRecord record, int at, byte @Nullable [] value) {
    ByteBuffer b = buffer;
    int p = putVarint(b, at, record.valueSize);
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

  private static int putVarint(ByteBuffer b, int at, int value) {
    int v = (value << 1) ^ (value >> 31);
    int p = at;
    while ((v & ~0x7f) != 0) {
      b.put(p++, (byte) (v | 0x80));
      v >>>= 7;
    }
    b.put(p++, (byte) v);
    return p;
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

  @SuppressWarnings("ReferenceEquality") // the very listener, not one that calls itself equal
  private void remember(PendingRecord record, int index, @Nullable SendListener listener) {
    Completions c = completions();
    c.tags[index] = record.tag;
    c.timestamps[index] = record.timestamp;
    if (listener == usualListener) {
      c.whom[index] = listener == null ? Completions.NOBODY : Completions.USUAL;
    } else {
      c.whom[index] = listener == null ? Completions.NOBODY : Completions.OWN;
      c.listeners[index] = listener;
    }
  }

  private Completions completions() {
    Completions made = completions;
    return made == null ? makeCompletionsSlowPath() : made;
  }

  /** A record takes at least seven bytes, so a chunk of a certain size has room for so many and no more. */
  private synchronized Completions makeCompletionsSlowPath() {
    Completions made = completions;
    if (made == null) {
      made = new Completions(Math.min(COUNT_MASK, buffer.capacity() / 7 + 1));
      completions = made;
    }
    return made;
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

  /** Whether all that was claimed is committed; meaningful after {@link #close()}. */
  boolean isComplete() {
    return committed == closedCount;
  }

  /** Whether the chunk is closed, so that its owner may be waiting for the last commit. Any thread. */
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

  ByteBuffer buffer() {
    return buffer;
  }

  /** What was claimed, as a view to write from; the same object each time. After {@link #close()}. */
  ByteBuffer window(int from) {
    PooledBuffer lease = memory;
    if (lease == null) {
      throw new IllegalStateException("the chunk has no memory");
    }
    return lease.window(from, closedEnd);
  }

  /** Tells every listener; afterwards none is remembered. */
  void acknowledge(int partition, long baseOffset, long logAppendTime, ErrorFunnel errors) {
    Completions c = completions;
    if (c == null) {
      return;
    }
    SendListener usual = usualListener;
    for (int i = 0; i < closedCount; i++) {
      SendListener listener = c.whom[i] == Completions.USUAL ? usual : takeListener(c, i);
      if (listener != null) {
        long offset = baseOffset < 0 ? -1 : baseOffset + firstOffsetDelta + i;
        long timestamp = logAppendTime >= 0 ? logAppendTime : c.timestamps[i];
        try {
          listener.onAck(c.tags[i], partition, offset, timestamp);
        } catch (RuntimeException e) {
          errors.report(ErrorKind.LISTENER_FAILED, "SendListener", e);
        }
      }
    }
    usualListener = null;
  }

  private static @Nullable SendListener takeListener(Completions c, int index) {
    if (c.whom[index] == Completions.NOBODY) {
      return null;
    }
    SendListener listener = c.listeners[index];
    c.listeners[index] = null;
    return listener;
  }

  /** Tells every listener of the failure; afterwards none is remembered. */
  void fail(KafkaException error, ErrorFunnel errors) {
    Completions c = completions;
    if (c == null) {
      return;
    }
    for (int i = 0; i < closedCount; i++) {
      SendListener listener = c.whom[i] == Completions.USUAL ? usualListener : takeListener(c, i);
      if (listener != null) {
        try {
          listener.onFailure(c.tags[i], error);
        } catch (RuntimeException e) {
          errors.report(ErrorKind.LISTENER_FAILED, "SendListener", e);
        }
      }
    }
    usualListener = null;
  }

  /**
   * Gives the memory back. Nothing refers to it any more: it is written or the connection is gone, and
   * all were told.
   */
  void release() {
    PooledBuffer lease = memory;
    if (lease != null) {
      memory = null;
      lease.release();
    }
  }
}
