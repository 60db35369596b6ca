package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.Exchange;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.record.RecordBatchHeader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests batches that are larger than a broker accepts (KIP-126). */
class ProducerSplitTest extends AgainstScriptedBroker {
  /** A pause longer than any test: if one is made, records are held up. */
  private static final Duration FOR_EVER = Duration.ofMinutes(5);

  ProducerSplitTest() {
    super(1, LATER);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void largeBatchesAreSplitUntilTheyFitAndEveryRecordIsStoredOnce(boolean idempotent)
      throws InterruptedException {
    int count = 3_000;
    Map<Long, Long> offsets = new ConcurrentHashMap<>();
    broker.always(ApiKey.PRODUCE, ProduceResponses.refusalAbove(3_000));
    SendListener listener = new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        offsets.merge(tag, offset, (first, second) -> -2L); // marks a second outcome
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        offsets.put(tag, -1L);
      }
    };
    try (Producer<String, String> producer = producer().idempotence(idempotent).linger(Duration.ofMinutes(1)).open()) {
      for (int i = 0; i < count; i++) {
        producer.send("k" + i, "v" + i, i, listener);
      }
      assertThat(producer.flush(LATER)).isTrue();
    }
    List<String> stored = broker.state().stored(0);
    List<String> sent = IntStream.range(0, count).mapToObj(i -> "v" + i).toList();
    assertThat(stored).containsExactlyInAnyOrderElementsOf(sent);
    if (idempotent) { // otherwise a batch that is sent again may come behind a later one
      assertThat(stored).isEqualTo(sent);
    }
    assertThat(offsets).hasSize(count)
        .allSatisfy((tag, offset) -> assertThat(stored.get(offset.intValue())).isEqualTo("v" + tag));
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(idempotent ? 1 : 0);
  }

  @ParameterizedTest
  @CsvSource({"MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE"})
  void recordThatIsTooLargeAloneFailsAndThoseBesideItDoNot(ErrorCode code) throws InterruptedException {
    broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(code), ProduceResponses.refusal(code));
    Map<Long, Object> outcomes = new ConcurrentHashMap<>();
    SendListener listener = new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        outcomes.put(tag, offset);
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        outcomes.put(tag, error.code());
      }
    };
    try (Producer<String, String> producer = producer().linger(Duration.ofMinutes(1)).open()) {
      producer.send(null, "too large", 1, listener);
      producer.send(null, null, 2, listener);
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(outcomes).containsEntry(1L, code).containsEntry(2L, 0L);
  }

  /**
   * The parts behind it had numbers that the broker refused one after the other, each after a longer pause. The
   * partition once stood still for half a minute.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void recordThatIsTooLargeDoesNotHoldUpThoseBehindIt(boolean idempotent) throws InterruptedException {
    broker.always(ApiKey.PRODUCE, ProduceResponses.refusalAbove(2_000));
    List<Long> failed = new CopyOnWriteArrayList<>();
    List<String> expected = new ArrayList<>();
    try (Producer<String, String> producer = producer().idempotence(idempotent).linger(FOR_EVER)
        .retryBackoff(FOR_EVER, FOR_EVER).open()) {
      for (int i = 0; i < 100; i++) {
        String value = "v" + i + " ".repeat(i == 50 ? 3_000 : 100);
        producer.send(null, value, i, failures(failed));
        if (i != 50) {
          expected.add(value);
        }
      }
      assertThat(producer.flush(LATER)).isTrue();
      producer.send(null, "last");
      assertThat(producer.flush(LATER)).isTrue();
    }
    expected.add("last");
    assertThat(broker.state().stored(0)).isEqualTo(expected);
    assertThat(failed).containsExactly(50L);
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(idempotent ? 1 : 0);
    assertThat(epochs()).containsOnly((short) (idempotent ? 0 : -1));
  }

  /** Batches in flight behind it are refused for their numbers until it is split. */
  @Test
  void batchesInFlightBehindOneThatIsTooLargeGoOnAtOnce() throws InterruptedException {
    List<Long> failed = new CopyOnWriteArrayList<>();
    List<String> expected = new ArrayList<>(List.of("first"));
    CountDownLatch sent = new CountDownLatch(1);
    try (Producer<String, String> producer = producer().batchSize(4_000).retryBackoff(FOR_EVER, FOR_EVER).open()) {
      producer.sendAndWait(null, "first");
      Script small = ProduceResponses.refusalAbove(3_000);
      broker.next(ApiKey.PRODUCE, Script.after(sent, small));
      broker.always(ApiKey.PRODUCE, small);
      for (int i = 0; i < 300; i++) {
        String value = "v" + i + " ".repeat(i % 50 == 20 ? 3_500 : i % 10 == 0 ? 1_000 : 100);
        producer.send(null, value, i, failures(failed));
        if (i % 50 != 20) {
          expected.add(value);
        }
      }
      broker.await(ApiKey.PRODUCE, 2);
      sent.countDown();
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(broker.state().stored(0)).isEqualTo(expected);
    assertThat(failed).containsExactly(20L, 70L, 120L, 170L, 220L, 270L);
    assertThat(epochs()).containsOnly((short) 0);
  }

  /** Each split once counted as a retry, so parts had none left, and paused longer and longer. */
  @Test
  void splitsAreNotRetries() throws InterruptedException {
    List<Long> failed = new CopyOnWriteArrayList<>();
    Script small = ProduceResponses.refusalAbove(200);
    broker.next(ApiKey.PRODUCE, small, small, small, small, ProduceResponses.refusal(ErrorCode.NOT_ENOUGH_REPLICAS));
    broker.always(ApiKey.PRODUCE, small);
    try (Producer<String, String> producer = producer().linger(FOR_EVER).retries(1)
        .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(1)).open()) {
      for (int i = 0; i < 64; i++) {
        producer.send(null, "v" + i, i, failures(failed));
      }
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(failed).isEmpty();
    assertThat(broker.state().stored(0)).hasSize(64);
  }

  /**
   * A broker that has forgotten the producer takes a batch behind the one that is too large, and refuses the parts of
   * that for their numbers. They were once acknowledged, as if the younger batch proved that they are stored.
   */
  @Test
  void partsAreNotBelievedToBeStoredBecauseAYoungerBatchIs() throws InterruptedException {
    AtomicReference<Exchange> older = new AtomicReference<>();
    Script both = exchange -> {
      ProduceResponses.refusal(ErrorCode.MESSAGE_TOO_LARGE).run(older.get());
      exchange.answer(ProduceResponses.to(exchange.request().produce())::write);
    };
    Script outOfOrder = ProduceResponses.refusal(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
    List<Long> failed = new CopyOnWriteArrayList<>();
    try (Producer<String, String> producer = producer().batchSize(1024).linger(FOR_EVER)
        .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(1)).open()) {
      producer.send(null, "first");
      assertThat(producer.flush(LATER)).isTrue();
      broker.next(ApiKey.PRODUCE, older::set, both, outOfOrder);
      for (int i = 0; i < 7; i++) { // three in a batch
        producer.send(null, i + " ".repeat(300), i, failures(failed));
      }
      broker.await(ApiKey.PRODUCE, 3);
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(failed).isEmpty();
    assertThat(broker.state().stored(0)).extracting(String::strip).containsExactly("first", "0", "1", "2", "6");
  }

  private static SendListener failures(List<Long> failed) {
    return new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {}

      @Override
      public void onFailure(long tag, KafkaException error) {
        failed.add(tag);
      }
    };
  }

  /** Returns the epoch of each batch that was sent. */
  private List<Short> epochs() {
    return broker.requests(ApiKey.PRODUCE).stream().flatMap(r -> r.produce().topicData().stream())
        .flatMap(t -> t.partitionData().stream()).map(p -> Objects.requireNonNull(p.records()))
        .map(b -> b.getShort(b.position() + RecordBatchHeader.PRODUCER_EPOCH)).toList();
  }

  @Test
  void headersNullsAndTimestampsSurviveTheSplit() throws InterruptedException {
    broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.MESSAGE_TOO_LARGE));
    try (Producer<String, String> producer = producer().linger(Duration.ofMinutes(1)).open();
        var consumer = consumer()) {
      SendOptions options = new SendOptions();
      options.headers().addText("h", "x");
      producer.send(null, "a", options.timestamp(1_000), 0, null);
      producer.send("b", null, new SendOptions().timestamp(5), 0, null);
      options.headers().addText("i", "y");
      producer.send(null, "c", options.timestamp(70_000), 0, null);
      producer.send("d", "e", new SendOptions().timestamp(3), 0, null);
      assertThat(producer.flush(LATER)).isTrue();
      consumer.assign("orders", 0);
      StringBuilder seen = new StringBuilder();
      long deadline = System.nanoTime() + LATER.toNanos();
      while (consumer.position("orders", 0, LATER) < 4 && System.nanoTime() < deadline) {
        consumer.poll(SOON, r -> seen.append(r.offset()).append(r.key()).append(r.value()).append(r.timestamp())
            .append(r.headerCount()).append(' '));
      }
      assertThat(seen).hasToString("0nulla10001 1bnull50 2nullc700002 3de30 ");
    }
  }
}
