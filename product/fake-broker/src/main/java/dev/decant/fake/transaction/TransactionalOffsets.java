package dev.decant.fake.transaction;

import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest;
import dev.decant.kafka.protocol.message.TxnOffsetCommitResponse;
import java.util.function.BiFunction;

/**
 * What group coordinators do for transactions: they keep offsets until the transaction of their producer ends.
 *
 * @param commit keeps the offsets of a request whose transaction the coordinator knows; its result is the response
 * @param end takes or drops what is kept
 */
public record TransactionalOffsets(
    BiFunction<TxnOffsetCommitRequest, RequestContext, TxnOffsetCommitResponse> commit, End end) {

  /** Hears of the end of a transaction. */
  @FunctionalInterface
  public interface End {
    /**
     * The transaction of a producer is over, for the groups of one partition of the offsets topic.
     *
     * @param producerId the producer
     * @param offsetsPartition the partition of {@code __consumer_offsets} that has its marker now
     * @param isCommit committed, or aborted
     */
    void ended(long producerId, int offsetsPartition, boolean isCommit);
  }

  /** Of a cluster without groups: there is no coordinator that could keep offsets. */
  static TransactionalOffsets none() {
    return new TransactionalOffsets(
        (request, context) -> TxnOffsetCommitHandler.failed(request, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (producerId, offsetsPartition, isCommit) -> {
          // nothing was kept
        });
  }
}
