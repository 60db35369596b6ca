package dev.decant.fake.cluster;

import dev.decant.kafka.protocol.ErrorCode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Decides whether a partition accepts a batch of a transaction, as the transaction's coordinator does (KIP-890). */
@FunctionalInterface
public interface TransactionGate {
  /**
   * Checks a batch before it is appended.
   *
   * @param transactionalId id in the Produce request, null for none
   * @param partition partition of the batch
   * @param batch the batch from position to limit, unchecked and perhaps malformed
   * @param requestVersion version of the Produce request
   * @return {@link ErrorCode#NONE}, or the error for the producer
   */
  ErrorCode admit(@Nullable String transactionalId, Partition partition, ByteBuffer batch, short requestVersion);
}
