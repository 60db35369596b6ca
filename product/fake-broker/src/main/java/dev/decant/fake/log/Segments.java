package dev.decant.fake.log;

import java.util.ArrayList;
import java.util.List;

/**
 * The start offsets of a log's segments. The log has no files, but retention deletes whole segments, so tests depend on
 * them. A segment is closed by its size, or by the time between its first batch and the next one.
 */
final class Segments {
  private static final long NO_TIMESTAMP = -1;

  /** Base offsets, oldest first; the last segment is the growing one. Empty until the first batch of the log. */
  private final List<Long> starts = new ArrayList<>(1);
  private long bytes;
  /** Timestamp of the first batch of the last segment, and the broker's time at its append. */
  private long firstTimestamp = NO_TIMESTAMP;
  private long firstMillis;

  /** Takes over the segments of another log. */
  void copy(Segments other) {
    starts.addAll(other.starts);
    bytes = other.bytes;
    firstTimestamp = other.firstTimestamp;
    firstMillis = other.firstMillis;
  }

  /** Starts another segment if the last one has no room or time for a batch. */
  void beforeAppend(StoredBatch batch, long offset, LogSettings settings, long nowMillis) {
    boolean isFull = bytes > settings.segmentBytes() - batch.size();
    long waited = firstTimestamp < 0 ? nowMillis - firstMillis : batch.maxTimestamp() - firstTimestamp;
    if (starts.isEmpty() || bytes == 0 || isFull || waited > settings.segmentMs()) {
      if (starts.isEmpty() || bytes > 0) {
        starts.add(offset);
      }
      bytes = 0;
      firstTimestamp = batch.maxTimestamp();
      firstMillis = nowMillis;
    }
    bytes += batch.size();
  }

  /** Returns the first offset after the segment of an offset; the largest number in the last segment. */
  long endOf(long offset) {
    for (long start : starts) {
      if (start > offset) {
        return start;
      }
    }
    return Long.MAX_VALUE;
  }

  /** Removes the segments that end at an offset or below. After the last segment an empty one follows. */
  void deleteBelow(long offset, boolean isAll) {
    while (starts.size() > 1 && starts.get(1) <= offset) {
      starts.removeFirst();
    }
    if (isAll) {
      starts.clear();
      starts.add(offset);
      bytes = 0;
    }
  }

  /** Removes segments that were started at an offset or later. */
  void truncate(long offset, List<StoredBatch> left) {
    while (starts.size() > 1 && starts.getLast() >= offset) {
      starts.removeLast();
    }
    measure(left);
  }

  /** Measures the last segment after its batches have changed. */
  void measure(List<StoredBatch> batches) {
    if (starts.isEmpty()) {
      return;
    }
    bytes = 0;
    firstTimestamp = NO_TIMESTAMP;
    for (int i = batches.size() - 1; i >= 0 && batches.get(i).baseOffset() >= starts.getLast(); i--) {
      bytes += batches.get(i).size();
      firstTimestamp = batches.get(i).maxTimestamp();
    }
  }
}
