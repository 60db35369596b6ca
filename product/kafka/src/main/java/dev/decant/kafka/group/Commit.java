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
  /** Offsets that are not stored yet. A partition is removed when the broker has stored or refused it. */
  final Map<TopicPartition, OffsetAndMetadata> left;
  final int partitions;
  final long startNanos;
  final long deadlineNanos;
  final CommitResult result;
  /** Reason why removed partitions are not stored; null if all are. */
  @Nullable
  KafkaException refused;
  /** True if the commit is sent without others, because together they were too large. */
  boolean isAlone;
  /** Number of responses that did not know a topic. */
  int unknownTopic;
  /** Partitions that no further request may name, although the one in flight does. */
  private final Set<TopicPartition> toDrop = new HashSet<>();
  private @Nullable KafkaException dropCause;

  Commit(Map<TopicPartition, OffsetAndMetadata> offsets, long startNanos, long deadlineNanos, CommitResult result) {
    this.left = new LinkedHashMap<>(offsets);
    this.partitions = offsets.size();
    this.startNanos = startNanos;
    this.deadlineNanos = deadlineNanos;
    this.result = result;
  }

  /** Returns a copy of the partitions that are not stored yet. */
  Set<TopicPartition> partitionsLeft() {
    return Set.copyOf(left.keySet());
  }

  /** Removes partitions without storing them. */
  void drop(Collection<TopicPartition> given, KafkaException cause) {
    if (left.keySet().removeAll(given)) {
      refused = cause;
    }
  }

  /** Removes partitions after the request in flight, which may still store them. */
  void dropLater(Collection<TopicPartition> given, KafkaException cause) {
    if (toDrop.addAll(given)) {
      dropCause = cause;
    }
  }

  /** Removes the partitions of {@link #dropLater}, after the request. */
  void dropNow() {
    KafkaException cause = dropCause;
    if (cause != null) {
      drop(toDrop, cause);
      toDrop.clear();
      dropCause = null;
    }
  }
}
