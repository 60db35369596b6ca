package dev.decant.kafka.consumer;

import dev.decant.kafka.fetch.FetchedRecords;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Copies of records that arrived before their partitions were paused, for the time after. So their responses give the
 * memory back, and other partitions go on. Bounded: records that do not fit are fetched again. Polling thread only.
 */
final class KeptRecords {
  /** Records, and whose they are. */
  private record Kept(AssignedPartition partition, FetchedRecords records) {
    /** Whether the partition is not paused any more, or has gone elsewhere. */
    boolean isDue() {
      return !partition.paused || partition.seeks != records.seeks();
    }
  }

  private final int mostBytes;
  private final IntFunction<ByteBuffer> memory;
  private final ArrayDeque<Kept> queue = new ArrayDeque<>();
  private int bytes;

  KeptRecords(int mostBytes, IntFunction<ByteBuffer> memory) {
    this.mostBytes = mostBytes;
    this.memory = memory;
  }

  /** Keeps what begins at an index and has just been fetched, behind all else; false if there is no room. */
  boolean addLast(AssignedPartition p, FetchedRecords records, int from) {
    return keep(p, records, from, false);
  }

  /**
   * Keeps the rest, from an index on, of what was begun; false if there is no room. It goes before all else: it may
   * have come from here itself, and then what follows it in its partition is still here.
   */
  boolean addFirst(AssignedPartition p, FetchedRecords records, int from) {
    return keep(p, records, from, true);
  }

  private boolean keep(AssignedPartition p, FetchedRecords records, int from, boolean isFirst) {
    int taken = records.to() - from;
    if (taken > mostBytes - bytes) {
      return false;
    }
    try {
      Kept copy = new Kept(p, records.keep(from, memory));
      if (isFirst) {
        queue.addFirst(copy);
      } else {
        queue.addLast(copy);
      }
    } catch (OutOfMemoryError e) { // neither direct memory nor the heap may have room
      return false;
    }
    bytes += taken;
    return true;
  }

  /** The oldest of a partition that is not paused any more, or has gone elsewhere. */
  @Nullable
  FetchedRecords next() {
    if (queue.isEmpty()) {
      return null;
    }
    for (Iterator<Kept> i = queue.iterator(); i.hasNext();) {
      Kept kept = i.next();
      if (kept.isDue()) {
        i.remove();
        bytes -= kept.records().bytes();
        return kept.records();
      }
    }
    return null;
  }

  void clear() {
    queue.clear();
    bytes = 0;
  }
}
