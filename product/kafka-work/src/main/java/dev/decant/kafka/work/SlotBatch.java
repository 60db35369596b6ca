package dev.decant.kafka.work;

import dev.decant.kafka.consumer.ConsumerRecord;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records that a handler works on together: heads of chains, and behind them records that wait for them, in their
 * order. The worker owns it; other threads may ask for the partitions.
 */
final class SlotBatch<K, V> {
  private final @Nullable Slot<K, V>[] slots;
  /** True for each record that waits for another one of the batch. */
  private final boolean[] isFollower;
  private final Records records = new Records();
  private final Contexts contexts = new Contexts();
  private int size;

  @SuppressWarnings({"unchecked", "rawtypes"})
  SlotBatch(int most) {
    slots = new Slot[most];
    isFollower = new boolean[most];
  }

  int most() {
    return slots.length;
  }

  int size() {
    return size;
  }

  void add(Slot<K, V> slot) {
    isFollower[size] = false;
    slots[size++] = slot;
  }

  /** Fills the batch up with records that wait for its heads. */
  void addFollowers() {
    for (int i = 0; i < size && size < slots.length; i++) {
      Slot<K, V> next = at(i).follower();
      if (next != null && next.attempts == 0) { // a record that has failed before is tried alone
        isFollower[size] = true;
        slots[size++] = next;
      }
    }
  }

  /** The first record. */
  Slot<K, V> get() {
    return at(0);
  }

  boolean has(PartitionWork partition) {
    for (Slot<K, V> slot : slots) {
      if (slot != null && slot.partition == partition) {
        return true;
      }
    }
    return false;
  }

  /** Returns true if the result is of no use for any of its records: their partitions went to other members. */
  boolean isCancelled() {
    for (Slot<K, V> slot : slots) {
      if (slot != null && !slot.isCancelled()) {
        return false;
      }
    }
    return true;
  }

  boolean isOpen() {
    for (int i = 0; i < size; i++) {
      if (!at(i).in().isOpen()) {
        return false;
      }
    }
    return true;
  }

  /** The views, valid until {@link #end}. */
  List<ConsumerRecord<K, V>> records() {
    return records;
  }

  /** The context of each record, valid until {@link #end}. */
  List<WorkContext> contexts() {
    return contexts;
  }

  /** Lets the contexts take results from a thread alone; null for no thread. */
  void runBy(@Nullable Thread thread) {
    for (int i = 0; i < size; i++) {
      at(i).runner = thread;
    }
  }

  /**
   * Sets the outcome of each record when the handler has ended. If it has failed, or was not called because a partition
   * is closed, the heads have outcomes one by one, and the records behind them go on waiting.
   */
  void end(boolean wasCalled, @Nullable Throwable error, Consumer<Slot<K, V>> ended) {
    boolean isDone = wasCalled && error == null;
    for (int i = 0; i < size; i++) {
      Slot<K, V> slot = at(i);
      if (isDone) {
        slot.outcome = Slot.Outcome.DONE;
      } else if (isFollower[i]) {
        slot.dropResults(); // the loop never hears of this attempt, and the next one would add to its results
      } else {
        if (wasCalled) {
          slot.outcome = Slot.Outcome.FAILED;
          slot.error = error;
        } else if (!slot.in().isOpen()) {
          slot.outcome = Slot.Outcome.ABANDONED;
        } // else the loop makes it ready again
      }
    }
    for (int i = 0; i < size; i++) {
      Slot<K, V> slot = at(i);
      if (!isDone && isFollower[i]) {
        continue;
      }
      Slot<K, V> next = slot.outcome == Slot.Outcome.DONE || slot.outcome == Slot.Outcome.ABANDONED
          ? slot.finish()
          : null;
      ended.accept(slot); // first: the loop must take this record before the one behind it can be done
      if (next != null && next.outcome == Slot.Outcome.NONE) {
        ended.accept(next); // the loop makes it ready
      }
    }
    for (int i = 0; i < size; i++) {
      slots[i] = null;
    }
    size = 0;
  }

  private Slot<K, V> at(int index) {
    Slot<K, V> slot = slots[index];
    if (slot == null) {
      throw new IllegalStateException("no record at " + index + " of " + size);
    }
    return slot;
  }

  private final class Records extends AbstractList<ConsumerRecord<K, V>> implements RandomAccess {
    @Override
    public ConsumerRecord<K, V> get(int index) {
      if (index < 0 || index >= size) {
        throw new IndexOutOfBoundsException(index);
      }
      return at(index).record();
    }

    @Override
    public int size() {
      return size;
    }
  }

  private final class Contexts extends AbstractList<WorkContext> implements RandomAccess {
    @Override
    public WorkContext get(int index) {
      if (index < 0 || index >= size) {
        throw new IndexOutOfBoundsException(index);
      }
      return at(index);
    }

    @Override
    public int size() {
      return size;
    }
  }
}
