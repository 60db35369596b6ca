package dev.decant.kafka.consumer;

/**
 * A record that was found by its time.
 *
 * @param offset of the record
 * @param timestamp of the record, in epoch milliseconds
 * @param leaderEpoch of the leader that has appended it; -1 if not known
 */
public record OffsetAndTimestamp(long offset, long timestamp, int leaderEpoch) {}
