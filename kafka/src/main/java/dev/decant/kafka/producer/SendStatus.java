package dev.decant.kafka.producer;

/** The answer of {@link Producer#trySend}. */
public enum SendStatus {
  /** The record is in a batch. */
  ACCEPTED,
  /** The producer's memory is used up; nothing was taken. Try again when records have been acknowledged. */
  BUFFER_FULL,
  /**
   * The topic's partitions are not known yet; nothing was taken. Only from a producer that was opened at once, until
   * the cluster has answered.
   */
  METADATA_PENDING
}
