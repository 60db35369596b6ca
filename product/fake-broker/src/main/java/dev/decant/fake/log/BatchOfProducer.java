package dev.decant.fake.log;

import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;

/**
 * The producer of a batch, as its header says.
 *
 * @param producerId the producer
 * @param epoch the epoch of the producer
 * @param sequence the number of the first record
 */
public record BatchOfProducer(long producerId, short epoch, int sequence) {
  /** Reads it from a batch that begins at the position of a buffer. */
  public static BatchOfProducer of(ByteBuffer batch) {
    int at = batch.position();
    return new BatchOfProducer(batch.getLong(at + RecordBatchHeader.PRODUCER_ID),
        batch.getShort(at + RecordBatchHeader.PRODUCER_EPOCH), batch.getInt(at + RecordBatchHeader.BASE_SEQUENCE));
  }
}
