package dev.decant.kafka.cluster;

/**
 * Who leads a partition.
 *
 * @param leaderId node id, -1 if there is no leader now
 * @param leaderEpoch epoch of that leader, -1 if unknown
 */
public record PartitionMetadata(int leaderId, int leaderEpoch) {}
