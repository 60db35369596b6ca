package dev.decant.fake.log;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A producer's state in a log: its epoch, its last five batches, and the begin of its open transaction. The rules are
 * those of brokers: a batch equal to one of the five is a retry, and any other batch must follow the last one.
 */
public final class ProducerEntry {
  /** The begin if no transaction is open. */
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

  /** A batch of the producer in the log. */
  record Batch(int firstSequence, int lastSequence, long baseOffset, long lastOffset, long logAppendTime) {}

  ProducerEntry(long producerId) {
    this.producerId = producerId;
  }

  /** Returns an independent copy. */
  ProducerEntry copy() {
    ProducerEntry copy = new ProducerEntry(producerId);
    copy.batches.addAll(batches);
    copy.epoch = epoch;
    copy.coordinatorEpoch = coordinatorEpoch;
    copy.transactionFirstOffset = transactionFirstOffset;
    copy.lastTimestamp = lastTimestamp;
    return copy;
  }

  /** Returns the producer id. */
  public long producerId() {
    return producerId;
  }

  /** Returns the epoch of the last batch or marker, -1 if there was none. */
  public short epoch() {
    return epoch;
  }

  /** Returns true if the log has a batch of the epoch. */
  boolean hasBatches() {
    return !batches.isEmpty();
  }

  /** Returns the sequence number of the last record, -1 if the epoch has none. */
  public int lastSequence() {
    return batches.isEmpty() ? NO_SEQUENCE : batches.getLast().lastSequence();
  }

  /** Returns the offset of the last record, -1 if the epoch has none. */
  long lastOffset() {
    return batches.isEmpty() ? -1 : batches.getLast().lastOffset();
  }

  /** Returns the timestamp of the last batch or marker in milliseconds, -1 if there was none. */
  public long lastTimestamp() {
    return lastTimestamp;
  }

  /** Returns the epoch of the coordinator that has written the last marker, -1 if there was none. */
  public int coordinatorEpoch() {
    return coordinatorEpoch;
  }

  /** Returns the first offset of the open transaction, {@link #NO_TRANSACTION} if none is open. */
  public long transactionFirstOffset() {
    return transactionFirstOffset;
  }

  /** Returns the batch that a retry repeats, or null. */
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

  /** Returns true if a batch with a sequence number may follow the log's last one. */
  boolean follows(short batchEpoch, int firstSequence) {
    if (epoch == NO_EPOCH) {
      return true; // an unknown producer may begin with any number (KIP-360)
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

  /** Returns the sequence number of the last record of a batch. */
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

  /** Returns true if no transaction is open. */
  public boolean isIdle() {
    return transactionFirstOffset == NO_TRANSACTION;
  }
}
