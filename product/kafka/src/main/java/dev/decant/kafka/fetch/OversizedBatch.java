package dev.decant.kafka.fetch;

import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;

/**
 * The batch in which a response was cut off, by as much of its header as has arrived. Nothing is checked.
 *
 * @param bytes size of the batch; of all records of the partition if the header is missing
 * @param next offset behind the batch; -1 if not known
 * @param responseBytes size of the whole response
 */
record OversizedBatch(long bytes, long next, long responseBytes) {
  /** Reads the first batch of the partition in which a response was cut off. */
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
