package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.time.Clock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a send of one producer may have to wait for, {@code max.block.ms} at most: the topic's partitions, one partition
 * that the caller names, or memory. Any thread but the owner of the loop, on which listeners run.
 */
final class SendWaits {
  private final ClientInternals client;
  private final Clock clock;
  private final ProducerSettings settings;
  private final ProducerState state;
  private final PartitionRouter router;
  private final BatchMemory batchMemory;
  private final SendMemory memory;
  private final MissingPartitions missing;
  private final UnplacedRecords unplaced;
  private final BooleanSupplier isClosed;

  SendWaits(ClientInternals client, ProducerState state, PartitionRouter router, SendMemory memory,
      MissingPartitions missing, UnplacedRecords unplaced) {
    this.client = client;
    this.clock = client.loop().clock();
    this.settings = state.settings;
    this.state = state;
    this.router = router;
    this.batchMemory = state.batchMemory;
    this.memory = memory;
    this.missing = missing;
    this.unplaced = unplaced;
    this.isClosed = state::isClosed;
  }

  /** Throws an exception on a thread that runs listeners: what it would wait for comes by those listeners. */
  void requireNoListener(String what) {
    if (client.loop().isOwner()) {
      throw new IllegalStateException(what + ": not from within a listener, it waits for what listeners hold up");
    }
  }

  /**
   * Keeps a record of a producer that does not know the topic's partitions yet, or waits for them. Returns true if the
   * record is kept; the partitions are known otherwise.
   */
  boolean keepOrAwaitPartitions(PendingRecord record, byte @Nullable [] value, @Nullable SendListener listener) {
    router.requireFits(record);
    if (unplaced.offer(record, value, listener) == UnplacedRecords.Outcome.KEPT) {
      return true;
    }
    requireNoListener("send while the partitions are not known");
    long deadline = clock.nanoTime() + settings.maxBlockNanos();
    try {
      BooleanSupplier denied = client.cluster().deniedFromNow(settings.topic(), deadline);
      client.cluster().waiters().await(
          () -> state.isClosed() || router.queues().length > 0 || denied.getAsBoolean(), deadline);
    } catch (InterruptedException e) {
      throw interrupted("the topic's partitions were not known yet", e);
    }
    state.requireOpen();
    if (router.queues().length == 0) {
      throw unplaced.whyNotPlaced();
    }
    return false;
  }

  /** Waits for a partition that the caller has named and that is not known: it may have been added just now. */
  void awaitPartition(int partition) {
    requireNoListener("send to a partition that is not known");
    long deadline = clock.nanoTime() + settings.maxBlockNanos();
    try {
      missing.await(partition, deadline);
    } catch (InterruptedException e) {
      throw interrupted("partition " + partition + " was not known yet", e);
    }
  }

  /** Waits for memory behind the threads that wait already, and appends the record then. */
  void appendInTurn(PendingRecord record, byte @Nullable [] value, @Nullable SendListener listener) {
    requireNoListener("send while the memory is full");
    long deadline = clock.nanoTime() + settings.maxBlockNanos();
    SendMemory.Place place = batchMemory.awaitMemory(record, isClosed);
    record.isItsTurn = true;
    try {
      awaitTurn(place, deadline);
      while (!router.append(record, value, listener)) {
        place.refused();
        awaitTurn(place, deadline);
      }
    } finally {
      record.isItsTurn = false;
      place.leave();
    }
  }

  private void awaitTurn(SendMemory.Place place, long deadlineNanos) {
    long begunNanos = clock.nanoTime();
    try {
      if (!place.await(deadlineNanos)) {
        throw new KafkaTimeoutException("send to " + settings.topic() + ": no memory came free within "
            + settings.maxBlockNanos() / 1_000_000 + " ms; bufferMemory is " + memory.pool().maxBytes(),
            client.cluster().lastError());
      }
    } catch (InterruptedException e) {
      throw interrupted("the memory was full", e);
    } finally {
      client.telemetry().producer().metering().memoryAwaited(clock.nanoTime() - begunNanos);
    }
    state.requireOpen();
  }

  private KafkaException interrupted(String meanwhile, InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new KafkaException(ErrorCode.NONE, "send to " + settings.topic() + " was interrupted while " + meanwhile,
        cause);
  }
}
