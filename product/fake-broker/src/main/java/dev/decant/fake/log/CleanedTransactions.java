package dev.decant.fake.log;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The transactions of a log cleaner's pass, which reads batches in their order. */
final class CleanedTransactions {
  private final List<AbortedTransaction> all;
  /** Aborted transactions that begin after the pass's position, the next one last. */
  private final List<AbortedTransaction> ahead;
  /** The aborted transaction at the pass's position, by producer. */
  private final Map<Long, AbortedTransaction> aborted = new HashMap<>();
  /** Producers of which the pass has read a batch of a transaction that is not aborted. */
  private final Set<Long> committed = new HashSet<>();
  private final Set<AbortedTransaction> staying = new HashSet<>();

  CleanedTransactions(List<AbortedTransaction> all) {
    this.all = all;
    this.ahead = new ArrayList<>(all);
    ahead.sort(Comparator.comparingLong(AbortedTransaction::firstOffset).reversed());
  }

  /** Returns a copy for another pass, before the first batch. */
  CleanedTransactions copy() {
    return new CleanedTransactions(all);
  }

  /** Returns the aborted transactions of which the pass has read batches. */
  Set<AbortedTransaction> staying() {
    return staying;
  }

  private void reach(long offset) {
    while (!ahead.isEmpty() && ahead.getLast().firstOffset() <= offset) {
      AbortedTransaction next = ahead.removeLast();
      aborted.put(next.producerId(), next);
    }
  }

  /** Returns true if a batch of records is part of an aborted transaction. */
  boolean isAborted(StoredBatch batch) {
    reach(batch.lastOffset());
    if (!batch.isTransactional()) {
      return false;
    }
    AbortedTransaction transaction = aborted.get(batch.producerId());
    // The first pass over the log reads no markers, which would end the transaction: the offsets tell that it has
    // ended.
    if (transaction == null || transaction.lastOffset() < batch.baseOffset()) {
      committed.add(batch.producerId());
      return false;
    }
    staying.add(transaction);
    return true;
  }

  /**
   * Ends a transaction; returns true if the pass has read no batch of it, so that its marker serves no purpose any
   * more.
   */
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
