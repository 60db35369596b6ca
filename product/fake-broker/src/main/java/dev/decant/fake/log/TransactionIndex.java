package dev.decant.fake.log;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The open transactions of a log, and those that were aborted. */
final class TransactionIndex {
  /** Producers by the first offset of their open transactions. */
  private final TreeMap<Long, Long> open = new TreeMap<>();
  private final Map<Long, Long> firstOffsets = new HashMap<>();
  /** In the order of their markers. */
  private final List<AbortedTransaction> aborted = new ArrayList<>();

  /** The first offset of the oldest open transaction, the largest number if none is open. */
  long firstOpen() {
    return open.isEmpty() ? Long.MAX_VALUE : open.firstKey();
  }

  void began(long producerId, long offset) {
    if (firstOffsets.putIfAbsent(producerId, offset) == null) {
      open.put(offset, producerId);
    }
  }

  /** A marker without records before it ends nothing that a consumer has to skip. */
  void ended(TransactionMarker marker, long markerOffset) {
    Long first = firstOffsets.remove(marker.producerId());
    if (first != null) {
      open.remove(first);
      if (!marker.isCommit()) {
        aborted.add(new AbortedTransaction(marker.producerId(), first, markerOffset));
      }
    }
  }

  List<AbortedTransaction> aborted(long fromOffset, long upTo) {
    return aborted.stream().filter(t -> t.lastOffset() >= fromOffset && t.firstOffset() < upTo).toList();
  }

  void deleteBelow(long offset) {
    aborted.removeIf(t -> t.lastOffset() < offset);
  }

  /** Loses what began or ended at an offset or later; a transaction whose marker is lost is open again. */
  void truncate(long offset) {
    open.tailMap(offset, true).values().forEach(firstOffsets::remove);
    open.tailMap(offset, true).clear();
    for (AbortedTransaction t : List.copyOf(aborted)) {
      if (t.lastOffset() >= offset) {
        aborted.remove(t);
        if (t.firstOffset() < offset) {
          began(t.producerId(), t.firstOffset());
        }
      }
    }
  }
}
