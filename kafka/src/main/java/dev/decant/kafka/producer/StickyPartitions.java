package dev.decant.kafka.producer;

import dev.decant.kafka.cluster.ClusterSnapshot;
import dev.decant.kafka.cluster.TopicMetadata;
import java.util.concurrent.ThreadLocalRandom;
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
 * <p>Any thread where not said otherwise; takes the same time however many partitions there are.
 */
final class StickyPartitions {
  /** How many batches less must wait elsewhere. */
  private static final int MARGIN = 2;
  private static final int TRIES = 4;

  private final @Nullable String rack;
  /** Partitions that have a turn. Replaced by the owner of the loop, read by any thread. */
  private volatile int[] turns = {};
  // Under the monitor.
  private int turn = -1;
  /** Where records go now. Written under the monitor, read by any thread. */
  private volatile int current;

  StickyPartitions(@Nullable String rack) {
    this.rack = rack;
  }

  /** Takes new metadata. Owner of the loop only. */
  void update(TopicMetadata topic, ClusterSnapshot cluster) {
    IntPredicate isLed = p -> topic.leader(p) >= 0;
    IntPredicate isNear = p -> rack != null && rack.equals(cluster.racks().get(topic.leader(p)));
    int[] near = those(topic, isNear);
    int[] led = near.length > 0 ? near : those(topic, isLed);
    turns = led.length > 0 ? led : those(topic, _ -> true);
  }

  private static int[] those(TopicMetadata topic, IntPredicate chosen) {
    return IntStream.range(0, topic.partitions().size()).filter(chosen).toArray();
  }

  /** Where records go now. */
  int current() {
    return current;
  }

  /**
   * Goes on from a partition, unless another thread has done so meanwhile: they all find the same batch full, and go to
   * the same next one.
   */
  synchronized int after(int partition, PartitionQueue[] all) {
    if (current == partition || current >= all.length) { // partitions may have become fewer
      current = next(all);
    }
    return current;
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
