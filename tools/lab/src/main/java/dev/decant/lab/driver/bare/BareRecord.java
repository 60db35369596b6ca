package dev.decant.lab.driver.bare;

import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordWriter;
import dev.decant.lab.driver.Stamps;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A Produce request of one record, as {@link BareMessages#produce} makes it, whose {@link Stamps} are overwritten
 * before each send. One thread at a time. After construction, nothing is allocated.
 *
 * <pre>
 *   | ... partition | batch header | record: ... length of value, value, no headers int8 | tags | tags | tags |
 * </pre>
 */
final class BareRecord {
  /** Bytes of the tags of partition, topic and request, which are all empty. */
  private static final int TAGS_BYTES = 3;

  private final CRC32C crc = new CRC32C();
  private final int partition;
  private final ByteBuffer frame;
  private final int batchBytes;
  /** Indexes of the batch and of the record's value in the frame. */
  private final int batchAt;
  private final int valueAt;

  /**
   * Makes a request.
   *
   * @param valueBytes at least {@link Stamps#BYTES}
   */
  BareRecord(String topic, int partition, int valueBytes) {
    this.partition = partition;
    frame = BareMessages.produce(topic, partition, new byte[valueBytes]);
    batchBytes = RecordBatchHeader.BYTES + RecordWriter.totalSize(
        RecordWriter.bodySize(0, 0, RecordWriter.NULL, valueBytes, RecordWriter.NO_HEADERS_BYTES));
    int batchEnd = frame.limit() - TAGS_BYTES;
    batchAt = batchEnd - batchBytes;
    valueAt = batchEnd - RecordWriter.NO_HEADERS_BYTES - valueBytes;
  }

  int partition() {
    return partition;
  }

  /**
   * Writes both times, and the checksum that the batch then has.
   *
   * @param intendedNanos when the record is due
   * @param sentNanos when the record is sent
   * @return the request with its length in front; the same buffer each time
   */
  ByteBuffer stamped(long intendedNanos, long sentNanos) {
    Stamps.write(frame, valueAt, intendedNanos, sentNanos);
    RecordBatchHeader.seal(crc, frame, batchAt, batchBytes);
    return frame;
  }
}
