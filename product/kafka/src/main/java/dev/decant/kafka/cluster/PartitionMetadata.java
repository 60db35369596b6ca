package dev.decant.kafka.cluster;

/**
 * The leader of a partition, and its replicas.
 *
 * @param leaderId node id; -1 if there is no leader now
 * @param leaderEpoch epoch of that leader; -1 if unknown
 * @param replicas from the last metadata response
 */
public record PartitionMetadata(int leaderId, int leaderEpoch, Replicas replicas) {
  /**
   * Makes metadata without replicas, from a leader that a broker reported beside an error (KIP-951).
   *
   * @param leaderId node id; -1 if there is no leader now
   * @param leaderEpoch epoch of that leader; -1 if unknown
   */
  public PartitionMetadata(int leaderId, int leaderEpoch) {
    this(leaderId, leaderEpoch, Replicas.NONE);
  }
}
