package dev.decant.kafka.consumer;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Partitions in their order, and by topic and number in constant time and without garbage: a table with open addressing
 * that is at most half full. Immutable, so that any thread may look while another thread replaces it.
 */
final class PartitionIndex {
  static final PartitionIndex EMPTY = new PartitionIndex(List.of());
  /** The golden ratio, which spreads the numbers of one topic over the table. */
  private static final int SPREAD = 0x9E3779B9;

  private final List<AssignedPartition> all;
  private final @Nullable AssignedPartition[] slots;
  private final int shift;

  /** Of several that have topic and number in common, the first is found. */
  PartitionIndex(Collection<AssignedPartition> partitions) {
    all = List.copyOf(partitions);
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(2 * all.size() + 1);
    slots = new @Nullable AssignedPartition[1 << bits];
    shift = Integer.SIZE - bits;
    for (AssignedPartition p : all) {
      int at = slotOf(p.topic, p.partition);
      if (slots[at] == null) {
        slots[at] = p;
      }
    }
  }

  /** Where a partition is, or where it would be. */
  private int slotOf(String topic, int partition) {
    int at = ((topic.hashCode() * 31 + partition) * SPREAD) >>> shift;
    for (AssignedPartition p = slots[at]; p != null; p = slots[at]) {
      if (p.partition == partition && p.topic.equals(topic)) {
        break;
      }
      at = (at + 1) & (slots.length - 1);
    }
    return at;
  }

  List<AssignedPartition> all() {
    return all;
  }

  @Nullable
  AssignedPartition find(String topic, int partition) {
    return slots[slotOf(topic, partition)];
  }

  /** Whether it is this very object. */
  boolean contains(AssignedPartition p) {
    return find(p.topic, p.partition) == p;
  }
}
