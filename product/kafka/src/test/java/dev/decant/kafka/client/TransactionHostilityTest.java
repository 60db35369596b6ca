package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Disturbance;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests responses of coordinators that are damaged, late or wrong: the client repeats the request, on another
 * connection.
 */
class TransactionHostilityTest extends AgainstScriptedTransactions {
  private static final Map<TopicPartition, OffsetAndMetadata> OFFSETS = Map.of(new TopicPartition("orders", 0),
      new OffsetAndMetadata(7));

  TransactionHostilityTest() {
    super(SOON);
  }

  @ParameterizedTest
  @EnumSource
  void damagedResponseIsRequestedAgain(Disturbance disturbance) throws InterruptedException {
    for (ApiKey api : List.of(ApiKey.FIND_COORDINATOR, ApiKey.INIT_PRODUCER_ID, ApiKey.ADD_PARTITIONS_TO_TXN,
        ApiKey.ADD_OFFSETS_TO_TXN, ApiKey.TXN_OFFSET_COMMIT, ApiKey.END_TXN)) {
      broker.next(api, disturbance);
    }
    try (Transactions tx = open(1); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v");
      tx.sendOffsets(OFFSETS, new GroupMetadata("g"), LATER);
      tx.commit(LATER);
      tx.begin();
      producer.sendAndWait("a", "w");
      tx.abort(LATER);
    }
    assertThat(broker.state().stored(0)).containsExactly("v", "w");
  }

  @ParameterizedTest
  @EnumSource
  void damagedResponseAboutTheTransactionBeforeHarmsNothing(Disturbance disturbance) throws InterruptedException {
    broker.next(ApiKey.DESCRIBE_TRANSACTIONS, disturbance);
    try (Transactions tx = open(2); Producer<String, String> producer = producer(tx)) {
      for (String value : List.of("v", "w")) {
        tx.begin();
        producer.sendAndWait("a", value);
        tx.commit(LATER);
      }
    }
    assertThat(broker.requests(ApiKey.DESCRIBE_TRANSACTIONS)).isNotEmpty();
    assertThat(broker.state().stored(0)).containsExactly("v", "w");
  }
}
