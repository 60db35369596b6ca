package dev.decant.kafka.consumer;

import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.record.RecordBatchReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which batches of one partition's part of a response are for the application. To one who reads only what is committed,
 * a broker names the transactions that were aborted, each by its producer and its first offset: from there on the
 * producer's batches belong to it, until the marker that says so (KIP-98). Used by the polling thread, batch by batch
 * and in order.
 */
final class AbortedTransactions {
  /** In the key of a marker: version (int16), then 0 for an abort (int16). */
  private static final int MARKER_TYPE = 2;
  private static final int MARKER_KEY_BYTES = 4;
  private static final short ABORT = 0;

  /** By their first offsets. */
  private final List<FetchResponse.AbortedTransaction> transactions;
  private int next;
  /** Producers in an aborted transaction at this point of the log. */
  private final Set<Long> aborting = new HashSet<>();

  private AbortedTransactions(List<FetchResponse.AbortedTransaction> transactions) {
    this.transactions = transactions;
  }

  /** None, as for most responses, costs nothing. */
  static @Nullable AbortedTransactions of(@Nullable List<FetchResponse.AbortedTransaction> named) {
    if (named == null || named.isEmpty()) {
      return null;
    }
    List<FetchResponse.AbortedTransaction> sorted = new ArrayList<>(named);
    sorted.sort(Comparator.comparingLong(FetchResponse.AbortedTransaction::firstOffset));
    return new AbortedTransactions(sorted);
  }

  /** Whether the batch that the reader is at was given up with its transaction. Reads the record of a marker. */
  boolean contains(RecordBatchReader reader) {
    while (next < transactions.size() && transactions.get(next).firstOffset() <= reader.lastOffset()) {
      aborting.add(transactions.get(next++).producerId());
    }
    if (aborting.isEmpty() || !reader.isTransactional()) {
      return false;
    }
    if (!reader.isControl()) {
      return aborting.contains(reader.producerId());
    }
    if (isAbort(reader)) {
      aborting.remove(reader.producerId());
    }
    return false;
  }

  private static boolean isAbort(RecordBatchReader reader) {
    return reader.nextRecord() && reader.keyLength() >= MARKER_KEY_BYTES
        && reader.buffer().getShort(reader.keyOffset() + MARKER_TYPE) == ABORT;
  }
}
