package dev.decant.fake.transaction;

import org.jspecify.annotations.Nullable;

/** The states of a transactional id, by their names in ListTransactions and DescribeTransactions. */
enum TransactionState {
  /** The producer has not started a transaction yet. */
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
  /** The state of an expiring id in Kafka's brokers; here an id is removed at once. */
  DEAD("Dead"),
  /** The state of a producer that is being fenced in Kafka's brokers; here it is fenced at once. */
  PREPARE_EPOCH_FENCE("PrepareEpochFence");

  private final String label;

  TransactionState(String label) {
    this.label = label;
  }

  /** Returns the name in responses. */
  String label() {
    return label;
  }

  /** Returns the state of a name; null if there is none. */
  static @Nullable TransactionState of(String label) {
    for (TransactionState state : values()) {
      if (state.label.equals(label)) {
        return state;
      }
    }
    return null;
  }

  /** Returns true if markers are still to be written. */
  boolean isPrepared() {
    return this == PREPARE_COMMIT || this == PREPARE_ABORT;
  }

  /** Returns true if the last transaction is complete. */
  boolean isComplete() {
    return this == COMPLETE_COMMIT || this == COMPLETE_ABORT;
  }

  /** Returns true for a state of a transaction with that end. */
  boolean endsWith(boolean isCommit) {
    return isCommit
        ? this == PREPARE_COMMIT || this == COMPLETE_COMMIT
        : this == PREPARE_ABORT || this == COMPLETE_ABORT;
  }
}
