package dev.decant.fake.log;

import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.record.RecordWriter;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The end of a transaction in a log (KIP-98).
 *
 * <pre>
 *   key:   version int16, 0 | type int16: 0 abort, 1 commit
 *   value: version int16, 0 | coordinatorEpoch int32
 * </pre>
 *
 * @param producerId producer of the transaction
 * @param producerEpoch epoch that the coordinator has given the producer
 * @param isCommit true for a commit, false for an abort
 * @param coordinatorEpoch epoch of the coordinator
 */
public record TransactionMarker(long producerId, short producerEpoch, boolean isCommit, int coordinatorEpoch) {

  private static final int KEY_BYTES = 4;
  private static final int VALUE_BYTES = 6;

  /** Reads the marker in a batch of the log. */
  static TransactionMarker of(StoredBatch batch) {
    ByteBuffer bytes = batch.shared().duplicate();
    RecordBatchReader reader = new RecordBatchReader().wrap(bytes, 0, bytes.limit());
    if (!reader.nextBatch() || !reader.nextRecord()) {
      throw new IllegalStateException("no marker in " + batch);
    }
    return new TransactionMarker(batch.producerId(), batch.producerEpoch(),
        bytes.getShort(reader.keyOffset() + Short.BYTES) == 1, bytes.getInt(reader.valueOffset() + Short.BYTES));
  }

  ByteBuffer toBatch(long nowMillis, CRC32C crc) {
    byte[] key = ByteBuffer.allocate(KEY_BYTES).putShort((short) 0).putShort((short) (isCommit ? 1 : 0)).array();
    byte[] value = ByteBuffer.allocate(VALUE_BYTES).putShort((short) 0).putInt(coordinatorEpoch).array();
    int recordBytes = RecordWriter.totalSize(
        RecordWriter.bodySize(0, 0, KEY_BYTES, VALUE_BYTES, RecordWriter.NO_HEADERS_BYTES));
    ByteBuffer batch = ByteBuffer.allocate(RecordBatchHeader.BYTES + recordBytes);
    RecordBatchHeader header = new RecordBatchHeader();
    header.transactional = true;
    header.control = true;
    header.baseTimestamp = nowMillis;
    header.maxTimestamp = nowMillis;
    header.producerId = producerId;
    header.producerEpoch = producerEpoch;
    header.recordCount = 1;
    header.writeTo(batch, 0, recordBytes);
    RecordWriter.write(batch, RecordBatchHeader.BYTES, 0, 0, key, value);
    RecordBatchHeader.seal(crc, batch, 0, batch.limit());
    return batch;
  }
}
