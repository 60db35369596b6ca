package dev.decant.kafka.consumer;

import dev.decant.buffer.PooledBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one fetch response, given back when the polling thread is done with all its partitions. The count is
 * set before the first one is handed over; then only the polling thread counts down.
 */
final class ResponseMemory {
  private final @Nullable PooledBuffer lease;
  private final Runnable onReleased;
  private int users;

  ResponseMemory(@Nullable PooledBuffer lease, Runnable onReleased) {
    this.lease = lease;
    this.onReleased = onReleased;
  }

  void usedBy(int partitions) {
    users = partitions;
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
