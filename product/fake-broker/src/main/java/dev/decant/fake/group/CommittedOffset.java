package dev.decant.fake.group;

/**
 * What a group has committed for a partition.
 *
 * @param offset the offset of the next record to read
 * @param leaderEpoch the leader epoch of the last record that was read, -1 for unknown
 * @param metadata what the committer has added, empty for nothing
 */
public record CommittedOffset(long offset, int leaderEpoch, String metadata) {}
