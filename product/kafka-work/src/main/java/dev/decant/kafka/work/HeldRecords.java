package dev.decant.kafka.work;

import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.internal.OffsetWindow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Records that are done and wait for their transaction, with their results. This class chooses the records of the next
 * transaction in the order of offsets, so the results of a key are sent in the order of its records. A record that does
 * not fit into the metadata of the offset waits: after a restart its results would come twice. The loop only.
 */
final class HeldRecords<K, V> {
  private final Comparator<Slot<K, V>> order = Comparator
      .comparingInt((Slot<K, V> slot) -> slot.in().id.partition())
      .thenComparing(slot -> slot.in().id.topic())
      .thenComparingLong(slot -> slot.place);
  private final Schedule<K, V> schedule;
  private final int metadataCharacters;
  private List<Slot<K, V>> held = new ArrayList<>();
  /** Takes the records that stay when others are taken out. Used again, as the lists of transactions are. */
  private List<Slot<K, V>> spare = new ArrayList<>();
  private List<Slot<K, V>> spareRecords = new ArrayList<>();
  private long[] places = new long[64];

  HeldRecords(Schedule<K, V> schedule, int metadataCharacters) {
    this.schedule = schedule;
    this.metadataCharacters = metadataCharacters;
  }

  int size() {
    return held.size();
  }

  /** Adds a record that is done, as are all records before it in its order. */
  void add(Slot<K, V> slot) {
    if (slot.in().isCancelled()) { // the member that has the partition now does the record again
      schedule.abandonedByWorker(slot);
      return;
    }
    slot.isHeld = true;
    schedule.hold(slot);
    keep(slot);
  }

  private void keep(Slot<K, V> slot) {
    held.add(slot);
    slot.in().held++;
  }

  /**
   * Takes at most {@code most} records of partitions for a transaction, with the offsets that are committed with them.
   */
  RecordTransaction<K, V> plan(Collection<PartitionWork> of, int most) {
    Set<PartitionWork> wanted = new HashSet<>(of);
    RecordTransaction<K, V> transaction = new RecordTransaction<>(spareRecords);
    spareRecords = List.of(); // lent to the transaction until its end
    held.sort(order);
    List<Slot<K, V>> rest = spare;
    for (int from = 0; from < held.size();) {
      PartitionWork partition = held.get(from).in();
      int end = from + 1;
      while (end < held.size() && held.get(end).in() == partition) {
        end++;
      }
      int taken = 0;
      if (wanted.contains(partition) && !partition.isCancelled()) {
        int room = most - transaction.records().size();
        taken = plan(transaction, partition, from, from + Math.min(end - from, room));
      }
      for (int i = from + taken; i < end; i++) {
        rest.add(held.get(i));
      }
      from = end;
    }
    // offsets without records, such as transaction markers, have moved the position
    for (PartitionWork partition : of) {
      if (partition.isDirty && !partition.isCancelled() && !transaction.offsets().containsKey(partition)) {
        plan(transaction, partition, 0, 0);
      }
    }
    keep(rest);
    if (transaction.isEmpty()) {
      spareRecords = transaction.records();
    }
    return transaction;
  }

  /** Takes the first records of a partition, as many as the metadata has room for. Returns how many. */
  private int plan(RecordTransaction<K, V> transaction, PartitionWork partition, int from, int end) {
    if (places.length < end - from) {
      places = new long[Math.max(2 * places.length, end - from)];
    }
    int count = 0;
    while (count < end - from && !held.get(from + count).isAheadOfOrder()) {
      places[count] = held.get(from + count).place;
      count++;
    }
    Fitting fitting = fitting(partition, count);
    OffsetAndMetadata offset = fitting.offset();
    if (offset == null || (fitting.count() == 0 && !partition.isDirty)) {
      return 0;
    }
    for (int i = from; i < from + fitting.count(); i++) {
      transaction.records().add(held.get(i));
    }
    transaction.offsets().put(partition, offset);
    partition.held -= fitting.count();
    partition.isDirty = false;
    return fitting.count();
  }

  /** The number of records that may be committed, and the offset that is committed with them. */
  private record Fitting(int count, @Nullable OffsetAndMetadata offset) {}

  private Fitting fitting(PartitionWork partition, int count) {
    OffsetAndMetadata all = offset(partition, count, metadataCharacters);
    if (all != null) {
      return new Fitting(count, all);
    }
    // Committed offsets must stay in the metadata, though another client had more room for them.
    int room = Math.max(metadataCharacters, characters(partition));
    int fits = 0;
    int exceeds = count;
    while (exceeds - fits > 1) {
      int middle = (fits + exceeds) >>> 1;
      if (offset(partition, middle, room) == null) {
        exceeds = middle;
      } else {
        fits = middle;
      }
    }
    return new Fitting(fits, offset(partition, fits, room));
  }

  private static int characters(PartitionWork partition) {
    long offset = partition.committable();
    return offset == OffsetWindow.NONE
        ? 0
        : DoneOffsets.of(partition.window, partition.doneBefore()).characters(offset);
  }

  /** Returns the commit for the first {@code count} records; null if the metadata has no room for it. */
  private @Nullable OffsetAndMetadata offset(PartitionWork partition, int count, int characters) {
    DoneOffsets.Planned planned = new DoneOffsets.Planned(places, count);
    partition.window.forEach(planned);
    boolean isAll = planned.first() == OffsetWindow.NONE;
    long offset = isAll ? partition.position : planned.first();
    if (offset == OffsetWindow.NONE) {
      return null;
    }
    DoneOffsets above = planned.above(partition.window, partition.doneBefore());
    return above.fits(offset, characters)
        ? new OffsetAndMetadata(offset, isAll ? partition.epoch : -1, above.encode(offset, characters))
        : null;
  }

  /** Frees the records of a committed transaction. */
  void committed(RecordTransaction<K, V> transaction) {
    transaction.records().forEach(schedule::committed);
    transaction.offsets().forEach((partition, offset) -> partition.committed = offset.offset());
    ended(transaction);
  }

  private void ended(RecordTransaction<K, V> transaction) {
    spareRecords = transaction.records();
    spareRecords.clear();
  }

  /** Keeps the records of an aborted transaction for the next one, unless their partition was cancelled. */
  void aborted(RecordTransaction<K, V> transaction, @Nullable Slot<K, V> without) {
    for (Slot<K, V> slot : transaction.records()) {
      if (slot.in().isCancelled()) {
        schedule.abandonedByWorker(slot);
      } else if (slot != without) {
        keep(slot);
      }
    }
    for (PartitionWork partition : transaction.offsets().keySet()) {
      partition.isDirty = true;
    }
    ended(transaction);
  }

  /** Drops records of cancelled partitions. */
  void dropCancelled() {
    List<Slot<K, V>> kept = spare;
    for (Slot<K, V> slot : held) {
      if (slot.in().isCancelled()) {
        slot.in().held--;
        schedule.abandonedByWorker(slot);
      } else {
        kept.add(slot);
      }
    }
    keep(kept);
  }

  private void keep(List<Slot<K, V>> rest) {
    spare = held;
    spare.clear();
    held = rest;
  }
}
