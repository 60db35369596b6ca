package dev.decant.fake.share;

import java.util.List;

/**
 * The progress of a share group in a partition.
 *
 * @param start first offset that is not finished for the group
 * @param storedStart start for a new leader, -1 if nothing is stored
 * @param records records from the start on that are in flight
 */
public record ShareProgress(long start, long storedStart, List<Record> records) {
  /**
   * A record in flight.
   *
   * @param offset offset of the record
   * @param state state of the record
   * @param deliveries number of deliveries
   * @param member member that has acquired it, empty for none
   */
  @SuppressWarnings("AvoidCommonTypeNames") // the name of Kafka's documents
  public record Record(long offset, RecordState state, int deliveries, String member) {}
}
