package dev.decant.fake;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a share group in a partition of a fake cluster, at one moment (KIP-932).
 *
 * @param startOffset first offset that is not finished for the group; -1 if no member has fetched the partition yet
 * @param storedOffset offset at which a new leader would continue, as DescribeShareGroupOffsets shows it; -1 before any
 *     delivery has ended
 * @param records records from the start on that were delivered at least once, or belong to a batch that was
 */
public record SharedPartition(long startOffset, long storedOffset, List<Record> records) {
  /** The state of a record in a share group. */
  public enum State {
    /** The record may be delivered, for the first time or again. */
    AVAILABLE,
    /** A member has acquired the record, until it acknowledges or its lock expires. */
    ACQUIRED,
    /** A member has accepted the record. */
    ACKNOWLEDGED,
    /** The record is not delivered any more: rejected, delivered too often, aborted, or no record at all. */
    ARCHIVED
  }

  /**
   * A record of a share group.
   *
   * @param offset offset of the record
   * @param state state of the record
   * @param deliveryCount number of deliveries
   * @param memberId member that has acquired the record; null without one
   */
  @SuppressWarnings("AvoidCommonTypeNames") // the name of Kafka's documents
  public record Record(long offset, State state, int deliveryCount, @Nullable String memberId) {}

  /** Returns the number of acquired records. */
  public int acquired() {
    return count(State.ACQUIRED);
  }

  /** Returns the number of available records, without those of batches that no member has received. */
  public int available() {
    return count(State.AVAILABLE);
  }

  private int count(State state) {
    return (int) records.stream().filter(record -> record.state() == state).count();
  }
}
