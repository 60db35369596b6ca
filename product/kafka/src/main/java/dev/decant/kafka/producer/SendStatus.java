package dev.decant.kafka.producer;

/** What {@link Producer#trySend} returns. */
public enum SendStatus {
  /** The record is in a batch, or will be as soon as the topic's partitions are known. */
  ACCEPTED,
  /**
   * The record was not taken: the producer's memory is full, or the backlog has reached its limit, since records are
   * sent faster than the brokers store them. Try again when records have been acknowledged.
   */
  BUFFER_FULL,
  /**
   * The record was not taken: the topic's partitions are not known yet and no more records can be kept, or the cluster
   * is being asked for the partition that the record names. If the cluster then does not have that partition, the next
   * try throws an {@link IllegalArgumentException}.
   */
  METADATA_PENDING
}
