package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Offsets on their way to the coordinator. Owner of the loop only. */
final class Commit {
  /** What is not stored yet; partitions are taken out as the broker has stored or refused them. */
  final Map<TopicPartition, OffsetAndMetadata> left;
  final int partitions;
  final long startNanos;
  final long deadlineNanos;
  final CommitResult result;
  /** Set while it is under way: if it has to be sent again, it must not be, and this is why. */
  @Nullable
  KafkaException abandoned;
  /** Why partitions are not stored that were taken out all the same. */
  @Nullable
  KafkaException refused;
  /** How many responses did not know a topic. */
  int unknownTopic;

  Commit(Map<TopicPartition, OffsetAndMetadata> offsets, long startNanos, long deadlineNanos, CommitResult result) {
    this.left = new LinkedHashMap<>(offsets);
    this.partitions = offsets.size();
    this.startNanos = startNanos;
    this.deadlineNanos = deadlineNanos;
    this.result = result;
  }
}
