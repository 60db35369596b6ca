package dev.decant.fake.log;

import java.util.ArrayList;
import java.util.List;

/**
 * Where the segments of a log begin. The log has no files; retention alone deletes whole segments, so tests see that
 * they are there. A segment is closed by its size, or by the time between its first batch and the next one.
 */
final class Segments {
  private static final long NO_TIMESTAMP = -1;

  /** Base offsets, oldest first; the last segment is the one that grows. Empty while the log has had no batch. */
  private final List<Long> starts = new ArrayList<>(1);
  private long bytes;
  /** The timestamp of the first batch of the last segment, and the broker's time at its append. */
  private long firstTimestamp = NO_TIMESTAMP;
  private long firstMillis;

  /** Has what another log has. */
  void copy(Segments other) {
    starts.addAll(other.starts);
    bytes = other.bytes;
    firstTimestamp = other.firstTimestamp;
    firstMillis = other.firstMillis;
  }

  /** Begins another segment if the last one is not to take a batch. */
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

  /** The first offset behind the segment that an offset is in; the largest number in the last segment. */
  long endOf(long offset) {
    for (long start : starts) {
      if (start > offset) {
        return start;
      }
    }
    return Long.MAX_VALUE;
  }

  /** Forgets the segments that end at an offset or below; after the last one follows another that is empty. */
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

  /** Forgets what was appended from an offset on. */
  void truncate(long offset, List<StoredBatch> left) {
    while (starts.size() > 1 && starts.getLast() >= offset) {
      starts.removeLast();
    }
    measure(left);
  }

  /** Measures the last segment anew, after its batches have changed. */
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
