package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that are larger than a broker takes (KIP-126). */
class ProducerSplitTest extends AgainstScriptedBroker {
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
        offsets.merge(tag, offset, (first, second) -> -2L); // told twice
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
    if (idempotent) { // else a batch that is sent again may come behind a later one
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
