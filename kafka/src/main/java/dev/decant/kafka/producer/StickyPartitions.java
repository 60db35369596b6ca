package dev.decant.kafka.producer;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Where records without a key go next, once the batch of one partition is full (KIP-480): to the next partition in
 * turn, or to another one, picked at random, if much less waits there (after KIP-794). So load is even while brokers
 * are equally fast, a slow one gets less, and a partition without a leader gets nothing. Any thread; takes the same
 * time however many partitions there are.
 */
final class StickyPartitions {
  /** How many batches less must wait elsewhere. */
  private static final int MARGIN = 2;
  private static final int TRIES = 4;

  /** The partition that comes after a queue's. */
  int after(PartitionQueue queue, PartitionQueue[] all) {
    PartitionQueue chosen = all[(queue.partition + 1) % all.length];
    if (!chosen.hasLeader || chosen.openBatches() > MARGIN) {
      chosen = betterSlowPath(chosen, all);
    }
    return chosen.partition;
  }

  private PartitionQueue betterSlowPath(PartitionQueue next, PartitionQueue[] all) {
    PartitionQueue best = next;
    for (int i = 0; i < TRIES; i++) {
      PartitionQueue other = all[ThreadLocalRandom.current().nextInt(all.length)];
      if (other.hasLeader && (!best.hasLeader || other.openBatches() + MARGIN <= best.openBatches())) {
        best = other;
      }
    }
    return best;
  }
}
