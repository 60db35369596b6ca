package dev.decant.brokers;

import dev.decant.testkit.KafkaCluster;
import org.junit.jupiter.api.extension.ExtendWith;

/** Transactions that partitions join with their first batch (KIP-890), which is the default of new clusters. */
@ExtendWith(PlainCluster.Shared.class)
class TransactionsTest extends TransactionsContract {
  @Override
  KafkaCluster cluster() {
    return PlainCluster.current();
  }
}
