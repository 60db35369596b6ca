package dev.decant.brokers;

import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.junit.KafkaClusterExtension;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Transactions as they are in a cluster that has not finalized {@code transaction.version} 2. */
@Tag("full")
class EarlyTransactionsTest extends TransactionsContract {
  @RegisterExtension
  static final KafkaClusterExtension KAFKA = KafkaClusterExtension.of(KafkaCluster.builder()
      .feature("transaction.version", 1).setting("transaction.abort.timed.out.transaction.cleanup.interval.ms", "200"));

  @Override
  KafkaCluster cluster() {
    return KAFKA.cluster();
  }
}
