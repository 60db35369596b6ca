package dev.decant.kafka.producer;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import java.util.Map;

/** Offsets on their way into a transaction, and the wait for it. */
final class SentOffsets {
  private final Map<TopicPartition, OffsetAndMetadata> offsets;
  private final GroupMetadata group;
  /** Written by the owner of the loop, read by who waits. */
  private volatile boolean ended;

  SentOffsets(Map<TopicPartition, OffsetAndMetadata> offsets, GroupMetadata group) {
    this.offsets = Map.copyOf(offsets);
    this.group = group;
  }

  Map<TopicPartition, OffsetAndMetadata> offsets() {
    return offsets;
  }

  GroupMetadata group() {
    return group;
  }

  /** It succeeded, or the transaction failed with it. */
  void end() {
    ended = true;
  }

  boolean hasEnded() {
    return ended;
  }
}
