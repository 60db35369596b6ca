package dev.decant.fake.log;

import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.record.UnsupportedCompressionException;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;

/** Reads the records of a log one after another. Owner of the loop only. */
public final class RecordVisitor {
  private final PartitionLog log;
  private final RecordBatchReader reader;

  public RecordVisitor(PartitionLog log) {
    this.log = log;
    this.reader = new RecordBatchReader(log.codecs());
  }

  /**
   * Calls a visitor for each readable record, except transaction markers.
   *
   * @param each takes the batch, and a reader at the record
   */
  public void visit(BiConsumer<StoredBatch, RecordBatchReader> each) {
    for (StoredBatch batch : log.batches()) {
      if (!batch.isControl()) {
        visit(batch, log.logStart(), each);
      }
    }
  }

  private void visit(StoredBatch batch, long logStart, BiConsumer<StoredBatch, RecordBatchReader> each) {
    ByteBuffer bytes = batch.shared().duplicate();
    reader.wrap(bytes, 0, bytes.limit());
    try {
      boolean whole = reader.nextBatch();
      while (whole && reader.nextRecord()) {
        if (reader.offset() >= logStart) {
          each.accept(batch, reader);
        }
      }
    } catch (UnsupportedCompressionException e) {
      // records without a codec are left out
    }
  }
}
