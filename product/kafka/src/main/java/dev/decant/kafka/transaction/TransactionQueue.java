package dev.decant.kafka.transaction;

/** The records of one partition, as their transaction sees them. Owner of the loop only, unless a method says more. */
public interface TransactionQueue {
  /**
   * The partition.
   *
   * @return its number
   */
  int partition();

  /**
   * Takes records from now on, or none. Any thread.
   *
   * @param records whether it does
   */
  void accept(boolean records);

  /**
   * Tells whether each batch is stored or has failed. Any thread.
   *
   * @return true if none is left, sent or not
   */
  boolean isIdle();

  /**
   * The numbers of its batches.
   *
   * @return those that {@link TransactionMember#numbers} has given
   */
  SequenceNumbers sequenceNumbers();

  /**
   * Tells whether the partition belongs to a transaction.
   *
   * @param number of the transaction
   * @return true after {@link #joinTransaction} until another transaction begins
   */
  boolean isInTransaction(long number);

  /**
   * The partition belongs to a transaction.
   *
   * @param number of the transaction
   */
  void joinTransaction(long number);
}
