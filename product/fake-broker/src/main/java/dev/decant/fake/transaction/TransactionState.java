package dev.decant.fake.transaction;

import org.jspecify.annotations.Nullable;

/** The states of a transactional id, by the names that ListTransactions and DescribeTransactions have for them. */
enum TransactionState {
  /** It has a producer, and the producer has not begun a transaction yet. */
  EMPTY("Empty"),
  /** A transaction is open. */
  ONGOING("Ongoing"),
  /** The transaction is committed; some partitions do not have their markers yet. */
  PREPARE_COMMIT("PrepareCommit"),
  /** The transaction is aborted; some partitions do not have their markers yet. */
  PREPARE_ABORT("PrepareAbort"),
  /** The last transaction is committed, and all markers are written. */
  COMPLETE_COMMIT("CompleteCommit"),
  /** The last transaction is aborted, and all markers are written. */
  COMPLETE_ABORT("CompleteAbort"),
  /** Of Kafka's brokers while an id expires; here it is gone at once. */
  DEAD("Dead"),
  /** Of Kafka's brokers while a producer is fenced; here it is fenced at once. */
  PREPARE_EPOCH_FENCE("PrepareEpochFence");

  private final String label;

  TransactionState(String label) {
    this.label = label;
  }

  /** The name in responses. */
  String label() {
    return label;
  }

  /** The state of a name; null if there is none. */
  static @Nullable TransactionState of(String label) {
    for (TransactionState state : values()) {
      if (state.label.equals(label)) {
        return state;
      }
    }
    return null;
  }

  /** Whether markers are on their way. */
  boolean isPrepared() {
    return this == PREPARE_COMMIT || this == PREPARE_ABORT;
  }

  /** Whether the last transaction is over. */
  boolean isComplete() {
    return this == COMPLETE_COMMIT || this == COMPLETE_ABORT;
  }

  /** Whether it is one of the states of a transaction with that end. */
  boolean endsWith(boolean isCommit) {
    return isCommit
        ? this == PREPARE_COMMIT || this == COMPLETE_COMMIT
        : this == PREPARE_ABORT || this == COMPLETE_ABORT;
  }
}
