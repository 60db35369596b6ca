package dev.decant.kafka.apache;

import java.util.Arrays;
import org.apache.kafka.common.TopicPartition;

/** A topic of a producer, with its partitions as objects of Apache's class, made once. Any thread. */
final class ProducedTopic {
  private static final int UNKNOWN = -1;

  final SendContext<?, ?> context;
  final String name;
  private final TopicPartition unknown;
  private volatile TopicPartition[] partitions = {};

  ProducedTopic(SendContext<?, ?> context, String name) {
    this.context = context;
    this.name = name;
    this.unknown = new TopicPartition(name, UNKNOWN);
  }

  /** Returns the object of a partition, the same each time; for -1, that of records without a partition. */
  TopicPartition partition(int partition) {
    TopicPartition[] known = partitions;
    return partition < 0 ? unknown : partition < known.length ? known[partition] : grown(partition);
  }

  private synchronized TopicPartition grown(int partition) {
    TopicPartition[] before = partitions;
    if (partition < before.length) {
      return before[partition];
    }
    TopicPartition[] after = Arrays.copyOf(before, partition + 1);
    for (int p = before.length; p < after.length; p++) {
      after[p] = new TopicPartition(name, p);
    }
    partitions = after;
    return after[partition];
  }
}
