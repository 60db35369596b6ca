package dev.decant.fake.group;

/**
 * The committed offset of a group for a partition.
 *
 * @param offset offset of the next record to read
 * @param leaderEpoch leader epoch of the last record that was read, -1 if unknown
 * @param metadata text that the client has added, or empty
 */
public record CommittedOffset(long offset, int leaderEpoch, String metadata) {}
