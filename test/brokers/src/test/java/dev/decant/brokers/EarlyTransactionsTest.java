package dev.decant.brokers;

/** Transactions as they are in a cluster that has not finalized {@code transaction.version} 2. */
class EarlyTransactionsTest extends TransactionsContract {
  EarlyTransactionsTest() {
    super(1);
  }
}
