package dev.decant.kafka;

/** What a client counts, from its opening on and for all its producers and consumers together. */
public enum Statistic {
  /** Connections that became ready. */
  CONNECTIONS_READY,
  /** Connections, and attempts, that ended because something went wrong. */
  CONNECTIONS_ENDED,
  /** Connections that were closed in good order: not needed any more, or idle. */
  CONNECTIONS_CLOSED,
  /** Requests that were answered. */
  RESPONSES,
  /** Bytes of responses. */
  BYTES_RECEIVED,
  /** How long brokers have throttled the client, in milliseconds (KIP-219). */
  THROTTLED_MILLIS,
  /** Batches sent, repeats included. */
  BATCHES_SENT,
  /** Bytes of batches sent, repeats included. */
  BATCH_BYTES_SENT,
  /** Batches that have to be sent again. */
  BATCHES_RETRIED,
  /** Records that are stored. */
  RECORDS_ACKNOWLEDGED,
  /** Records that were given up. */
  RECORDS_FAILED,
  /** How often a sender found no memory. */
  MEMORY_EXHAUSTED,
  /** Fetches that were answered. */
  FETCHES,
  /** Records delivered by poll. */
  RECORDS_CONSUMED,
  /** Undecodable records that were skipped. */
  RECORDS_SKIPPED,
  /** Rebalances that consumers have completed. */
  REBALANCES,
  /** How long these took, in milliseconds: from the first word of the group to the last one of the consumer. */
  REBALANCE_MILLIS,
  /** Rebalances that ended because the member was thrown out of its group, or refused. */
  REBALANCES_FAILED,
  /** Responses with new metadata. */
  METADATA_UPDATES,
  /** Errors of any kind, also those that the client repaired by itself. */
  ERRORS
}
