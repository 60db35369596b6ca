package dev.decant.kafka.transaction;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import java.util.Map;

/** Offsets on their way into a transaction, and the wait for it. */
public final class SentOffsets {
  private final Map<TopicPartition, OffsetAndMetadata> offsets;
  private final GroupMetadata group;
  /** Written by the owner of the loop, read by the thread that waits. */
  private volatile boolean ended;

  /**
   * Offsets that were not sent yet.
   *
   * @param offsets by partition
   * @param group whose they are
   */
  public SentOffsets(Map<TopicPartition, OffsetAndMetadata> offsets, GroupMetadata group) {
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

  /**
   * Tells whether the coordinator has taken them, or the transaction has failed with them. Any thread.
   *
   * @return false while they are on their way
   */
  public boolean hasEnded() {
    return ended;
  }
}
