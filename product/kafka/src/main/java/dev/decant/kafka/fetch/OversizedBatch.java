package dev.decant.kafka.fetch;

import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;

/**
 * The batch in which a response was cut off, as far as its header has arrived. Nothing of it is checked.
 *
 * @param bytes of the batch; of all records of the partition if its header is missing
 * @param next the offset behind it; -1 if that is not known
 * @param responseBytes of the whole response
 */
record OversizedBatch(long bytes, long next, long responseBytes) {
  /** The first batch of the partition that a response was cut off in. */
  static OversizedBatch of(FetchResponseReader cut, long responseBytes) {
    ByteBuffer buffer = cut.body().buffer();
    int at = cut.recordsFrom();
    int to = cut.body().limit();
    if (to - at < RecordBatchHeader.BYTES) {
      return new OversizedBatch(cut.recordsBytes(), -1, responseBytes);
    }
    int length = buffer.getInt(at + RecordBatchHeader.BATCH_LENGTH);
    return new OversizedBatch((long) RecordBatchHeader.UNCOUNTED_BYTES + length, BatchHeaders.endAt(buffer, at, to),
        responseBytes);
  }
}
