package dev.decant.fake.log;

import dev.decant.kafka.protocol.ErrorCode;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The producers that a log knows, with the checks of their epochs and sequence numbers (KIP-98, KIP-360). */
public final class ProducerTable {
  private final Map<Long, ProducerEntry> entries = new LinkedHashMap<>();

  ProducerTable() {}

  /** All entries. A view that changes with the log. */
  public Collection<ProducerEntry> entries() {
    return Collections.unmodifiableCollection(entries.values());
  }

  /** The entry of a producer, or null. */
  public @Nullable ProducerEntry of(long producerId) {
    return entries.get(producerId);
  }

  /** Checks a batch of a producer; returns the batch that it repeats, or null for a new one. */
  ProducerEntry.@Nullable Batch check(StoredBatch batch) throws AppendException {
    ProducerEntry entry = entries.get(batch.producerId());
    if (entry == null) {
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
    if (!entry.follows(epoch, first)) {
      throw new AppendException(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, "Out of order sequence number for producer "
          + batch.producerId() + ": " + first + " (incoming seq. number), " + entry.lastSequence()
          + " (current end sequence number)");
    }
    return null;
  }

  void appended(StoredBatch batch, long appendTime) {
    int first = batch.baseSequence();
    ProducerEntry.Batch kept = new ProducerEntry.Batch(first, ProducerEntry.last(first, batch.recordCount() - 1),
        batch.baseOffset(), batch.lastOffset(), appendTime);
    entries.computeIfAbsent(batch.producerId(), ProducerEntry::new)
        .appended(batch.producerEpoch(), kept, batch.isTransactional(), batch.maxTimestamp());
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
  }

  void truncate(long offset) {
    entries.values().forEach(entry -> entry.truncate(offset));
  }

  /**
   * Forgets a producer, as brokers do after {@code producer.id.expiration.ms}; not while its transaction is open.
   *
   * @return whether the log knew it and forgets it
   */
  public boolean expire(long producerId) {
    ProducerEntry entry = entries.get(producerId);
    return entry != null && entry.isIdle() && entries.remove(producerId, entry);
  }

  /** Forgets the producers that have appended nothing since a time and have no transaction open. */
  public void expireBefore(long timestamp) {
    entries.values().removeIf(entry -> entry.isIdle() && entry.lastTimestamp() <= timestamp);
  }
}
