package dev.decant.kafka.consumer;

import dev.decant.buffer.PooledBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one fetch response, given back when the polling thread is done with all its partitions. Users are
 * counted before the first one is handed over; only the polling thread counts down.
 */
final class ResponseMemory {
  private final @Nullable PooledBuffer lease;
  private final Runnable onReleased;
  private int users;

  ResponseMemory(@Nullable PooledBuffer lease, int users, Runnable onReleased) {
    this.lease = lease;
    this.users = users;
    this.onReleased = onReleased;
  }

  void release() {
    if (--users == 0) {
      if (lease != null) {
        lease.release();
      }
      onReleased.run();
    }
  }
}
