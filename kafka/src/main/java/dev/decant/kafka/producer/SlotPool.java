package dev.decant.kafka.producer;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reusable helpers, one slot per few threads: a thread takes from its slot and gives back to it. Where the slot is
 * empty or full, one is made or dropped, so nobody waits. Any thread.
 */
final class SlotPool<T> {
  private final AtomicReferenceArray<@Nullable T> slots;
  private final Supplier<T> factory;
  private final int mask;

  SlotPool(int size, Supplier<T> factory) {
    this.slots = new AtomicReferenceArray<>(size);
    this.mask = size - 1;
    this.factory = factory;
  }

  T take() {
    T pooled = slots.getAndSet(slot(), null);
    return pooled != null ? pooled : factory.get();
  }

  void give(T used) {
    slots.lazySet(slot(), used);
  }

  /** Threads begin in different slots; neighbours are spread so that they do not share a cache line. */
  private int slot() {
    return ((int) Thread.currentThread().threadId() * 17) & mask;
  }
}
