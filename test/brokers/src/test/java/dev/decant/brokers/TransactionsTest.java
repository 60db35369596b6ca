package dev.decant.brokers;

/** Transactions that partitions join with their first batch (KIP-890). */
class TransactionsTest extends TransactionsContract {
  TransactionsTest() {
    super(2);
  }
}
