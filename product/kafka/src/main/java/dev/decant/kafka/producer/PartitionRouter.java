package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.ClusterSnapshot;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.telemetry.ProducerEvents;
import dev.decant.kafka.transaction.SequenceNumbers;
import dev.decant.kafka.transaction.TransactionMember;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Finds the partition of each record: the one that the caller names, the one of its key, or the one whose batch the
 * producer fills now.
 *
 * <p>Any thread, where not said otherwise.
 */
final class PartitionRouter {
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  /** A number that no other router has. */
  private final int number = NUMBERS.incrementAndGet();
  private final Sender sender;
  private final ProducerState producer;
  private final ProducerSettings settings;
  private final Partitioner partitioner;
  private final StickyPartitions stickyPartitions;
  private final ProducerEvents events;
  /** The queues by partition. Replaced by the owner of the loop when partitions are added, read by any thread. */
  private volatile PartitionQueue[] queues = {};

  PartitionRouter(Sender sender, ProducerState producer, ProducerEvents events) {
    this.sender = sender;
    this.producer = producer;
    this.events = events;
    this.settings = producer.settings;
    this.partitioner = settings.partitioner();
    this.stickyPartitions = new StickyPartitions(settings.rack());
  }

  /** The queues by partition; empty until the partitions are known. */
  PartitionQueue[] queues() {
    return queues;
  }

  /** Opens these queues: the partitions are known. */
  void open(PartitionQueue[] all) {
    queues = all;
  }

  /** Takes the first turn of records without a key. */
  void beginTurns() {
    stickyPartitions.begin(queues);
  }

  /** Takes new metadata. Owner of the loop only, once the producer is open. */
  void update(TopicMetadata topic, ClusterSnapshot cluster) {
    stickyPartitions.update(topic, cluster);
  }

  /**
   * Returns the present queues and new ones for further partitions. Owner of the loop only, once the producer is open.
   */
  PartitionQueue[] grown(int partitions) {
    TransactionMember member = producer.transaction;
    PartitionQueue[] before = queues;
    PartitionQueue[] after = Arrays.copyOf(before, partitions);
    for (int p = before.length; p < partitions; p++) {
      after[p] = new PartitionQueue(producer, p, member == null ? new SequenceNumbers() : member.numbers(p));
    }
    if (member != null) {
      member.adopt(after);
    }
    return after;
  }

  /**
   * Drops partitions of a topic that was deleted and made again with fewer ones, and fails the records that wait for
   * them. Owner of the loop only.
   */
  void shrink(int partitions) {
    PartitionQueue[] before = queues;
    queues = Arrays.copyOf(before, partitions);
    KafkaException reason = new KafkaException(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        "topic " + settings.topic() + " was made again with " + partitions + " partitions");
    for (int p = partitions; p < before.length; p++) {
      before[p].close();
      sender.closing().abandon(before[p].sends, reason);
    }
    if (producer.transaction != null) {
      producer.transaction.adopt(queues);
    }
  }

  /** Takes no record from now on. */
  void close() {
    for (PartitionQueue queue : queues) {
      queue.close();
    }
  }

  /** Appends a record to a batch; false if there is no memory for it now. */
  boolean append(PendingRecord record, byte @Nullable [] value, @Nullable SendListener listener) {
    return append(queues, record, value, listener);
  }

  /** As above, to queues that {@link #queues} may not have yet. */
  boolean append(PartitionQueue[] all, PendingRecord record, byte @Nullable [] value,
      @Nullable SendListener listener) {
    int chosen = record.partition >= 0
        ? record.partition
        : partitioner.partition(record.keyBytes, record.keySize, all.length);
    boolean sticky = chosen == Partitioner.STICKY;
    if (!sticky && (chosen < 0 || chosen >= all.length)) {
      throw noSuchPartition(chosen, all.length);
    }
    int wanted = sticky ? stickyPartitions.current(record.stripeIn(number)) : chosen;
    record.mayGoElsewhere = sticky && all.length > 1;
    PartitionQueue queue = queueOf(all, wanted);
    return queue.append(record, value, listener) || appendSlowPath(all, queue, record, value, listener);
  }

  /** Appends a record that needs another chunk, batch or partition. */
  private boolean appendSlowPath(PartitionQueue[] all, PartitionQueue first, PendingRecord record,
      byte @Nullable [] value, @Nullable SendListener listener) {
    requireFits(record);
    StackRoom.require();
    record.needsWakeup = false;
    PartitionQueue queue = first;
    do {
      if (record.isContended()) {
        queue = away(all, record);
        if (queue.append(record, value, listener)) {
          break;
        }
      }
      int outcome = queue.appendToNewChunk(record, value, listener);
      switch (outcome) {
        case PartitionQueue.CLOSED -> {
          return appendAfterChange(all, record, value, listener);
        }
        case PartitionQueue.BUFFER_FULL -> {
          events.exhausted(settings.topic(), producer.batchMemory.leasedBytes());
          return false;
        }
        case PartitionQueue.NOT_ACCEPTING -> requireAccepting();
        case PartitionQueue.BATCH_FULL, PartitionQueue.BATCH_SENT -> queue = elsewhere(all, queue, record, outcome);
        default -> {
        }
      }
      if (outcome == PartitionQueue.APPENDED) {
        break;
      }
    } while (!queue.append(record, value, listener));
    wakeSender(queue, record);
    return true;
  }

  /** Appends to the present queues after one was closed: its partition was dropped, or the producer is closed. */
  private boolean appendAfterChange(PartitionQueue[] before, PendingRecord record, byte @Nullable [] value,
      @Nullable SendListener listener) {
    producer.requireOpen();
    PartitionQueue[] now = queues;
    return append(now.length == 0 ? before : now, record, value, listener);
  }

  private void requireAccepting() {
    TransactionMember transaction = producer.transaction;
    if (transaction != null) {
      transaction.requireAccepting();
    }
  }

  /** Wakes the sender for a full or new batch. Before the record goes to another partition, where it may throw. */
  private void wakeSender(PartitionQueue queue, PendingRecord record) {
    if (record.needsWakeup) {
      record.needsWakeup = false;
      if (!record.senderDrives) {
        sender.wakeFor(queue);
      }
    }
  }

  /** Returns the next partition after a batch that is full or has left. All threads that send there go together. */
  private PartitionQueue elsewhere(PartitionQueue[] all, PartitionQueue queue, PendingRecord record, int outcome) {
    record.mayGoElsewhere = false; // once: in the next partition the record may begin a batch
    if (outcome == PartitionQueue.BATCH_SENT && stickyPartitions.current(record.stripe()) == queue.partition) {
      record.comeBack();
    }
    int next = stickyPartitions.after(record.stripe(), queue.partition, all);
    wakeSender(queue, record);
    return queueOf(all, next);
  }

  /** Returns a partition with less contention: other threads write to the same batch. */
  private PartitionQueue away(PartitionQueue[] all, PendingRecord record) {
    record.mayGoElsewhere = false; // once, as above
    record.moveTo(stickyPartitions.stripeAfter(record.stripe(), all));
    return queueOf(all, stickyPartitions.current(record.stripe()));
  }

  private static PartitionQueue queueOf(PartitionQueue[] all, int partition) {
    return all[partition < all.length ? partition : 0]; // partitions may have become fewer
  }

  private IllegalArgumentException noSuchPartition(int chosen, int partitions) {
    return new IllegalArgumentException("partition " + chosen + " was chosen for a record, but " + settings.topic()
        + " has partitions 0 to " + (partitions - 1));
  }

  /** Refuses a record that no request or chunk can take. */
  void requireFits(PendingRecord record) {
    int most = Chunk.mostBytes(record) + ProducerBatch.HEADER_BYTES;
    int bound = producer.batchMemory.largestRecordBytes();
    if (most > settings.maxRequestBytes() || most > bound) {
      throw new KafkaException(ErrorCode.MESSAGE_TOO_LARGE, "a record for " + settings.topic() + " may take " + most
          + " bytes; maxRequestSize is " + settings.maxRequestBytes() + ", and with this bufferMemory the bound is "
          + bound);
    }
  }
}
