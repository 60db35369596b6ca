package dev.decant.fake.transaction;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.TransactionGate;
import dev.decant.fake.log.BatchOfProducer;
import dev.decant.fake.log.ProducerEntry;
import dev.decant.fake.log.ProducerTable;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks batches of transactions before logs take them (KIP-890). From version 12 on a Produce request adds its
 * partitions to the transaction; before, the coordinator must have them already. Releases before 3.6 do not check.
 */
final class ProduceGate implements TransactionGate {
  private static final int FIRST_THAT_ADDS = 12;
  /** First version whose clients know {@link ErrorCode#TRANSACTION_ABORTABLE}. */
  private static final int FIRST_ABORTABLE = 11;
  private static final int TRANSACTIONAL = 0x10;

  private final Cluster cluster;
  private final TransactionCoordinator coordinator;

  ProduceGate(Cluster cluster, TransactionCoordinator coordinator) {
    this.cluster = cluster;
    this.coordinator = coordinator;
  }

  @Override
  public ErrorCode admit(@Nullable String transactionalId, Partition partition, ByteBuffer batch,
      short requestVersion) {
    if (!isTransactional(batch)) {
      return ErrorCode.NONE;
    }
    if (transactionalId == null) {
      return ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
    }
    BatchOfProducer sent = BatchOfProducer.of(batch);
    ProducerTable known = partition.log().producers();
    ProducerEntry entry = known.of(sent.producerId());
    if (!verifies(3, 6) || isOpen(entry, sent)) {
      return ErrorCode.NONE;
    }
    // earlier releases detect the following errors only at the append
    boolean looksFirst = cluster.release().isAtLeast(4, 1);
    if (looksFirst && entry != null && sent.epoch() < entry.epoch()) {
      return ErrorCode.INVALID_PRODUCER_EPOCH;
    }
    known.verifying(sent, looksFirst && requestVersion >= FIRST_THAT_ADDS, cluster.nowMillis());
    ErrorCode error = ask(transactionalId, new ProducerIdentity(sent.producerId(), sent.epoch()),
        TransactionPartition.of(partition),
        requestVersion >= FIRST_THAT_ADDS);
    boolean isRetriable = error == ErrorCode.COORDINATOR_NOT_AVAILABLE
        || (error == ErrorCode.CONCURRENT_TRANSACTIONS && requestVersion < FIRST_THAT_ADDS);
    return isRetriable ? ErrorCode.NOT_ENOUGH_REPLICAS : asAppend(error, requestVersion >= FIRST_ABORTABLE);
  }

  private static boolean isTransactional(ByteBuffer batch) {
    int at = batch.position();
    return batch.remaining() >= RecordBatchHeader.BYTES
        && batch.get(at + RecordBatchHeader.MAGIC) == RecordBatchHeader.MAGIC_V2
        && (batch.getShort(at + RecordBatchHeader.ATTRIBUTES) & TRANSACTIONAL) != 0;
  }

  /** Returns true if brokers of the release check batches. */
  boolean verifies(int firstMajor, int firstMinor) {
    return cluster.release().isAtLeast(firstMajor, firstMinor)
        && cluster.settings().getBoolean("transaction.partition.verification.enable");
  }

  /** Returns true if the log has records of the transaction: its coordinator has confirmed it then. */
  private static boolean isOpen(@Nullable ProducerEntry entry, BatchOfProducer sent) {
    return entry != null && !entry.isIdle() && entry.epoch() == sent.epoch();
  }

  /** Adds a partition to a transaction, or verifies that it is part of it. */
  ErrorCode ask(String transactionalId, ProducerIdentity producer, TransactionPartition partition, boolean adds) {
    if (!coordinator.isReachable(transactionalId)) {
      return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    }
    return adds
        ? coordinator.add(transactionalId, producer, List.of(partition))
        : coordinator.verify(transactionalId, producer, partition);
  }

  /** Returns the error of a Produce response for a coordinator's error. */
  static ErrorCode asAppend(ErrorCode error, boolean knowsAbortable) {
    return switch (error) {
      case PRODUCER_FENCED -> ErrorCode.INVALID_PRODUCER_EPOCH;
      case TRANSACTION_ABORTABLE -> knowsAbortable ? error : ErrorCode.INVALID_TXN_STATE;
      default -> error;
    };
  }
}
