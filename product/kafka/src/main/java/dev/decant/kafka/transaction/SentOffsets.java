package dev.decant.kafka.transaction;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import java.util.Map;

/** Offsets that are being sent with a transaction, and the wait for their end. */
public final class SentOffsets {
  private final Map<TopicPartition, OffsetAndMetadata> offsets;
  private final GroupMetadata group;
  /**
   * True once the coordinator has taken the offsets, or the transaction has failed with them. Written by the owner of
   * the loop, read by the waiting thread.
   */
  private volatile boolean ended;

  /**
   * Makes offsets that were not sent yet.
   *
   * @param offsets by partition
   * @param group the group and member that consumed them
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

  /** Marks the end: the coordinator has taken the offsets, or the transaction has failed with them. */
  void end() {
    ended = true;
  }

  /** Returns true once the coordinator has taken the offsets, or the transaction has failed with them. Any thread. */
  public boolean hasEnded() {
    return ended;
  }
}
