package dev.decant.fake.log;

import dev.decant.kafka.protocol.ErrorCode;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The producers that a log knows, with the checks of their epochs and sequence numbers (KIP-98, KIP-360). */
public final class ProducerTable {
  private final Map<Long, ProducerEntry> entries = new LinkedHashMap<>();
  /**
   * By producer id, the lowest sequence number in requests to coordinators since the last batch or marker of a
   * transaction.
   */
  private final Map<Long, Verification> verifications = new HashMap<>();

  ProducerTable() {}

  /** Takes over the producers of another log. */
  void copy(ProducerTable other) {
    other.entries.forEach((id, entry) -> entries.put(id, entry.copy()));
    other.verifications.forEach((id, verification) -> verifications.put(id, verification.copy()));
  }

  /** Returns a view of all entries, which changes with the log. */
  public Collection<ProducerEntry> entries() {
    return Collections.unmodifiableCollection(entries.values());
  }

  /** Returns the entry of a producer, or null. */
  public @Nullable ProducerEntry of(long producerId) {
    return entries.get(producerId);
  }

  /**
   * Records that a transaction's coordinator is asked before a batch is appended.
   *
   * @param batch header of the batch
   * @param hasEpochOfTransaction true if the producer has a new epoch with each transaction
   * @param nowMillis the broker's time
   */
  public void verifying(BatchOfProducer batch, boolean hasEpochOfTransaction, long nowMillis) {
    verifications.computeIfAbsent(batch.producerId(),
        id -> new Verification(nowMillis, hasEpochOfTransaction, batch.epoch(), batch.sequence()))
        .asked(batch.epoch(), batch.sequence());
  }

  private void checkVerification(StoredBatch batch, @Nullable ProducerEntry entry) throws AppendException {
    Verification verification = verifications.get(batch.producerId());
    boolean isKnown = entry != null && entry.hasBatches();
    if (verification != null && !verification.admits(batch.baseSequence(), isKnown)) {
      throw outOfOrder(batch, -1);
    }
  }

  private static AppendException outOfOrder(StoredBatch batch, int last) {
    return new AppendException(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, "Out of order sequence number for producer "
        + batch.producerId() + ": " + batch.baseSequence() + " (incoming seq. number), " + last
        + " (current end sequence number)");
  }

  /** Checks a batch of a producer; returns the batch that it repeats, or null for a new one. */
  ProducerEntry.@Nullable Batch check(StoredBatch batch) throws AppendException {
    ProducerEntry entry = entries.get(batch.producerId());
    if (entry == null) {
      checkVerification(batch, null);
      return null;
    }
    short epoch = batch.producerEpoch();
    int first = batch.baseSequence();
    int last = ProducerEntry.last(first, batch.recordCount() - 1);
    ProducerEntry.Batch earlier = entry.duplicate(epoch, first, last);
    if (earlier != null) {
      return earlier;
    }
    if (epoch < entry.epoch()) {
      throw new AppendException(ErrorCode.INVALID_PRODUCER_EPOCH, "Epoch of producer " + batch.producerId() + " is "
          + epoch + ", which is smaller than the last seen epoch " + entry.epoch());
    }
    checkVerification(batch, entry);
    if (!entry.follows(epoch, first)) {
      throw outOfOrder(batch, entry.lastSequence());
    }
    if (!entry.isIdle() && !batch.isTransactional()) {
      throw new AppendException(ErrorCode.INVALID_TXN_STATE, "Expected transactional write from producer "
          + batch.producerId());
    }
    return null;
  }

  void appended(StoredBatch batch, long appendTime) {
    int first = batch.baseSequence();
    ProducerEntry.Batch kept = new ProducerEntry.Batch(first, ProducerEntry.last(first, batch.lastOffsetDelta()),
        batch.baseOffset(), batch.lastOffset(), appendTime);
    entries.computeIfAbsent(batch.producerId(), ProducerEntry::new)
        .appended(batch.producerEpoch(), kept, batch.isTransactional(), batch.maxTimestamp());
    if (batch.isTransactional()) {
      verifications.remove(batch.producerId());
    }
  }

  void checkMarker(TransactionMarker marker) throws AppendException {
    ProducerEntry entry = entries.get(marker.producerId());
    if (entry == null) {
      return;
    }
    if (marker.producerEpoch() < entry.epoch()) {
      throw new AppendException(ErrorCode.INVALID_PRODUCER_EPOCH, "Epoch of producer " + marker.producerId() + " is "
          + marker.producerEpoch() + ", which is smaller than the last seen epoch " + entry.epoch());
    }
    if (marker.coordinatorEpoch() < entry.coordinatorEpoch()) {
      throw new AppendException(ErrorCode.TRANSACTION_COORDINATOR_FENCED, "the coordinator's epoch is "
          + marker.coordinatorEpoch() + ", a later one is " + entry.coordinatorEpoch());
    }
  }

  void marked(TransactionMarker marker, long nowMillis) {
    entries.computeIfAbsent(marker.producerId(), ProducerEntry::new)
        .marked(marker.producerEpoch(), marker.coordinatorEpoch(), nowMillis);
    Verification verification = verifications.get(marker.producerId());
    if (verification != null && !verification.outlasts(marker.producerEpoch())) {
      verifications.remove(marker.producerId());
    }
  }

  /**
   * Rebuilds the entries of some producers from the log, after the loss of its end: a producer without batches is
   * removed, and a transaction whose marker is lost is open again.
   */
  void replay(Set<Long> producerIds, List<StoredBatch> batches) {
    entries.keySet().removeAll(producerIds);
    for (StoredBatch batch : batches) {
      if (batch.producerId() < 0 || !producerIds.contains(batch.producerId())) {
        continue;
      }
      if (!batch.isControl()) {
        appended(batch, batch.isLogAppendTime() ? batch.maxTimestamp() : -1);
      } else if (batch.recordCount() > 0) {
        marked(TransactionMarker.of(batch), batch.maxTimestamp());
      }
    }
  }

  /**
   * Removes a producer, as brokers do after {@code producer.id.expiration.ms}; not while its transaction is open.
   *
   * @return true if the log knew it and has removed it
   */
  public boolean expire(long producerId) {
    ProducerEntry entry = entries.get(producerId);
    return entry != null && entry.isIdle() && entries.remove(producerId, entry);
  }

  /** Removes the producers that have appended nothing since a time and have no open transaction. */
  public void expireBefore(long timestamp) {
    entries.values().removeIf(entry -> entry.isIdle() && entry.lastTimestamp() <= timestamp);
    verifications.values().removeIf(verification -> verification.sinceMillis() <= timestamp);
  }
}
