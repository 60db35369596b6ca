package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ProduceResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests batches that a broker refuses because of single records, which it names (KIP-467). */
class ProducerRefusedRecordsTest extends AgainstScriptedBroker {
  /** A pause longer than any test: if one is made, records are held up. */
  private static final Duration FOR_EVER = Duration.ofMinutes(5);

  /** The offset or the error, by tag; a second outcome is marked. */
  private final Map<Long, Object> outcomes = new ConcurrentHashMap<>();
  private final SendListener listener = new SendListener() {
    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {
      outcomes.merge(tag, offset, (a, b) -> "twice");
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      outcomes.merge(tag, error, (a, b) -> "twice");
    }
  };

  ProducerRefusedRecordsTest() {
    super(1, LATER);
  }

  private void send(Producer<String, String> producer, String... values) {
    for (int i = 0; i < values.length; i++) {
      producer.send(null, values[i], i, listener);
    }
  }

  private KafkaException failure(long tag) {
    if (outcomes.get(tag) instanceof KafkaException failure) {
      return failure;
    }
    throw new AssertionError("record " + tag + " has not failed: " + outcomes);
  }

  /** All records of a batch once had the error of one, and the next batches were sent under another epoch. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void onlyTheRecordsThatTheBrokerNamesFailAndTheOthersAreStoredInTheirOrder(boolean idempotent)
      throws InterruptedException {
    broker.always(ApiKey.PRODUCE, ProduceResponses.refusalOf(ErrorCode.INVALID_RECORD, "bad"::equals));
    try (Producer<String, String> producer = producer().idempotence(idempotent).linger(FOR_EVER)
        .retryBackoff(FOR_EVER, FOR_EVER).open()) {
      send(producer, "a", "b", "bad", "c", "bad", "d");
      assertThat(producer.flush(LATER)).isTrue();
      send(producer, "e");
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(broker.state().stored(0)).containsExactly("a", "b", "c", "d", "e");
    assertThat(outcomes).hasSize(6).containsEntry(1L, 1L).containsEntry(3L, 2L).containsEntry(5L, 3L);
    for (long tag : new long[] {2, 4}) {
      assertThat(failure(tag).code()).isEqualTo(ErrorCode.INVALID_RECORD);
      assertThat(failure(tag)).hasMessageContaining("orders-0").hasMessageContaining("invalid: bad")
          .hasMessageContaining(address());
    }
    assertThat(broker.requests(ApiKey.PRODUCE)).hasSize(3);
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(idempotent ? 1 : 0);
  }

  @Test
  void aRecordThatIsNamedAloneHasTheErrorOfTheBatch() throws InterruptedException {
    broker.always(ApiKey.PRODUCE, ProduceResponses.refusalOf(ErrorCode.INVALID_TIMESTAMP, "bad"::equals));
    try (Producer<String, String> producer = producer().linger(FOR_EVER).open()) {
      send(producer, "bad", "a");
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(failure(0).code()).isEqualTo(ErrorCode.INVALID_TIMESTAMP);
    assertThat(outcomes).containsEntry(1L, 0L);
  }

  @Test
  void whereAllRecordsAreNamedEachHasItsOwnMessage() throws InterruptedException {
    broker.always(ApiKey.PRODUCE, ProduceResponses.refusalOf(ErrorCode.INVALID_RECORD, text -> true));
    try (Producer<String, String> producer = producer().linger(FOR_EVER).open()) {
      send(producer, "x", "y", "z");
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(broker.requests(ApiKey.PRODUCE)).hasSize(1);
    assertThat(failure(0)).hasMessageContaining("invalid: x");
    assertThat(failure(2)).hasMessageContaining("invalid: z");
  }

  /** Batches behind it are refused for their numbers, and once waited for one backoff after the other. */
  @Test
  void batchesInFlightBehindItGoOnAtOnce() throws InterruptedException {
    CountDownLatch sent = new CountDownLatch(1);
    List<String> expected = new ArrayList<>(List.of("first"));
    try (Producer<String, String> producer = producer().batchSize(1024).retryBackoff(FOR_EVER, FOR_EVER).open()) {
      producer.sendAndWait(null, "first");
      Script validating = ProduceResponses.refusalOf(ErrorCode.INVALID_RECORD, text -> text.startsWith("bad"));
      broker.next(ApiKey.PRODUCE, Script.after(sent, validating));
      broker.always(ApiKey.PRODUCE, validating);
      for (int i = 0; i < 500; i++) {
        String value = (i % 40 == 17 ? "bad" : "good") + i + " ".repeat(90);
        producer.send(null, value, i, listener);
        if (value.startsWith("good")) {
          expected.add(value);
        }
      }
      broker.await(ApiKey.PRODUCE, 2);
      sent.countDown();
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(broker.state().stored(0)).isEqualTo(expected);
    assertThat(IntStream.range(0, 500).filter(i -> outcomes.get((long) i) instanceof KafkaException))
        .hasSize(13).allMatch(i -> i % 40 == 17);
    assertThat(outcomes).hasSize(500).doesNotContainValue("twice");
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(1);
  }

  @Test
  void theOthersFailWithTheBatchIfAnEarlierAttemptMayHaveStoredIt() throws InterruptedException {
    try (Producer<String, String> producer = producer().linger(FOR_EVER)
        .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(1)).open()) {
      producer.send(null, "first");
      assertThat(producer.flush(LATER)).isTrue();
      broker.next(ApiKey.PRODUCE, Script.CUT, ProduceResponses.refusalOf(ErrorCode.INVALID_RECORD, "bad"::equals));
      send(producer, "a", "bad", "b");
      assertThat(producer.flush(LATER)).isTrue();
      producer.send(null, "last");
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(failure(1).code()).isEqualTo(ErrorCode.INVALID_RECORD);
    for (long tag : new long[] {0, 2}) {
      assertThat(failure(tag).code()).isEqualTo(ErrorCode.NONE);
      assertThat(failure(tag)).hasMessageContaining("1 of its batch").hasMessageContaining("INVALID_RECORD");
    }
    assertThat(broker.state().stored(0)).containsExactly("first", "last");
  }

  @Test
  void placesOutsideOfTheBatchAreIgnored() throws InterruptedException {
    broker.next(ApiKey.PRODUCE, exchange -> {
      ProduceResponse response = ProduceResponses.to(exchange.request().produce());
      List<ProduceResponse.BatchIndexAndErrorMessage> named = new ArrayList<>();
      for (int index : new int[] {-1, 2, 1, 1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
        named.add(new ProduceResponse.BatchIndexAndErrorMessage().batchIndex(index)
            .batchIndexErrorMessage(index == 1 ? null : "there is none"));
      }
      response.responses().getFirst().partitionResponses().getFirst().errorCode(ErrorCode.INVALID_RECORD.code())
          .recordErrors(named);
      exchange.answer(response::write);
    });
    try (Producer<String, String> producer = producer().linger(FOR_EVER).open()) {
      send(producer, "a", "b");
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(outcomes).containsEntry(0L, 0L);
    assertThat(failure(1).code()).isEqualTo(ErrorCode.INVALID_RECORD);
    assertThat(failure(1)).hasMessageNotContaining("there is none");
    assertThat(broker.state().stored(0)).containsExactly("a");
  }
}
