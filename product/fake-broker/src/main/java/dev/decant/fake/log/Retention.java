package dev.decant.fake.log;

import java.util.List;

/**
 * The retention of a log.
 *
 * @param millis largest age of a segment's newest record, {@code retention.ms}; -1 for any age
 * @param bytes largest size of the log, {@code retention.bytes}; -1 for any size
 */
public record Retention(long millis, long bytes) {

  /** Returns the offset below which segments are deleted: those beyond the size, and then those beyond the age. */
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
