package dev.decant.fake.log;

import dev.decant.kafka.record.RecordBatchReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * One pass of a log cleaner: the last record of each key is kept, with its offset. As in Kafka, a pass also keeps
 * tombstones and transaction markers for {@code delete.retention.ms} after the first pass that has met them (KIP-534).
 * It keeps the last batch of each producer, perhaps without its records, so that the producer's sequence continues.
 * Records of aborted transactions are removed. Records from the last stable offset on are not read.
 */
final class Compaction {
  private final List<StoredBatch> batches;
  private final ProducerTable producers;
  private final long upTo;
  private final long deleteRetentionMillis;
  private final long nowMillis;
  private final Codecs codecs;
  private final RecordBatchReader reader;
  private final CRC32C crc = new CRC32C();
  private final Map<ByteBuffer, Long> lastOffsets = new HashMap<>();
  private final CleanedTransactions transactions;

  /**
   * Prepares a pass.
   *
   * @param log log with the batches
   * @param upTo offset at which the pass ends
   * @param deleteRetentionMillis time for which tombstones stay
   * @param nowMillis the broker's time
   */
  Compaction(PartitionLog log, long upTo, long deleteRetentionMillis, long nowMillis) {
    this.batches = log.batches();
    this.producers = log.producers();
    this.upTo = upTo;
    this.deleteRetentionMillis = deleteRetentionMillis;
    this.nowMillis = nowMillis;
    this.codecs = log.codecs();
    this.reader = new RecordBatchReader(codecs);
    this.transactions = new CleanedTransactions(log.aborted(log.logStart(), upTo));
  }

  /** Returns the aborted transactions of which batches remain. */
  Set<AbortedTransaction> abortedThatStay() {
    return transactions.staying();
  }

  /** Cleans the log, and returns all remaining batches, with positions from a first one on. */
  List<StoredBatch> clean(long firstPosition) {
    findLastOffsets();
    List<StoredBatch> kept = new ArrayList<>();
    long position = firstPosition;
    int last = lastOfPass();
    for (int i = 0; i < batches.size(); i++) {
      StoredBatch batch = batches.get(i);
      ByteBuffer bytes = i > last ? batch.shared() : cleaned(batch, i == last);
      if (bytes.limit() > 0) {
        kept.add(new StoredBatch(bytes, position));
        position += bytes.limit();
      }
    }
    return kept;
  }

  private int lastOfPass() {
    int last = -1;
    while (last + 1 < batches.size() && batches.get(last + 1).lastOffset() < upTo) {
      last++;
    }
    return last;
  }

  private void findLastOffsets() {
    CleanedTransactions first = transactions.copy();
    for (StoredBatch batch : batches) {
      if (batch.lastOffset() >= upTo) {
        break;
      }
      if (!batch.isControl() && !first.isAborted(batch)) {
        read(batch, () -> {
          if (reader.hasKey()) {
            lastOffsets.put(ByteBuffer.wrap(bytesOf(reader.keyOffset(), reader.keyLength())), reader.offset());
          }
        });
      }
    }
  }

  private void read(StoredBatch batch, Runnable each) {
    ByteBuffer bytes = batch.shared().duplicate();
    reader.wrap(bytes, 0, bytes.limit());
    if (!reader.nextBatch()) {
      throw new IllegalStateException("a stored batch is not whole: " + batch);
    }
    while (reader.nextRecord()) {
      each.run();
    }
  }

  private byte[] bytesOf(int at, int length) {
    byte[] copy = new byte[length];
    reader.buffer().get(at, copy);
    return copy;
  }

  /** Returns the bytes that remain of a batch; none if the whole batch is removed. */
  private ByteBuffer cleaned(StoredBatch batch, boolean isLastOfPass) {
    boolean isDiscardable = batch.isControl() ? transactions.isOverWithoutData(batch) : transactions.isAborted(batch);
    boolean isDiscarded = isDiscardable
        && (!batch.isControl() || (batch.hasDeleteHorizon() && batch.baseTimestamp() <= nowMillis));
    boolean staysEmpty = isLastOfPass || isLastOfItsProducer(batch);
    if (isDiscarded) {
      return staysEmpty ? CleanedBatch.empty(batch, crc) : CleanedBatch.NOTHING;
    }
    CleanedBatch left = new CleanedBatch(batch);
    boolean mayDeleteTombstones = batch.hasDeleteHorizon() && nowMillis >= batch.baseTimestamp();
    read(batch, () -> {
      if (isKept(batch, mayDeleteTombstones)) {
        left.keep(reader);
      }
    });
    if (left.isEmpty()) {
      return staysEmpty ? CleanedBatch.empty(batch, crc) : CleanedBatch.NOTHING;
    }
    boolean getsHorizon = !batch.hasDeleteHorizon()
        && (left.hasTombstones() || (batch.isControl() && isDiscardable));
    return left.isWhole() && !getsHorizon
        ? batch.shared()
        : left.written(getsHorizon ? nowMillis + deleteRetentionMillis : CleanedBatch.SAME_HORIZON, codecs, crc);
  }

  private boolean isKept(StoredBatch batch, boolean mayDeleteTombstones) {
    if (batch.isControl()) {
      return true;
    }
    if (!reader.hasKey()) {
      return false;
    }
    Long last = lastOffsets.get(ByteBuffer.wrap(bytesOf(reader.keyOffset(), reader.keyLength())));
    return last != null && reader.offset() >= last && (reader.valueLength() >= 0 || !mayDeleteTombstones);
  }

  private boolean isLastOfItsProducer(StoredBatch batch) {
    ProducerEntry entry = batch.producerId() < 0 ? null : producers.of(batch.producerId());
    if (entry == null) {
      return false;
    }
    return entry.lastOffset() >= 0
        ? entry.lastOffset() == batch.lastOffset()
        : batch.isControl() && batch.producerEpoch() == entry.epoch();
  }
}
