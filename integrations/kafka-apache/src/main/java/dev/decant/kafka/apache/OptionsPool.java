package dev.decant.kafka.apache;

import dev.decant.kafka.producer.SendOptions;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * Options for records with headers, a partition or a timestamp, one for each thread that is sending. A slot always
 * keeps its options and is taken by a number, so that no reference is stored per record. A thread whose slot is taken
 * gets new options. Any thread.
 */
final class OptionsPool {
  private static final int SLOTS = 64;
  /** Distance between flags: neighbours are on different cache lines. */
  private static final int STRIDE = 16;
  private static final int FREE = 0;
  private static final int TAKEN = 1;

  private final AtomicIntegerArray flags = new AtomicIntegerArray(SLOTS * STRIDE);
  /** The options of each slot. Touched only by the thread that holds the slot's flag. */
  private final @Nullable SendOptions[] slots = new @Nullable SendOptions[SLOTS];

  /** Returns empty options, which the same thread must give back. */
  SendOptions take() {
    int slot = slot();
    if (!flags.compareAndSet(slot * STRIDE, FREE, TAKEN)) {
      return new SendOptions();
    }
    SendOptions options = slots[slot];
    if (options == null) {
      options = new SendOptions();
      slots[slot] = options;
    }
    return options;
  }

  @SuppressWarnings("ReferenceEquality") // the very object
  void give(SendOptions options) {
    options.clear();
    int slot = slot();
    if (slots[slot] == options) {
      flags.setRelease(slot * STRIDE, FREE);
    }
  }

  private static int slot() {
    return (int) Thread.currentThread().threadId() & SLOTS - 1;
  }
}
