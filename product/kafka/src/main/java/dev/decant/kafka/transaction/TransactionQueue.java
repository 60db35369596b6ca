package dev.decant.kafka.transaction;

/**
 * The records of one partition, as their transaction sees them. Owner of the loop only, except methods that name any
 * thread.
 */
public interface TransactionQueue {
  /** Returns the number of the partition. */
  int partition();

  /** Opens the queue for records, or closes it. Any thread. */
  void accept(boolean records);

  /** Returns true if no batch is left, sent or not: each is stored or has failed. Any thread. */
  boolean isIdle();

  /** Returns the numbers of its batches, which {@link TransactionMember#numbers} has given. */
  SequenceNumbers sequenceNumbers();

  /**
   * Returns true if the partition belongs to the transaction with this number: after {@link #joinTransaction}, until
   * another one begins.
   */
  boolean isInTransaction(long number);

  /** Notes that the partition belongs to the transaction with this number. */
  void joinTransaction(long number);
}
