package dev.decant.kafka.consumer;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Partitions in order, and by topic and number in constant time without garbage: a table with open addressing, at most
 * half full. Immutable, so any thread may search it while another one replaces it. With lists, replacing an assignment
 * took time in proportion to the square of the partitions.
 */
final class PartitionIndex {
  static final PartitionIndex EMPTY = new PartitionIndex(List.of());
  /** Golden ratio, which spreads the numbers of one topic over the table. */
  private static final int SPREAD = 0x9E3779B9;

  private final List<AssignedPartition> all;
  private final @Nullable AssignedPartition[] slots;
  private final int shift;

  /** Indexes the partitions. Of several with the same topic and number, the first one is found. */
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

  /** Returns the slot of a partition, or the one where it would be. */
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

  /** Returns true if this very object is assigned. */
  boolean contains(AssignedPartition p) {
    return find(p.topic, p.partition) == p;
  }
}
