package dev.decant.kafka.consumer;

import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * What was fetched of partitions before they were paused, for the time after: copies, so that the answers they came in
 * give their memory back and others go on. Bounded; what does not fit is fetched again. Polling thread only.
 */
final class KeptRecords {
  private final int mostBytes;
  private final ArrayDeque<FetchedRecords> queue = new ArrayDeque<>();
  private int bytes;

  KeptRecords(int mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** Keeps what begins at an index; false if there is no room. */
  boolean add(FetchedRecords records, int from) {
    int length = records.to() - from;
    if (length > mostBytes - bytes) {
      return false;
    }
    queue.add(records.keep(from));
    bytes += length;
    return true;
  }

  /** The oldest of a partition that is not paused any more, or has gone elsewhere. */
  @Nullable
  FetchedRecords next() {
    if (queue.isEmpty()) {
      return null;
    }
    for (Iterator<FetchedRecords> i = queue.iterator(); i.hasNext();) {
      FetchedRecords records = i.next();
      AssignedPartition p = records.partition();
      if (!p.paused || p.seeks != records.seeks()) {
        i.remove();
        bytes -= records.bytes();
        return records;
      }
    }
    return null;
  }
}
