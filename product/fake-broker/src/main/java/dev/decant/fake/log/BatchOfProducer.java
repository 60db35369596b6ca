package dev.decant.fake.log;

import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;

/**
 * The producer in a batch's header.
 *
 * @param producerId id of the producer
 * @param epoch epoch of the producer
 * @param sequence sequence number of the first record
 */
public record BatchOfProducer(long producerId, short epoch, int sequence) {
  /** Reads the header of a batch that begins at a buffer's position. */
  public static BatchOfProducer of(ByteBuffer batch) {
    int at = batch.position();
    return new BatchOfProducer(batch.getLong(at + RecordBatchHeader.PRODUCER_ID),
        batch.getShort(at + RecordBatchHeader.PRODUCER_EPOCH), batch.getInt(at + RecordBatchHeader.BASE_SEQUENCE));
  }
}
