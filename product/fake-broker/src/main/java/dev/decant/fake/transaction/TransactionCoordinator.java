package dev.decant.fake.transaction;

import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Coordinators;
import dev.decant.fake.group.GroupCoordinator;
import dev.decant.fake.log.TransactionMarker;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The transaction coordinators of all brokers. They share their state, as if each change were in {@code
 * __transaction_state} at once, so a broker that takes over has all of it. A decision of a coordinator is carried out
 * even while the coordinator is dead. Owner of the loop only.
 */
public final class TransactionCoordinator {
  private static final Coordinators.Type TYPE = Coordinators.Type.TRANSACTION;

  private final Cluster cluster;
  private final GroupCoordinator groups;
  private final TreeMap<String, Transaction> transactions = new TreeMap<>();

  TransactionCoordinator(Cluster cluster, GroupCoordinator groups) {
    this.cluster = cluster;
    this.groups = groups;
    cluster.onReset(this::clear);
  }

  private void clear() {
    transactions.values().forEach(transaction -> cluster.cancel(transaction.timer()));
    transactions.clear();
  }

  /** Returns why a broker cannot serve a transactional id; {@link ErrorCode#NONE} if it can. */
  ErrorCode problemOf(String id, RequestContext context) {
    if (id.isEmpty()) {
      return ErrorCode.INVALID_REQUEST;
    }
    return cluster.coordinators().isAt(context.broker(), TYPE, id) ? ErrorCode.NONE : ErrorCode.NOT_COORDINATOR;
  }

  /** Returns true if a living broker coordinates a transactional id. */
  boolean isReachable(String id) {
    return cluster.coordinators().of(TYPE, id) != null;
  }

  /** Returns a view of all transactional ids, which changes. */
  Collection<Transaction> all() {
    return Collections.unmodifiableCollection(transactions.values());
  }

  /** Returns a transactional id, or null. */
  @Nullable
  Transaction of(String id) {
    return transactions.get(id);
  }

  /** Returns true if aborts by the brokers themselves raise the epoch (KIP-890). */
  private boolean bumpsEpochs() {
    return cluster.release().isAtLeast(4, 0);
  }

  /**
   * Initializes a producer and fences the one before. An open transaction is aborted, and the client must repeat the
   * request.
   */
  Outcome initialize(String id, int timeoutMillis, ProducerIdentity expected) {
    Transaction transaction = transactions.computeIfAbsent(id,
        key -> new Transaction(key, cluster.newProducerId(), cluster.nowMillis(), this::due));
    if (!transaction.knows(expected)) {
      return Outcome.failed(ErrorCode.PRODUCER_FENCED);
    }
    if (transaction.state().isPrepared()) {
      return Outcome.failed(ErrorCode.CONCURRENT_TRANSACTIONS);
    }
    if (transaction.state() == TransactionState.ONGOING) {
      abort(transaction);
      return Outcome.failed(ErrorCode.CONCURRENT_TRANSACTIONS);
    }
    Outcome outcome = transaction.initialize(expected, timeoutMillis, cluster::newProducerId, cluster.nowMillis());
    schedule(transaction);
    return outcome;
  }

  /** Adds partitions to a producer's transaction, which starts with the first ones. */
  ErrorCode add(String id, ProducerIdentity producer, Collection<TransactionPartition> partitions) {
    Transaction transaction = transactions.get(id);
    if (transaction == null) {
      return ErrorCode.INVALID_PRODUCER_ID_MAPPING;
    }
    ErrorCode problem = transaction.problemOf(producer);
    if (problem == ErrorCode.NONE) {
      transaction.add(partitions, cluster.nowMillis());
      schedule(transaction);
    }
    return problem;
  }

  /** Verifies that a partition is in a producer's transaction, as brokers do before they append (KIP-890, part 1). */
  ErrorCode verify(String id, ProducerIdentity producer, TransactionPartition partition) {
    Transaction transaction = transactions.get(id);
    if (transaction == null) {
      return ErrorCode.INVALID_PRODUCER_ID_MAPPING;
    }
    ErrorCode problem = transaction.problemOf(producer);
    if (problem != ErrorCode.NONE || transaction.partitions().contains(partition)) {
      return problem;
    }
    return cluster.release().isAtLeast(3, 8) ? ErrorCode.TRANSACTION_ABORTABLE : ErrorCode.INVALID_TXN_STATE;
  }

  /**
   * Ends a transaction at its producer's request.
   *
   * @param bumps true if the producer uses KIP-890's version 2: it gets the next epoch
   */
  Outcome end(String id, ProducerIdentity producer, boolean isCommit, boolean bumps) {
    Transaction transaction = transactions.get(id);
    if (transaction == null) {
      return Outcome.failed(ErrorCode.INVALID_PRODUCER_ID_MAPPING);
    }
    ErrorCode problem = transaction.problemOfEnd(producer, isCommit, bumps);
    if (problem != ErrorCode.NONE) {
      return Outcome.failed(problem);
    }
    if (transaction.hasEnded(producer, bumps)) {
      return Outcome.of(transaction.producer());
    }
    transaction.prepareEnd(isCommit, bumps, cluster::newProducerId, cluster.nowMillis());
    ProducerIdentity after = transaction.producerAfterEnd();
    writeMarkers(transaction, isCommit);
    return Outcome.of(after);
  }

  /** Aborts an open transaction whose producer has not requested it, and is fenced by it. */
  private void abort(Transaction transaction) {
    if (!bumpsEpochs()) {
      transaction.fence();
    }
    transaction.prepareEnd(false, bumpsEpochs(), cluster::newProducerId, cluster.nowMillis());
    writeMarkers(transaction, false);
  }

  private void writeMarkers(Transaction transaction, boolean isCommit) {
    schedule(transaction);
    ProducerIdentity producer = transaction.producer();
    int coordinatorEpoch = cluster.coordinators().partition(TYPE, transaction.id()).leaderEpoch();
    TransactionMarker marker = new TransactionMarker(producer.id(), producer.epoch(), isCommit, coordinatorEpoch);
    new MarkerWrite(cluster, marker, groups, () -> {
      transaction.complete(cluster.nowMillis());
      if (transactions.get(transaction.id()) == transaction) { // false if the cluster was reset meanwhile
        schedule(transaction);
      }
    }).start(List.copyOf(transaction.partitions()));
  }

  private void schedule(Transaction transaction) {
    cluster.cancel(transaction.timer());
    long due = transaction.dueMillis(cluster.settings().getLong("transactional.id.expiration.ms"));
    if (due != Long.MAX_VALUE) {
      cluster.schedule(transaction.timer(), due - cluster.nowMillis());
    }
  }

  /**
   * Expires a transactional id, as coordinators do after {@code transactional.id.expiration.ms}.
   *
   * @throws IllegalArgumentException if there is no such id, or its transaction is not complete
   */
  public void expire(String id) {
    Transaction transaction = transactions.get(id);
    if (transaction == null) {
      throw new IllegalArgumentException("there is no transactional id " + id + "; there are " + transactions.keySet());
    }
    if (transaction.state() == TransactionState.ONGOING || transaction.state().isPrepared()) {
      throw new IllegalArgumentException("the transaction is not over of " + transaction);
    }
    cluster.cancel(transaction.timer());
    transactions.remove(id);
  }

  /** Handles a transaction that is open for longer than its timeout, or an id that was unused for long. */
  private void due(Transaction transaction) {
    if (transaction.state() == TransactionState.ONGOING) {
      abort(transaction);
    } else {
      transactions.remove(transaction.id());
    }
  }
}
