package dev.decant.kafka.transaction;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * The end of a transaction that another process has prepared. That process, or another one, may have ended it before. A
 * coordinator then accepts the same end again, but only by a request of the version that ended it. Version 5 of EndTxn
 * brings the epoch of the next transaction (KIP-890); the versions below keep the epoch.
 *
 * <p>Owner of the loop only.
 */
final class ResumedEnd {
  /** The refusal of version 5 for the state of the transaction; a version below may find that it is committed. */
  private @Nullable KafkaException refusal;

  /**
   * Returns true if version 5 is to be tried next. Read before each sending, since the cluster's features may become
   * known between two attempts.
   */
  boolean endsWithNextEpoch(boolean clusterDoes) {
    return clusterDoes && refusal == null;
  }

  /** Returns true if the request is to be repeated in the versions below 5. */
  boolean repeats(KafkaException cause) {
    if (refusal != null || cause.code() != ErrorCode.INVALID_TXN_STATE) {
      return false;
    }
    refusal = cause;
    return true;
  }

  /** Returns the refusal that says most, with its meaning for a prepared transaction. */
  KafkaException explained(KafkaException last, boolean commit) {
    KafkaException cause = refusal == null ? last : refusal;
    String meaning = switch (cause.code()) {
      case INVALID_TXN_STATE -> commit
          ? "; the transaction has been aborted before, by its transaction.timeout.ms or by another client"
          : "; the transaction has been committed before";
      case PRODUCER_FENCED, INVALID_PRODUCER_EPOCH -> "; another client has opened the transactional id since, or"
          + " transaction.timeout.ms was over: the transaction is aborted, unless it was committed before that";
      case INVALID_PRODUCER_ID_MAPPING -> "; the coordinator does not know this producer id any more: the transaction"
          + " has ended at least transactional.id.expiration.ms ago";
      default -> "";
    };
    return meaning.isEmpty() ? cause : new KafkaException(cause.code(), cause.getMessage() + meaning, cause);
  }
}
