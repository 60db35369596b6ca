package dev.decant.fake.share;

import java.util.List;

/**
 * How far a share group is with a partition.
 *
 * @param start the first offset that the group is not done with
 * @param storedStart where it would go on with a new leader, -1 if nothing is stored
 * @param records those from the start on that are in flight
 */
public record ShareProgress(long start, long storedStart, List<Record> records) {
  /**
   * A record in flight.
   *
   * @param offset its offset
   * @param state its state
   * @param deliveries how often it was delivered
   * @param member who has it, empty for nobody
   */
  @SuppressWarnings("AvoidCommonTypeNames") // the name of Kafka's documents
  public record Record(long offset, RecordState state, int deliveries, String member) {}
}
