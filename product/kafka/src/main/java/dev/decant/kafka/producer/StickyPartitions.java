package dev.decant.kafka.producer;

import dev.decant.kafka.cluster.ClusterSnapshot;
import dev.decant.kafka.cluster.TopicMetadata;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Where records without a key go: to one partition until its batch is full or has left (KIP-480), and then to the next
 * partition in turn, or to another one, picked at random, if much less waits there (after KIP-794). The record for
 * which there was no batch goes there already: alone in a batch it would wait out the linger. So load is even while
 * brokers are equally fast, and a slow one gets less. Partitions without a leader have no turn, and with a rack none
 * whose leader is in another one, as long as there is one in this (KIP-1123).
 *
 * <p>Threads that send at the same time would write to the same words of one batch, each waiting for the other's cache.
 * So who loses races within a batch goes on in another stripe, which begins in a partition that nobody else fills, and
 * comes back when its batch has left before it was full: then there is not enough to fill several at once.
 *
 * <p>Any thread where not said otherwise; takes the same time however many partitions there are.
 */
final class StickyPartitions {
  /** How many batches less must wait elsewhere. */
  private static final int MARGIN = 2;
  private static final int TRIES = 4;
  /** More than run at a time, so that those that do seldom meet. */
  private static final int STRIPES = Integer.highestOneBit(4 * Runtime.getRuntime().availableProcessors());

  private final @Nullable String rack;
  /** Partitions that have a turn. Replaced by the owner of the loop, read by any thread. */
  private volatile int[] turns = {};
  // Under the monitor.
  private int turn = -1;
  /** How many batches its partition had begun when a stripe went there. */
  private final long[] begunBefore = new long[STRIPES];
  /** Where the records of each stripe go now; -1 before its first. Written under the monitor, read by any thread. */
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

  /** Where records of a stripe go now. */
  int current(int stripe) {
    return current.get(stripe);
  }

  /**
   * Goes on from a partition, unless another thread has done so meanwhile: they all find the same batch full, and go to
   * the same next one.
   */
  synchronized int after(int stripe, int partition, PartitionQueue[] all) {
    int now = current.get(stripe);
    if (now == partition || now >= all.length) { // partitions may have become fewer
      now = next(all);
      go(stripe, now, all);
    }
    return now;
  }

  /** The stripe for who shares a partition with too many. It begins where nobody else fills a batch, if it can. */
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

  /** Whether a batch takes the records of a stripe, or nobody has begun one yet where it was to go. */
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
