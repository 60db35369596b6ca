package dev.decant.kafka.producer;

/**
 * Records that threads are preparing, for all producers of a client. A thread that sends to many topics in turn uses
 * the same few cache lines for all of them. Any thread.
 */
final class PendingRecords {
  private static final int SLOTS = 64;

  private final SlotPool<PendingRecord> pool = new SlotPool<>(SLOTS, PendingRecord::new);

  PendingRecord take() {
    return pool.take();
  }

  /** Gives back a record that the same thread has taken. */
  void give(PendingRecord used) {
    pool.give(used);
  }
}
