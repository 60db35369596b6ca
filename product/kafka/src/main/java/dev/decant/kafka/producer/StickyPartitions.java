package dev.decant.kafka.producer;

import dev.decant.kafka.cluster.ClusterSnapshot;
import dev.decant.kafka.cluster.TopicMetadata;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the partition of records without a key. They go to one partition until its batch is full or has left
 * (KIP-480). Then the next partition has its turn, or one picked at random if much less waits there (after KIP-794).
 * The record that found no batch goes there already: alone in a batch it would wait out the linger. Load is therefore
 * even while brokers are equally fast, and a slow broker gets less. Partitions without a leader have no turn. With a
 * rack, partitions with a leader in that rack alone have turns, if there are any (KIP-1123).
 *
 * <p>Threads that send at the same time write to the same words of one batch, and each waits for the other's cache. A
 * thread that loses races within a batch therefore goes to another stripe, which begins in a partition that no other
 * stripe fills. It comes back when its batch has left before it was full: the load does not fill several then.
 *
 * <p>Any thread, where not said otherwise. The choice takes the same time for any number of partitions.
 */
final class StickyPartitions {
  /** A partition picked at random must have this many batches less. */
  private static final int MARGIN = 2;
  private static final int TRIES = 4;
  /** More stripes than threads that run at a time, so that these seldom meet. */
  private static final int STRIPES = Integer.highestOneBit(4 * Runtime.getRuntime().availableProcessors());

  private final @Nullable String rack;
  /** Partitions that have a turn. Replaced by the owner of the loop, read by any thread. */
  private volatile int[] turns = {};
  // Under the monitor.
  private int turn = -1;
  /** For each stripe, the number of batches that its partition had begun when the stripe went there. */
  private final long[] begunBefore = new long[STRIPES];
  /** Present partition of each stripe; -1 before its first. Written under the monitor, read by any thread. */
  private final AtomicIntegerArray current = new AtomicIntegerArray(STRIPES);

  StickyPartitions(@Nullable String rack) {
    this.rack = rack;
    for (int i = 1; i < STRIPES; i++) {
      current.set(i, -1);
    }
  }

  /** Takes new metadata. Owner of the loop only. */
  void update(TopicMetadata topic, ClusterSnapshot cluster) {
    IntPredicate isLed = p -> topic.leader(p) >= 0;
    IntPredicate isNear = p -> rack != null && rack.equals(cluster.racks().get(topic.leader(p)));
    int[] near = those(topic, isNear);
    int[] led = near.length > 0 ? near : those(topic, isLed);
    turns = led.length > 0 ? led : those(topic, partition -> true);
  }

  private static int[] those(TopicMetadata topic, IntPredicate chosen) {
    return IntStream.range(0, topic.partitions().size()).filter(chosen).toArray();
  }

  /** Takes the first turn. */
  synchronized void begin(PartitionQueue[] all) {
    go(0, next(all), all);
  }

  /** The present partition of a stripe. */
  int current(int stripe) {
    return current.get(stripe);
  }

  /**
   * Moves a stripe on from a partition, unless another thread has done so. Threads that find the same batch full go to
   * the same next partition.
   */
  synchronized int after(int stripe, int partition, PartitionQueue[] all) {
    int now = current.get(stripe);
    if (now == partition || now >= all.length) { // partitions may have become fewer
      now = next(all);
      go(stripe, now, all);
    }
    return now;
  }

  /**
   * Returns a stripe for a thread that loses too many races. It begins where no other stripe fills a batch, if it can.
   */
  synchronized int stripeAfter(int stripe, PartitionQueue[] all) {
    int other = (stripe + 1) % Math.clamp(turns.length, 1, STRIPES);
    if (current.get(other) == current.get(stripe) || !isInUse(other, all)) {
      int chosen = next(all);
      for (int tries = 1; tries < STRIPES && all[chosen].isFilling(); tries++) {
        chosen = next(all);
      }
      go(other, chosen, all);
    }
    return other;
  }

  /** Returns true if a batch takes the records of a stripe, or none has begun since the stripe went there. */
  private boolean isInUse(int stripe, PartitionQueue[] all) {
    int there = current.get(stripe);
    return there >= 0 && there < all.length
        && (all[there].isFilling() || all[there].begunBatches() == begunBefore[stripe]);
  }

  private void go(int stripe, int partition, PartitionQueue[] all) {
    begunBefore[stripe] = partition < all.length ? all[partition].begunBatches() : 0;
    current.set(stripe, partition);
  }

  private int next(PartitionQueue[] all) {
    int[] now = turns;
    if (now.length == 0) {
      return 0;
    }
    turn = (turn + 1) % now.length;
    int chosen = now[turn];
    if (chosen >= all.length) { // partitions have just become fewer
      return 0;
    }
    return all[chosen].openBatches() > MARGIN ? lessBusySlowPath(chosen, now, all) : chosen;
  }

  private static int lessBusySlowPath(int first, int[] turns, PartitionQueue[] all) {
    int best = first;
    for (int i = 0; i < TRIES; i++) {
      int other = turns[ThreadLocalRandom.current().nextInt(turns.length)];
      if (other < all.length && all[other].openBatches() + MARGIN <= all[best].openBatches()) {
        best = other;
      }
    }
    return best;
  }
}
