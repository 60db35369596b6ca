package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Offsets on their way to the coordinator. Owner of the loop only. */
final class Commit {
  /** What is not stored yet; partitions are taken out as the broker has stored or refused them. */
  final Map<TopicPartition, OffsetAndMetadata> left;
  final int partitions;
  final long startNanos;
  final long deadlineNanos;
  final CommitResult result;
  /** Why partitions are not stored that were taken out all the same. */
  @Nullable
  KafkaException refused;
  /** Whether it is sent without others: together with them it was too large. */
  boolean isAlone;
  /** How many responses did not know a topic. */
  int unknownTopic;
  /** Partitions that no further request may name, though the one under way does. */
  private final Set<TopicPartition> givenUp = new HashSet<>();
  private @Nullable KafkaException whyGivenUp;

  Commit(Map<TopicPartition, OffsetAndMetadata> offsets, long startNanos, long deadlineNanos, CommitResult result) {
    this.left = new LinkedHashMap<>(offsets);
    this.partitions = offsets.size();
    this.startNanos = startNanos;
    this.deadlineNanos = deadlineNanos;
    this.result = result;
  }

  /** A copy of the partitions that are not stored yet. */
  Set<TopicPartition> partitionsLeft() {
    return Set.copyOf(left.keySet());
  }

  /** Takes partitions out that the coordinator is not to store for this commit. */
  void giveUp(Collection<TopicPartition> given, KafkaException cause) {
    if (left.keySet().removeAll(given)) {
      refused = cause;
    }
  }

  /** Does so once the request under way is over, which may store them yet. */
  void giveUpLater(Collection<TopicPartition> given, KafkaException cause) {
    if (givenUp.addAll(given)) {
      whyGivenUp = cause;
    }
  }

  /** The request under way is over. */
  void giveUpNow() {
    KafkaException cause = whyGivenUp;
    if (cause != null) {
      giveUp(givenUp, cause);
      givenUp.clear();
      whyGivenUp = null;
    }
  }
}
