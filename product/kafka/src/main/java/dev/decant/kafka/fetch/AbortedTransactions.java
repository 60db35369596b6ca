package dev.decant.kafka.fetch;

import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.record.RecordBatchReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds the batches of aborted transactions in one partition's part of a response. For {@code read_committed}, a broker
 * lists aborted transactions by producer and first offset. From there on the producer's batches belong to the
 * transaction, until its marker (KIP-98). Called by the polling thread for each batch in order.
 */
public final class AbortedTransactions {
  /** Offset of the type in a marker's key: version (int16), then 0 for an abort (int16). */
  private static final int MARKER_TYPE = 2;
  private static final int MARKER_KEY_BYTES = 4;
  private static final short ABORT = 0;

  private record Transaction(long producerId, long firstOffset) {}

  /** Ordered by first offset. */
  private final List<Transaction> transactions;
  /** Index of the next transaction that begins. */
  private int next;
  /** Producers with an aborted transaction at this point of the log. */
  private final Set<Long> aborting = new HashSet<>();

  private AbortedTransactions(List<Transaction> transactions) {
    this.transactions = transactions;
  }

  /** Reads the list of a fetch response, which has tagged fields from Fetch v12 on. */
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

  /** Returns true if the reader's batch belongs to an aborted transaction. Reads the record of a marker. */
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
