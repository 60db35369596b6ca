package dev.decant.fake.log;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The open and the aborted transactions of a log. */
final class TransactionIndex {
  /** The producers of open transactions by first offset. */
  private final TreeMap<Long, Long> open = new TreeMap<>();
  private final Map<Long, Long> firstOffsets = new HashMap<>();
  /** Aborted transactions in the order of their markers. */
  private final List<AbortedTransaction> aborted = new ArrayList<>();
  /** Committed transactions in the order of their markers; they are open again if their markers are lost. */
  private final List<AbortedTransaction> committed = new ArrayList<>();

  /** Takes over the transactions of another log. */
  void copy(TransactionIndex other) {
    open.putAll(other.open);
    firstOffsets.putAll(other.firstOffsets);
    aborted.addAll(other.aborted);
    committed.addAll(other.committed);
  }

  /** Returns true if a transaction has records and no marker. */
  boolean isOpen() {
    return !open.isEmpty();
  }

  /**
   * Returns the first offset of the oldest transaction that is open, or whose marker replicas in sync lack; the largest
   * number if there is none.
   */
  long firstUnstable(long highWatermark) {
    long first = open.isEmpty() ? Long.MAX_VALUE : open.firstKey();
    return Math.min(first, Math.min(firstEndedFrom(aborted, highWatermark), firstEndedFrom(committed, highWatermark)));
  }

  private static long firstEndedFrom(List<AbortedTransaction> ended, long offset) {
    long first = Long.MAX_VALUE;
    for (int i = ended.size() - 1; i >= 0 && ended.get(i).lastOffset() >= offset; i--) {
      first = Math.min(first, ended.get(i).firstOffset());
    }
    return first;
  }

  void began(long producerId, long offset) {
    if (firstOffsets.putIfAbsent(producerId, offset) == null) {
      open.put(offset, producerId);
    }
  }

  /** Ends a transaction. A marker without records before it aborts nothing that a consumer must skip. */
  void ended(TransactionMarker marker, long markerOffset) {
    Long first = firstOffsets.remove(marker.producerId());
    if (first != null) {
      open.remove(first);
      List<AbortedTransaction> ended = marker.isCommit() ? committed : aborted;
      ended.add(new AbortedTransaction(marker.producerId(), first, markerOffset));
    }
  }

  List<AbortedTransaction> aborted(long fromOffset, long upTo) {
    return aborted.stream().filter(t -> t.lastOffset() >= fromOffset && t.firstOffset() < upTo).toList();
  }

  void deleteBelow(long offset) {
    aborted.removeIf(t -> t.lastOffset() < offset);
    committed.removeIf(t -> t.lastOffset() < offset);
  }

  /** Removes the aborted transactions below an offset, except those of which batches stay. */
  void keepAborted(long upTo, Set<AbortedTransaction> staying) {
    aborted.removeIf(t -> t.lastOffset() < upTo && !staying.contains(t));
  }

  /** Removes transactions that began at an offset or later; a transaction whose marker is lost is open again. */
  void truncate(long offset) {
    open.tailMap(offset, true).values().forEach(firstOffsets::remove);
    open.tailMap(offset, true).clear();
    reopen(aborted, offset);
    reopen(committed, offset);
  }

  private void reopen(List<AbortedTransaction> ended, long offset) {
    while (!ended.isEmpty() && ended.getLast().lastOffset() >= offset) {
      AbortedTransaction t = ended.removeLast();
      if (t.firstOffset() < offset) {
        reopened(t.producerId(), t.firstOffset());
      }
    }
  }

  /**
   * Opens a transaction again. Of two transactions of a producer the older one is open: the younger one began after its
   * marker, which is lost.
   */
  private void reopened(long producerId, long offset) {
    Long later = firstOffsets.put(producerId, offset);
    if (later != null) {
      open.remove(later);
    }
    open.put(offset, producerId);
  }
}
