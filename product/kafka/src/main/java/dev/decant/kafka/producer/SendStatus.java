package dev.decant.kafka.producer;

/** What {@link Producer#trySend} returns. */
public enum SendStatus {
  /** The record is in a batch, or will be as soon as the topic's partitions are known. */
  ACCEPTED,
  /**
   * The producer's memory is used up, or as much of it as is given to who sends faster than the brokers take it;
   * nothing was taken. Try again when records have been acknowledged.
   */
  BUFFER_FULL,
  /**
   * The topic's partitions are not known yet, and as much is kept for it as may be; or the partition that the record
   * names is not known, and the cluster is being asked for it. Nothing was taken. If the cluster has responded and
   * there is no such partition, the next try throws an {@link IllegalArgumentException}.
   */
  METADATA_PENDING
}
