package dev.decant.fake.log;

import java.util.List;

/**
 * How much of a log is kept.
 *
 * @param millis how old the newest record of a segment may be, {@code retention.ms}; -1 for any age
 * @param bytes how large the log may be, {@code retention.bytes}; -1 for any size
 */
public record Retention(long millis, long bytes) {

  /** The offset below which segments are deleted: those that are too many, and then those that are too old. */
  long firstKept(List<StoredBatch> batches, Segments segments, long highWatermark, long nowMillis) {
    long size = 0;
    for (StoredBatch batch : batches) {
      size += batch.size();
    }
    long tooMuch = bytes < 0 ? -1 : size - bytes;
    long kept = batches.isEmpty() ? 0 : batches.getFirst().baseOffset();
    boolean byAge = false;
    int next = 0;
    while (next < batches.size()) {
      long segmentEnd = segments.endOf(batches.get(next).baseOffset());
      long segmentBytes = 0;
      long newest = -1;
      int after = next;
      for (; after < batches.size() && batches.get(after).baseOffset() < segmentEnd; after++) {
        segmentBytes += batches.get(after).size();
        newest = Math.max(newest, batches.get(after).maxTimestamp());
      }
      long end = batches.get(after - 1).lastOffset() + 1;
      boolean isTooMuch = !byAge && bytes >= 0 && tooMuch >= segmentBytes;
      boolean isTooOld = millis >= 0 && newest >= 0 && nowMillis - newest > millis;
      if (end > highWatermark || !(isTooMuch || isTooOld)) {
        return kept;
      }
      byAge = !isTooMuch;
      tooMuch -= segmentBytes;
      kept = end;
      next = after;
    }
    return kept;
  }
}
