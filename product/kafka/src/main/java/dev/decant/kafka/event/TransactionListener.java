package dev.decant.kafka.event;

import dev.decant.kafka.KafkaException;

/**
 * What becomes of transactions. Told by the owner of the client's loop unless said otherwise: return soon, do not
 * block.
 */
public interface TransactionListener {
  /**
   * A transaction begins. Told by the thread that begins it.
   *
   * @param transactionalId whose
   */
  default void onBegan(String transactionalId) {}

  /**
   * A transaction is committed.
   *
   * @param transactionalId whose
   * @param nanos since it began
   * @param commitNanos since the call of commit, the flush of its records included
   */
  default void onCommitted(String transactionalId, long nanos, long commitNanos) {}

  /**
   * A transaction is aborted.
   *
   * @param transactionalId whose
   * @param nanos since it began
   * @param abortNanos since the call of abort
   */
  default void onAborted(String transactionalId, long nanos, long abortNanos) {}

  /**
   * A transaction failed and has to be aborted. Told by the thread on which it did.
   *
   * @param transactionalId whose
   * @param cause why
   */
  default void onFailed(String transactionalId, KafkaException cause) {}

  /**
   * The transactional id cannot be used any more by this client, mostly since another one has taken it over.
   *
   * @param transactionalId which
   * @param cause why
   */
  default void onFenced(String transactionalId, KafkaException cause) {}
}
