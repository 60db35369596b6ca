package dev.decant.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.broker.ProduceAnswers;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.producer.Partitioner;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Producer identities and sequence numbers when a batch is given up or its number refused (KIP-360). */
class ProducerNumberingTest extends AgainstScriptedBroker {
  private static final Partitioner BY_FIRST_LETTER = (key, keyLength, partitions) -> key[0] - 'a';

  ProducerNumberingTest() {
    super(2, LATER);
  }

  /** Producer id, epoch and first number of each batch sent to a partition. */
  private List<String> numbers(int partition) {
    List<String> numbers = new ArrayList<>();
    for (Request r : broker.requests(ApiKey.PRODUCE)) {
      for (ProduceRequest.TopicProduceData t : r.produce().topicData()) {
        for (ProduceRequest.PartitionProduceData p : t.partitionData()) {
          ByteBuffer b = p.records();
          if (b != null && p.index() == partition) {
            numbers.add(b.getLong(b.position() + RecordBatchHeader.PRODUCER_ID) + ":"
                + b.getShort(b.position() + RecordBatchHeader.PRODUCER_EPOCH) + ":"
                + b.getInt(b.position() + RecordBatchHeader.BASE_SEQUENCE));
          }
        }
      }
    }
    return numbers;
  }

  @Test
  void gapInOnePartitionBumpsItsEpochAndLeavesTheOtherAlone() throws InterruptedException {
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER).open()) {
      producer.sendAndWait("a", "v0");
      producer.sendAndWait("b", "w0");
      broker.next(ApiKey.PRODUCE, ProduceAnswers.refusal(ErrorCode.MESSAGE_TOO_LARGE));
      assertThatThrownBy(() -> producer.sendAndWait("a", "lost")).isInstanceOf(KafkaException.class);
      producer.sendAndWait("a", "v1");
      producer.sendAndWait("b", "w1");
      producer.sendAndWait("a", "v2");
    }
    List<String> broken = numbers(0);
    List<String> intact = numbers(1);
    String id = broken.getFirst().substring(0, broken.getFirst().indexOf(':'));
    assertThat(broken).containsExactly(id + ":0:0", id + ":0:1", id + ":1:0", id + ":1:1");
    assertThat(intact).containsExactly(id + ":0:0", id + ":0:1");
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(1);
    assertThat(broker.state().stored(0)).containsExactly("v0", "v1", "v2");
    assertThat(broker.state().stored(1)).containsExactly("w0", "w1");
  }

  @ParameterizedTest
  @EnumSource(names = {"OUT_OF_ORDER_SEQUENCE_NUMBER", "UNKNOWN_PRODUCER_ID", "INVALID_PRODUCER_EPOCH"})
  void refusedNumberIsReplacedUnderTheNextEpochAndTheRecordStored(ErrorCode code) throws InterruptedException {
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER)
        .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(1)).open()) {
      producer.sendAndWait("a", "v0");
      broker.next(ApiKey.PRODUCE, ProduceAnswers.refusal(code));
      assertThat(producer.sendAndWait("a", "v1").offset()).isEqualTo(1);
      assertThat(producer.sendAndWait("a", "v2").offset()).isEqualTo(2);
    }
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(1);
    assertThat(numbers(0)).hasSize(4).satisfies(n -> assertThat(n.get(2)).endsWith(":1:0"));
    assertThat(broker.state().stored(0)).containsExactly("v0", "v1", "v2");
  }

  @Test
  void afterTheLastEpochComesAnotherIdentity() throws InterruptedException {
    broker.next(ApiKey.INIT_PRODUCER_ID,
        exchange -> exchange.answer(new InitProducerIdResponse().producerId(5).producerEpoch((short) 32766)::write));
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER).open()) {
      producer.sendAndWait("a", "v0");
      broker.next(ApiKey.PRODUCE, ProduceAnswers.refusal(ErrorCode.INVALID_RECORD));
      assertThatThrownBy(() -> producer.sendAndWait("a", "lost")).isInstanceOf(KafkaException.class);
      producer.sendAndWait("a", "v1");
    }
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(2);
    assertThat(numbers(0)).startsWith("5:32766:0", "5:32766:1").last().asString().endsWith(":0:0");
    assertThat(broker.state().stored(0)).containsExactly("v0", "v1");
  }

  @Test
  void batchesBehindOneThatIsGivenUpAreStoredOnceAndInOrder() throws InterruptedException {
    Set<Long> failed = new ConcurrentSkipListSet<>();
    SendListener listener = new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {}

      @Override
      public void onFailure(long tag, KafkaException error) {
        failed.add(tag);
      }
    };
    int count = 2_000;
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER).batchSize(1024)
        .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(5)).open()) {
      producer.sendAndWait("a", "first");
      broker.next(ApiKey.PRODUCE, ProduceAnswers.refusal(ErrorCode.INVALID_RECORD));
      for (int i = 0; i < count; i++) {
        producer.send("a", "v" + i, i, listener);
      }
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(failed).isNotEmpty();
    List<String> expected = new ArrayList<>(List.of("first"));
    IntStream.range(0, count).filter(i -> !failed.contains((long) i)).forEach(i -> expected.add("v" + i));
    assertThat(broker.state().stored(0)).isEqualTo(expected);
    assertThat(failed).as("one batch").hasSizeLessThan(100);
  }

  @Test
  void nothingOvertakesTheFirstBatchOfAnIdentity() throws InterruptedException {
    // A new topic's leader refused the first batch (it did not know yet that it leads), took the second, since any
    // number may be the first of an identity it does not know, and then refused the first for its number: that came
    // under another identity behind the second, and the second was stored twice if its answer was lost.
    CountDownLatch sent = new CountDownLatch(1);
    broker.next(ApiKey.PRODUCE, Script.after(sent, ProduceAnswers.refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER)));
    List<String> expected = new ArrayList<>();
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER).batchSize(1024).open()) {
      for (int i = 0; i < 1_000; i++) {
        producer.send("a", "v" + i);
        expected.add("v" + i);
      }
      sent.countDown();
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(numbers(0).get(1)).isEqualTo(numbers(0).get(0)).endsWith(":0");
    assertThat(broker.state().stored(0)).isEqualTo(expected);
  }

  @Test
  void numberThatIsRefusedForEverIsGivenUpAtTheDeliveryTimeout() throws InterruptedException {
    broker.always(ApiKey.PRODUCE, ProduceAnswers.refusal(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER));
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER)
        .deliveryTimeout(Duration.ofMillis(500)).open()) {
      assertThatThrownBy(() -> producer.sendAndWait("a", "lost")).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("OUT_OF_ORDER_SEQUENCE_NUMBER").hasMessageContaining("within 500 ms");
    }
  }
}
