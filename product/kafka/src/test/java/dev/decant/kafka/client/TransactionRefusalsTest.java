package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Exchange;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.producer.Partitioner;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.ProducerBuilder;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.EndTxnResponse;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.protocol.message.TxnOffsetCommitResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests records of a transaction that a broker refuses: all fail with it, and the next one is whole. */
class TransactionRefusalsTest extends AgainstScriptedTransactions {
  private static final Duration FOR_EVER = Duration.ofMinutes(5);
  private static final Partitioner FIRST = (key, keyLength, partitions) -> 0;

  TransactionRefusalsTest() {
    super(LATER);
  }

  private ProducerBuilder<String, String> slow(Transactions transactions) {
    return producer().partitioner(FIRST).transactions(transactions).batchSize(1024).linger(FOR_EVER)
        .retryBackoff(FOR_EVER, FOR_EVER);
  }

  private static String value(int i) {
    return (i == 4 ? "bad" : "v" + i) + " ".repeat(300);
  }

  /** Three records in a batch: the second batch has the invalid one, and the third is in flight behind it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void allFailWithTheirTransactionAndTheNextOneIsStored(int version) throws InterruptedException {
    Script refusal = ProduceResponses.refusalOf(ErrorCode.INVALID_RECORD, text -> text.startsWith("bad"));
    AtomicReference<Exchange> older = new AtomicReference<>();
    Script both = exchange -> {
      refusal.run(older.get());
      exchange.answer(); // its number does not follow
    };
    Failures failures = new Failures();
    try (Transactions tx = open(version); Producer<String, String> producer = slow(tx).open()) {
      tx.begin();
      for (int i = 0; i < 3; i++) {
        producer.send("a", value(i), i, failures);
      }
      assertThat(producer.flush(LATER)).isTrue();
      broker.next(ApiKey.PRODUCE, older::set, both);
      for (int i = 3; i < 10; i++) {
        producer.send("a", value(i), i, failures);
      }
      assertThat(producer.flush(LATER)).isTrue();
      assertThatThrownBy(() -> tx.commit(LATER)).isInstanceOf(KafkaException.class);
      tx.abort(LATER);
      assertThat(failures.all).hasSize(7);
      List<ErrorCode> codes = failures.all.stream().map(KafkaException::code).toList();
      assertThat(codes.subList(0, 3)).containsExactly(ErrorCode.NONE, ErrorCode.INVALID_RECORD, ErrorCode.NONE);
      assertThat(codes).as("no number is to blame").doesNotContain(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);

      tx.begin();
      producer.send("a", "next", 10, failures);
      tx.commit(LATER);
    }
    assertThat(broker.state().stored(0)).containsExactly(value(0), value(1), value(2), "next");
    assertThat(failures.all).hasSize(7);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aBatchThatIsTooLargeIsSplitWithinItsTransaction(int version) throws InterruptedException {
    broker.always(ApiKey.PRODUCE, ProduceResponses.refusalAbove(500));
    Failures failures = new Failures();
    try (Transactions tx = open(version); Producer<String, String> producer = slow(tx).batchSize(4096).open()) {
      tx.begin();
      IntStream.range(0, 60).forEach(i -> producer.send("a", value(i), i, failures));
      tx.commit(LATER);
    }
    assertThat(failures.all).isEmpty();
    assertThat(broker.state().stored(0)).containsExactlyElementsOf(IntStream.range(0, 60)
        .mapToObj(TransactionRefusalsTest::value).toList());
  }

  @Test
  void responseThatLacksWhatItIsForIsRequestedAgain() throws InterruptedException {
    broker.next(ApiKey.INIT_PRODUCER_ID, e -> e.answer(new InitProducerIdResponse().producerId(-7)::write));
    broker.next(ApiKey.END_TXN, e -> e.answer(new EndTxnResponse().producerId(-7)::write));
    broker.next(ApiKey.TXN_OFFSET_COMMIT, e -> e.answer(new TxnOffsetCommitResponse()::write));
    try (Transactions tx = open(2); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v");
      tx.sendOffsets(Map.of(new TopicPartition("orders", 0), new OffsetAndMetadata(7)), new GroupMetadata("g"), LATER);
      tx.commit(LATER);
    }
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(2);
    assertThat(broker.requests(ApiKey.TXN_OFFSET_COMMIT)).hasSize(2);
    assertThat(broker.requests(ApiKey.END_TXN)).hasSize(2);
  }
}
