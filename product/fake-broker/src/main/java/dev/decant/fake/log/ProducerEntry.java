package dev.decant.fake.log;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What a log knows of a producer: its epoch, its last five batches, and where its open transaction begins. The rules
 * are those of brokers: a batch that is one of the five is a retry, and any other one has to follow the last.
 */
public final class ProducerEntry {
  /** No transaction is open. */
  public static final long NO_TRANSACTION = -1;
  static final short NO_EPOCH = -1;
  private static final int NO_SEQUENCE = -1;
  private static final int KEPT_BATCHES = 5;

  private final long producerId;
  private final ArrayDeque<Batch> batches = new ArrayDeque<>(KEPT_BATCHES);
  private short epoch = NO_EPOCH;
  private int coordinatorEpoch = -1;
  private long transactionFirstOffset = NO_TRANSACTION;
  private long lastTimestamp = -1;

  /** A batch of the producer that is in the log. */
  record Batch(int firstSequence, int lastSequence, long baseOffset, long lastOffset, long logAppendTime) {}

  ProducerEntry(long producerId) {
    this.producerId = producerId;
  }

  /** An entry of the same that changes apart from this one. */
  ProducerEntry copy() {
    ProducerEntry copy = new ProducerEntry(producerId);
    copy.batches.addAll(batches);
    copy.epoch = epoch;
    copy.coordinatorEpoch = coordinatorEpoch;
    copy.transactionFirstOffset = transactionFirstOffset;
    copy.lastTimestamp = lastTimestamp;
    return copy;
  }

  /** Whose entry it is. */
  public long producerId() {
    return producerId;
  }

  /** The epoch of the last batch or marker, -1 if there was none. */
  public short epoch() {
    return epoch;
  }

  /** Whether the log has a batch of the epoch. */
  boolean hasBatches() {
    return !batches.isEmpty();
  }

  /** The sequence number of the last record, -1 if the epoch has none. */
  public int lastSequence() {
    return batches.isEmpty() ? NO_SEQUENCE : batches.getLast().lastSequence();
  }

  /** The offset of the last record, -1 if the epoch has none. */
  long lastOffset() {
    return batches.isEmpty() ? -1 : batches.getLast().lastOffset();
  }

  /** The timestamp of the last batch or marker in milliseconds, -1 if there was none. */
  public long lastTimestamp() {
    return lastTimestamp;
  }

  /** The epoch of the coordinator that has written the last marker, -1 if there was none. */
  public int coordinatorEpoch() {
    return coordinatorEpoch;
  }

  /** Where the open transaction begins, {@link #NO_TRANSACTION} if none is open. */
  public long transactionFirstOffset() {
    return transactionFirstOffset;
  }

  /** The batch that a retry repeats, or null. */
  @Nullable
  Batch duplicate(short batchEpoch, int firstSequence, int lastSequence) {
    if (batchEpoch != epoch) {
      return null;
    }
    for (Batch batch : batches) {
      if (batch.firstSequence() == firstSequence && batch.lastSequence() == lastSequence) {
        return batch;
      }
    }
    return null;
  }

  /** Whether a batch with a sequence number may follow what is in the log. */
  boolean follows(short batchEpoch, int firstSequence) {
    if (epoch == NO_EPOCH) {
      return true; // nothing is known of the producer: any number will do (KIP-360)
    }
    if (batchEpoch != epoch) {
      return firstSequence == 0;
    }
    int last = lastSequence();
    return last == NO_SEQUENCE ? firstSequence == 0 : firstSequence == next(last);
  }

  private static int next(int sequence) {
    return sequence == Integer.MAX_VALUE ? 0 : sequence + 1;
  }

  /** The sequence number of the last of so many records. */
  static int last(int firstSequence, int lastOffsetDelta) {
    return (int) (((long) firstSequence + lastOffsetDelta) % (1L << 31));
  }

  void appended(short batchEpoch, Batch batch, boolean isTransactional, long timestamp) {
    becomeEpoch(batchEpoch);
    if (batches.size() == KEPT_BATCHES) {
      batches.removeFirst();
    }
    batches.addLast(batch);
    lastTimestamp = timestamp;
    if (isTransactional && transactionFirstOffset == NO_TRANSACTION) {
      transactionFirstOffset = batch.baseOffset();
    }
  }

  void marked(short markerEpoch, int ofCoordinator, long timestamp) {
    becomeEpoch(markerEpoch);
    coordinatorEpoch = ofCoordinator;
    lastTimestamp = timestamp;
    transactionFirstOffset = NO_TRANSACTION;
  }

  private void becomeEpoch(short newEpoch) {
    if (newEpoch != epoch) {
      batches.clear();
      epoch = newEpoch;
    }
  }

  /** Whether it has no transaction open. */
  public boolean isIdle() {
    return transactionFirstOffset == NO_TRANSACTION;
  }
}
