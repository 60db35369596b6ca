package dev.decant.fake.log;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a pass of a log cleaner, which meets batches in their order, knows of the transactions that they belong to. */
final class CleanedTransactions {
  private final List<AbortedTransaction> all;
  /** Those that begin further on, the next one last. */
  private final List<AbortedTransaction> ahead;
  /** By producer the aborted transaction that the pass is in. */
  private final Map<Long, AbortedTransaction> aborted = new HashMap<>();
  /** Producers of transactions that the pass has met batches of and that are not aborted. */
  private final Set<Long> committed = new HashSet<>();
  private final Set<AbortedTransaction> staying = new HashSet<>();

  CleanedTransactions(List<AbortedTransaction> all) {
    this.all = all;
    this.ahead = new ArrayList<>(all);
    ahead.sort(Comparator.comparingLong(AbortedTransaction::firstOffset).reversed());
  }

  /** The same before its first batch. */
  CleanedTransactions copy() {
    return new CleanedTransactions(all);
  }

  /** The aborted transactions that batches were met of. */
  Set<AbortedTransaction> staying() {
    return staying;
  }

  private void reach(long offset) {
    while (!ahead.isEmpty() && ahead.getLast().firstOffset() <= offset) {
      AbortedTransaction next = ahead.removeLast();
      aborted.put(next.producerId(), next);
    }
  }

  /** Whether a batch of records is part of an aborted transaction. */
  boolean isAborted(StoredBatch batch) {
    reach(batch.lastOffset());
    if (!batch.isTransactional()) {
      return false;
    }
    AbortedTransaction transaction = aborted.get(batch.producerId());
    // The first pass over the log does not see markers, which end the transactions.
    if (transaction == null || transaction.lastOffset() < batch.baseOffset()) {
      committed.add(batch.producerId());
      return false;
    }
    staying.add(transaction);
    return true;
  }

  /** Ends a transaction: whether no batch of it was met, so that its marker is of no use any more. */
  boolean isOverWithoutData(StoredBatch marker) {
    reach(marker.lastOffset());
    AbortedTransaction transaction = aborted.get(marker.producerId());
    if (transaction != null && transaction.lastOffset() == marker.lastOffset()) {
      aborted.remove(marker.producerId());
      return !staying.contains(transaction);
    }
    return !committed.remove(marker.producerId());
  }
}
