package dev.decant.fix.segment;

import dev.decant.fix.record.RecordKind;
import dev.decant.fix.record.RecordMemory;
import dev.decant.fix.record.SequenceNumbers;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a store, from the oldest one to the one that takes records, with the state that follows from their
 * records. One thread at a time.
 */
final class SegmentList {
  private static final int FIRST_CAPACITY = 8;

  final SequenceNumbers numbers = new SequenceNumbers(0);
  /** The segments, oldest first; the last one takes records. */
  private @Nullable Segment[] segments = new Segment[FIRST_CAPACITY];
  private int count;
  /** The ordinal of the next record. */
  private long nextRecord = 1;
  /** Ordinal of the segment with the last reset; records of older segments are obsolete. 0 if there is none. */
  private long firstLiveOrdinal;
  /** The position of the reset in that segment. */
  private int firstLiveAt;

  int count() {
    return count;
  }

  Segment get(int i) {
    Segment segment = segments[i];
    if (segment == null) {
      throw new IndexOutOfBoundsException(i);
    }
    return segment;
  }

  Segment last() {
    return get(count - 1);
  }

  long nextRecord() {
    return nextRecord;
  }

  boolean isLive(Segment segment) {
    return segment.ordinal >= firstLiveOrdinal;
  }

  void add(Segment segment) {
    if (count == 0) {
      nextRecord = segment.header.firstRecord();
      SequenceNumbers begin = segment.header.numbers();
      numbers.begin(begin.nextOutbound(), begin.nextInbound(), begin.createdEpochNanos());
    }
    if (count == segments.length) {
      segments = Arrays.copyOf(segments, 2 * count);
    }
    segments[count++] = segment;
  }

  Segment removeFirst() {
    Segment first = get(0);
    System.arraycopy(segments, 1, segments, 0, --count);
    segments[count] = null;
    return first;
  }

  /** Unmaps all segments. */
  void close() {
    for (int i = 0; i < count; i++) {
      get(i).close();
    }
    count = 0;
  }

  /** Returns the bytes of all files. */
  long bytes() {
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      bytes += get(i).bytes();
    }
    return bytes;
  }

  /** Applies a record of the last segment to the state. */
  void apply(int at, int kind, long number, long epochNanos) {
    nextRecord++;
    if (kind == RecordKind.OUTBOUND) {
      last().index.add(number, at);
    } else if (kind == RecordKind.RESET) {
      setBack(1, at);
      firstLiveOrdinal = last().ordinal;
      firstLiveAt = at;
    } else if (kind == RecordKind.NEXT_OUTBOUND && number < numbers.nextOutbound()) {
      setBack(number, at);
    }
    numbers.apply(kind, number, epochNanos);
  }

  private void setBack(long number, int at) {
    for (int i = 0; i < count; i++) {
      get(i).index.forget(number);
    }
    last().index.addEntry(number, at);
  }

  /**
   * Reads messages that were sent. Returns false if the handler ended the
   * reading.
   */
  boolean replayOutbound(long fromNumber, long toNumber, MessageHandler handler) throws IOException {
    long last = Math.min(toNumber, numbers.nextOutbound() - 1);
    for (int i = 0; i < count; i++) {
      Segment segment = get(i);
      if (firstNumberAfter(i) <= fromNumber) {
        continue;
      }
      for (int e = segment.index.floor(fromNumber); e < segment.index.count(); e++) {
        long low = Math.max(fromNumber, segment.index.numberAt(e));
        if (low > last) {
          return true;
        }
        if (!replay(i, e, low, last, handler)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Reads the live messages between an entry of a segment's index and the next entry. */
  private boolean replay(int i, int entry, long low, long last, MessageHandler handler) throws IOException {
    Segment segment = get(i);
    NumberIndex index = segment.index;
    boolean isLastEntry = entry + 1 == index.count();
    long high = isLastEntry ? firstNumberAfter(i) : index.numberAt(entry + 1);
    int stop = isLastEntry ? segment.end() : index.positionAt(entry + 1);
    RecordMemory records = segment.records;
    int at = index.positionAt(entry);
    while (at < stop) {
      requireWhole(segment, at);
      long number = records.numberAt(at);
      if (records.kindAt(at) == RecordKind.OUTBOUND && number >= low && number <= last && number < high
          && !deliver(records, at, handler)) {
        return false;
      }
      at = records.after(at);
    }
    return true;
  }

  /** Returns the number of the first index entry behind a segment; {@link Long#MAX_VALUE} if there is none. */
  private long firstNumberAfter(int i) {
    for (int j = i + 1; j < count; j++) {
      if (get(j).index.count() > 0) {
        return get(j).index.numberAt(0);
      }
    }
    return Long.MAX_VALUE;
  }

  /**
   * Reads messages received since the last reset, in the order of their arrival. Returns false if the handler ended the
   * reading.
   */
  boolean replayInbound(long fromNumber, long toNumber, MessageHandler handler) throws IOException {
    for (int i = 0; i < count; i++) {
      Segment segment = get(i);
      int at = segment.ordinal < firstLiveOrdinal
          ? segment.end()
          : segment.ordinal == firstLiveOrdinal ? firstLiveAt : SegmentHeader.BYTES;
      RecordMemory records = segment.records;
      while (at < segment.end()) {
        requireWhole(segment, at);
        long number = records.numberAt(at);
        if (records.kindAt(at) == RecordKind.INBOUND_MESSAGE && number >= fromNumber && number <= toNumber
            && !deliver(records, at, handler)) {
          return false;
        }
        at = records.after(at);
      }
    }
    return true;
  }

  private static boolean deliver(RecordMemory records, int at, MessageHandler handler) {
    return handler.onMessage(records.numberAt(at), records.timeAt(at), records.readOnly, records.bodyAt(at),
        records.bodyEnd(at));
  }

  private static void requireWhole(Segment segment, int at) throws IOException {
    if (!segment.isWhole(at)) {
      throw new IOException(segment.path + " is damaged at byte " + at + ": it was changed since it was opened."
          + " Close the store and open it again to see what is left of it");
    }
  }
}
