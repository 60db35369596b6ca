package dev.decant.fake;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far a share group is with a partition of a fake cluster, at the moment when a test asked (KIP-932).
 *
 * @param startOffset the first offset that the group is not done with; -1 if no member has fetched the partition yet
 * @param storedOffset the offset from which a new leader would go on, as DescribeShareGroupOffsets shows it; -1 before
 *     any delivery has ended
 * @param records the records from the start on that were delivered at least once, or belong to a batch that was
 */
public record SharedPartition(long startOffset, long storedOffset, List<Record> records) {
  /** How far a group is with a record. */
  public enum State {
    /** It may be delivered, again if it was delivered before. */
    AVAILABLE,
    /** A member has it, until it acknowledges or its lock ends. */
    ACQUIRED,
    /** A member has accepted it. */
    ACKNOWLEDGED,
    /** It is not delivered any more: rejected, delivered too often, aborted, or no record at all. */
    ARCHIVED
  }

  /**
   * A record of a share group.
   *
   * @param offset its offset
   * @param state how far the group is with it
   * @param deliveryCount how often it was delivered
   * @param memberId who has acquired it; null for nobody
   */
  @SuppressWarnings("AvoidCommonTypeNames") // the name of Kafka's documents
  public record Record(long offset, State state, int deliveryCount, @Nullable String memberId) {}

  /** How many records a member has. */
  public int acquired() {
    return count(State.ACQUIRED);
  }

  /** How many records may be delivered, not counting those that no member has seen a batch of. */
  public int available() {
    return count(State.AVAILABLE);
  }

  private int count(State state) {
    return (int) records.stream().filter(record -> record.state() == state).count();
  }
}
