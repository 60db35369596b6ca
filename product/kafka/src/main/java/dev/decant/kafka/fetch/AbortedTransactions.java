package dev.decant.kafka.fetch;

import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.record.RecordBatchReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which batches of one partition's part of a response are for the application. To one who reads only what is committed,
 * a broker names the transactions that were aborted, each by its producer and its first offset: from there on the
 * producer's batches belong to it, until the marker that says so (KIP-98). Used by the polling thread, batch by batch
 * and in order.
 */
public final class AbortedTransactions {
  /** In the key of a marker: version (int16), then 0 for an abort (int16). */
  private static final int MARKER_TYPE = 2;
  private static final int MARKER_KEY_BYTES = 4;
  private static final short ABORT = 0;

  private record Transaction(long producerId, long firstOffset) {}

  /** By their first offsets. */
  private final List<Transaction> transactions;
  private int next;
  /** Producers in an aborted transaction at this point of the log. */
  private final Set<Long> aborting = new HashSet<>();

  private AbortedTransactions(List<Transaction> transactions) {
    this.transactions = transactions;
  }

  /** Reads the elements of a fetch response's list, with tagged fields from Fetch v12 on. */
  static AbortedTransactions read(ProtocolReader in, int count, boolean flexible) {
    List<Transaction> sorted = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long producerId = in.readLong();
      sorted.add(new Transaction(producerId, in.readLong()));
      if (flexible) {
        in.skipTaggedFields();
      }
    }
    sorted.sort(Comparator.comparingLong(Transaction::firstOffset));
    return new AbortedTransactions(sorted);
  }

  /**
   * Tells whether the batch that the reader is at was given up with its transaction. Reads the record of a marker.
   *
   * @param reader at the next batch
   * @return true if its records are not for the application
   */
  public boolean contains(RecordBatchReader reader) {
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
