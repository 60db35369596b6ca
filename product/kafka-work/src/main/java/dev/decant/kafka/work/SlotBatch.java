package dev.decant.kafka.work;

import dev.decant.kafka.consumer.ConsumerRecord;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records that a handler works on together: the heads of chains, and behind them records that wait for them, in their
 * order. The worker; other threads may ask of which partitions they are.
 */
final class SlotBatch<K, V> {
  private final @Nullable Slot<K, V>[] slots;
  /** Which of them wait for another of the batch. */
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

  /** Fills up with records that wait for those that are here. */
  void addFollowers() {
    for (int i = 0; i < size && size < slots.length; i++) {
      Slot<K, V> next = at(i).follower();
      if (next != null && next.attempts == 0) { // one that has failed before is tried alone
        isFollower[size] = true;
        slots[size++] = next;
      }
    }
  }

  /** The first one. */
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
   * The handler has ended. Where it has failed, or was not called since a partition is closed, the heads are looked at
   * one by one, and those that wait go on waiting.
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
      ended.accept(slot); // first: what comes behind it must not be done before the loop hears of this one
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
