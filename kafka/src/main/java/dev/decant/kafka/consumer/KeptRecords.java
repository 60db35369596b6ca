package dev.decant.kafka.consumer;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * What was fetched of partitions before they were paused, for the time after: copies, so that the answers they came in
 * give their memory back and others go on. Bounded; what does not fit is fetched again. Polling thread only.
 */
final class KeptRecords {
  private static final ResponseMemory NONE = new ResponseMemory(null, () -> {});

  private final int mostBytes;
  private final ArrayDeque<FetchedRecords> queue = new ArrayDeque<>();
  private int bytes;

  KeptRecords(int mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** Keeps what begins at an index; false if there is no room. */
  boolean add(FetchedRecords records, int from) {
    ByteBuffer all = records.records();
    int length = all.limit() - from;
    if (length > mostBytes - bytes) {
      return false;
    }
    ByteBuffer rest = all;
    if (records.memory() != NONE) {
      rest = ByteBuffer.allocateDirect(length);
      rest.put(0, all, from, length);
    } else if (from != all.position()) {
      rest = all.duplicate().position(from);
    }
    queue.add(new FetchedRecords(records.broker(), records.partition(), records.seeks(), records.fetchOffset(), rest,
        records.aborted(), NONE));
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
        bytes -= records.records().remaining();
        return records;
      }
    }
    return null;
  }
}
