package dev.decant.kafka.producer;

/** What the sender does with a partition that it processes. Each time there is one outcome. */
enum SendOutcome {
  /** A batch leaves, in a request of this round. */
  LEAVES,
  /** A batch fails: its transaction has ended just now. */
  TRANSACTION_OVER,
  /** A batch fails: an error ended a send while it wrote its record. */
  DAMAGED,
  /** The only batch waits for more records. */
  LINGERS,
  /** The partition is processed again at a known time. */
  LATER,
  /** The partition is processed again in the next round. */
  NEXT_ROUND,
  /** The partition waits until its broker can take a request, behind those that wait already. */
  AT_BROKER,
  /** As above, ahead of the others: it had its turn, and would not get another one behind smaller batches. */
  FIRST_AT_BROKER,
  /** A response, an identity or a transaction brings the partition back. */
  AWAITS_EVENT
}
