package dev.decant.kafka.consumer;

import dev.decant.kafka.fetch.FetchedRecords;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Copies of records that arrived before their partitions were paused. Copying them returns the memory of their
 * responses, so that other partitions are still fetched. The copies are bounded; records that do not fit are fetched
 * again. Polling thread only.
 */
final class KeptRecords {
  /** Copied records with their partition. */
  private record Kept(AssignedPartition partition, FetchedRecords records) {
    /** Returns true if the partition was resumed, or sought. */
    boolean isDue() {
      return !partition.paused || partition.seeks != records.seeks();
    }
  }

  /** Bound of {@link #bytes}. */
  private final int mostBytes;
  /** Allocates memory for copies. */
  private final IntFunction<ByteBuffer> memory;
  private final ArrayDeque<Kept> queue = new ArrayDeque<>();
  /** Size of all copies. */
  private int bytes;

  KeptRecords(int mostBytes, IntFunction<ByteBuffer> memory) {
    this.mostBytes = mostBytes;
    this.memory = memory;
  }

  /** Keeps records of a new response, from an index on, behind all others. Returns false if there is no room. */
  boolean addLast(AssignedPartition p, FetchedRecords records, int from) {
    return keep(p, records, from, false);
  }

  /**
   * Keeps the rest of records whose delivery has begun, from an index on, before all others. Returns false if there is
   * no room. The records may come from this queue, which then still has the records that follow them.
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
    } catch (OutOfMemoryError e) { // direct memory or the heap may be exhausted
      return false;
    }
    bytes += taken;
    return true;
  }

  /** Removes and returns the oldest records whose partition was resumed or sought; null if there are none. */
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
