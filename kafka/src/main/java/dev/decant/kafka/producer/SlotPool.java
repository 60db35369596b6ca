package dev.decant.kafka.producer;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reusable helpers, one slot per few threads: a thread takes from its slot and gives back to it. Where the slot is
 * taken, one is made and dropped again, so nobody waits. Any thread.
 *
 * <p>A slot keeps its helper for good and is claimed by a number: to store a reference on each use would make the
 * collector's write barrier the dearest part of a send.
 */
final class SlotPool<T> {
  private static final int FREE = 0;
  private static final int TAKEN = 1;
  /** Flags of neighbours lie a cache line apart. */
  private static final int STRIDE = 16;

  private final AtomicIntegerArray flags;
  /** Each element is touched only by who holds its flag. */
  private final @Nullable Object[] slots;
  private final Supplier<T> factory;
  private final int mask;

  SlotPool(int size, Supplier<T> factory) {
    this.flags = new AtomicIntegerArray(size * STRIDE);
    this.slots = new @Nullable Object[size];
    this.mask = size - 1;
    this.factory = factory;
  }

  @SuppressWarnings("unchecked") // only what the factory made is stored
  T take() {
    int slot = slot();
    if (!flags.compareAndSet(slot * STRIDE, FREE, TAKEN)) {
      return factory.get();
    }
    Object pooled = slots[slot];
    if (pooled == null) {
      pooled = factory.get();
      slots[slot] = pooled;
    }
    return (T) pooled;
  }

  /** Gives back what the same thread has taken. */
  @SuppressWarnings("ReferenceEquality") // the very object, not one like it
  void give(T used) {
    int slot = slot();
    // If this thread made its own, another one holds the slot, and it cannot hold what is ours.
    if (slots[slot] == used) {
      flags.setRelease(slot * STRIDE, FREE);
    }
  }

  /** Threads begin in different slots. */
  private int slot() {
    return (int) Thread.currentThread().threadId() & mask;
  }
}
