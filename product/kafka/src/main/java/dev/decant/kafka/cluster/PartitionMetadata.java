package dev.decant.kafka.cluster;

/**
 * The leader of a partition, and its replicas.
 *
 * @param leaderId node id, -1 if there is no leader now
 * @param leaderEpoch epoch of that leader, -1 if unknown
 * @param replicas as the last metadata response had them
 */
public record PartitionMetadata(int leaderId, int leaderEpoch, Replicas replicas) {
  /**
   * Of a leader of which a broker tells beside an error: the replicas are not known.
   *
   * @param leaderId node id, -1 if there is no leader now
   * @param leaderEpoch epoch of that leader, -1 if unknown
   */
  public PartitionMetadata(int leaderId, int leaderEpoch) {
    this(leaderId, leaderEpoch, Replicas.NONE);
  }
}
