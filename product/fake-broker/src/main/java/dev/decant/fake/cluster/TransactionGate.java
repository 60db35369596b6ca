package dev.decant.fake.cluster;

import dev.decant.kafka.protocol.ErrorCode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Decides whether a batch of a transaction may go into a partition, as brokers ask its coordinator (KIP-890). */
@FunctionalInterface
public interface TransactionGate {
  /**
   * Asks for a batch before it is appended.
   *
   * @param transactionalId what the Produce request says, null for none
   * @param partition where the batch is to go
   * @param batch the batch from position to limit, unchecked and perhaps no batch at all
   * @param requestVersion the version of the Produce request
   * @return {@link ErrorCode#NONE}, or what the producer is told
   */
  ErrorCode admit(@Nullable String transactionalId, Partition partition, ByteBuffer batch, short requestVersion);
}
