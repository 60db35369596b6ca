package dev.decant.kafka.producer;

import java.util.Arrays;
import java.util.function.BooleanSupplier;

/** One thread's wait until no record of the batches that were begun when it began can fail any more. Reusable. */
final class FlushWait extends FreeList.Node implements BooleanSupplier {
  private PartitionQueue[] queues = {};
  /** Number of batches that each queue had begun. */
  private long[] begun = {};
  private boolean hasBegun;

  /** Remembers which batches have begun. */
  FlushWait begin(PartitionQueue[] all) {
    hasBegun = true;
    queues = all;
    if (begun.length < all.length) {
      begun = Arrays.copyOf(begun, all.length);
    }
    for (int i = 0; i < all.length; i++) {
      begun[i] = all[i].begunBatches();
    }
    return this;
  }

  /** Begins before records have partitions: {@link #begin} follows when they have. */
  FlushWait beginLater() {
    hasBegun = false;
    return this;
  }

  boolean hasBegun() {
    return hasBegun;
  }

  @Override
  public boolean getAsBoolean() {
    PartitionQueue[] all = queues;
    for (int i = 0; i < all.length; i++) {
      if (!all[i].hasCompleted(begun[i])) {
        return false;
      }
    }
    return true;
  }
}
