package dev.decant.kafka;

/**
 * The counters of a client. Each counts from the opening of the client on, for all its producers and consumers
 * together.
 */
public enum Statistic {
  /** Connections that became ready. */
  CONNECTIONS_READY,
  /** Connections, and attempts to connect, that ended by an error. */
  CONNECTIONS_ENDED,
  /** Connections that were closed in good order: no longer needed, or idle. */
  CONNECTIONS_CLOSED,
  /** Requests that have a response. */
  RESPONSES,
  /** Bytes of responses. */
  BYTES_RECEIVED,
  /** The time for which brokers have throttled the client, in milliseconds (KIP-219). */
  THROTTLED_MILLIS,
  /** Batches sent, repeats included. */
  BATCHES_SENT,
  /** Bytes of batches sent, repeats included. */
  BATCH_BYTES_SENT,
  /** Batches that have to be sent again. */
  BATCHES_RETRIED,
  /** Records that are stored. */
  RECORDS_ACKNOWLEDGED,
  /** Records that have failed. */
  RECORDS_FAILED,
  /** Number of times that a sender found no memory. */
  MEMORY_EXHAUSTED,
  /** Fetches that have a response. */
  FETCHES,
  /** Records delivered by poll. */
  RECORDS_CONSUMED,
  /** Undecodable records that were skipped. */
  RECORDS_SKIPPED,
  /** Rebalances that consumers have completed. */
  REBALANCES,
  /** The time of these rebalances in milliseconds, from the group's first report to the end of the consumer's part. */
  REBALANCE_MILLIS,
  /** Rebalances that ended because the group removed or refused the member. */
  REBALANCES_FAILED,
  /** Responses with new metadata. */
  METADATA_UPDATES,
  /** Errors of any kind, including those that the client repaired itself. */
  ERRORS
}
