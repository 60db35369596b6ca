package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.loop.Agent;
import org.jspecify.annotations.Nullable;

/**
 * Places the records that a producer accepted before it knew the topic's partitions, as soon as it knows them. Records
 * for which there is no memory follow when memory is released. Owner of the loop only.
 */
final class RecordPlacement {
  private final ClientInternals client;
  private final ProducerSettings settings;
  private final PartitionRouter router;
  private final BatchMemory batchMemory;
  private final UnplacedRecords unplaced;
  private final Runnable onPlaced;
  private final Agent agent = this::place;
  /** Queues in which records are placed; null before the partitions are known and after the last record. */
  private PartitionQueue @Nullable [] opening;

  /**
   * Begins without partitions.
   *
   * @param onPlaced runs in a later round than the last placement: there may be more partitions by then
   */
  RecordPlacement(ClientInternals client, ProducerState state, PartitionRouter router, UnplacedRecords unplaced,
      Runnable onPlaced) {
    this.client = client;
    this.settings = state.settings;
    this.router = router;
    this.batchMemory = state.batchMemory;
    this.unplaced = unplaced;
    this.onPlaced = onPlaced;
  }

  /** Returns true while records are being placed. */
  boolean isUnderWay() {
    return opening != null;
  }

  /** Begins to place records, unless that has begun: the partitions are known. */
  void begin(int partitions) {
    if (opening == null) {
      opening = router.grown(partitions);
      client.loop().add(agent);
      place();
    }
  }

  /** Places records until none is left or the memory is full. */
  private int place() {
    PartitionQueue[] all = opening;
    if (all == null || !batchMemory.hasRoom()) {
      return 0; // 1 would ask for another round at once, and the loop would spin until memory is released
    }
    PendingRecord record = new PendingRecord(); // one for all of them: it has memory of its own
    record.isItsTurn = true; // these records came before any that wait for memory
    if (!unplaced.place(kept -> place(all, record, kept), () -> router.open(all))) {
      return 1;
    }
    opening = null;
    client.loop().execute(() -> {
      client.loop().remove(agent);
      onPlaced.run();
    });
    client.cluster().waiters().signalAll();
    return 1;
  }

  /** Returns true if the record was placed or has failed; false if there is no memory for it now. */
  private boolean place(PartitionQueue[] all, PendingRecord record, UnplacedRecords.Unplaced kept) {
    record.restore(kept);
    try {
      return router.append(all, record, kept.value, kept.listener);
    } catch (Throwable e) { // the partition is not there, or the partitioner fails
      KafkaException reason = e instanceof KafkaException failure
          ? failure
          : new KafkaException(ErrorCode.NONE, "a record for " + settings.topic() + " has no partition: " + e, e);
      unplaced.fail(kept, reason);
      return true;
    }
  }

  /** Fails the records that are not placed yet. */
  void stop(KafkaException reason) {
    PartitionQueue[] all = opening;
    if (all != null) {
      opening = null;
      router.open(all); // first: a flush that finds no record waiting then waits for those in the queues
      client.loop().execute(() -> client.loop().remove(agent));
    }
    unplaced.close(reason);
  }
}
