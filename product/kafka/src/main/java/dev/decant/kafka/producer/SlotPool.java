package dev.decant.kafka.producer;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reusable helpers in slots. A platform thread owns the slot of its number, from its first use on, and takes from it
 * without an atomic instruction. A thread whose slot has another owner, and every virtual thread, takes from a second
 * row of slots by a compare-and-set. If that slot is taken, too, it takes from a list. No thread waits. Any thread.
 *
 * <p>A slot keeps its helper for good and is claimed by a number. A reference stored per use would make the collector's
 * write barrier the largest cost of a send.
 */
final class SlotPool<T extends FreeList.Node> {
  private static final int FREE = 0;
  private static final int TAKEN = 1;
  private static final long NO_OWNER = 0;
  /** Flags of neighbours lie a cache line apart. */
  private static final int STRIDE = 16;

  /** The number of the thread that owns a slot of the first row; written once. */
  private final AtomicLongArray owners;
  /** Both rows, one after the other. Those of the first are touched by their owner only. */
  private final AtomicIntegerArray flags;
  /** The helpers. Each element is touched only by the thread that has set its flag. */
  private final @Nullable Object[] slots;
  private final Supplier<T> factory;
  private final FreeList<T> others;
  private final int size;

  /** {@code size} is a power of two. */
  SlotPool(int size, Supplier<T> factory) {
    this.size = size;
    this.owners = new AtomicLongArray(size);
    this.flags = new AtomicIntegerArray(2 * size * STRIDE);
    this.slots = new @Nullable Object[2 * size];
    this.factory = factory;
    this.others = new FreeList<>(factory);
  }

  T take() {
    long thread = Thread.currentThread().threadId();
    int slot = (int) thread & size - 1;
    if (owners.getPlain(slot) == thread && flags.getPlain(slot * STRIDE) == FREE) {
      flags.setPlain(slot * STRIDE, TAKEN);
      return pooled(slot);
    }
    return takeSlowPath(slot);
  }

  private T takeSlowPath(int slot) {
    Thread thread = Thread.currentThread();
    if (owners.get(slot) == NO_OWNER && !thread.isVirtual()
        && owners.compareAndSet(slot, NO_OWNER, thread.threadId())) {
      flags.setPlain(slot * STRIDE, TAKEN);
      return pooled(slot);
    }
    int shared = size + slot;
    return flags.compareAndSet(shared * STRIDE, FREE, TAKEN) ? pooled(shared) : others.take();
  }

  @SuppressWarnings("unchecked") // only what the factory made is stored
  private T pooled(int slot) {
    Object pooled = slots[slot];
    if (pooled == null) {
      pooled = factory.get();
      slots[slot] = pooled;
    }
    return (T) pooled;
  }

  /**
   * Gives back a helper that the same thread has taken. A thread that holds a slot has the helper in it, so a helper
   * that lies in neither slot is from the list.
   */
  @SuppressWarnings("ReferenceEquality") // the very object, not one like it
  void give(T used) {
    int slot = (int) Thread.currentThread().threadId() & size - 1;
    if (slots[slot] == used) {
      flags.setPlain(slot * STRIDE, FREE);
    } else if (slots[size + slot] == used) {
      flags.setRelease((size + slot) * STRIDE, FREE);
    } else {
      others.give(used);
    }
  }
}
