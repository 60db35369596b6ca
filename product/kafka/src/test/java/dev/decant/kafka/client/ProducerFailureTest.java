package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.Acks;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendStatus;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceResponse;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the outcome of records when a broker refuses them, does not respond, or ends. */
class ProducerFailureTest extends AgainstScriptedBroker {
  ProducerFailureTest() {
    super(1, Duration.ofSeconds(1));
  }

  /** Keeps the outcome of each record, and checks that there is one. */
  private static final class Recorded implements SendListener {
    final Map<Long, Object> outcomes = new ConcurrentHashMap<>();
    final List<Long> twice = new ArrayList<>();
    final CountDownLatch first = new CountDownLatch(1);

    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {
      note(tag, offset);
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      note(tag, error);
    }

    private void note(long tag, Object outcome) {
      if (outcomes.put(tag, outcome) != null) {
        twice.add(tag);
      }
      first.countDown();
    }

    KafkaException failure(long tag) {
      return (KafkaException) Objects.requireNonNull(outcomes.get(tag));
    }
  }

  /** A batch of a Produce request. */
  private record Sent(int connection, int partition, long producerId, int sequence, int records) {}

  private List<Sent> sent() {
    List<Sent> all = new ArrayList<>();
    for (Request r : broker.requests(ApiKey.PRODUCE)) {
      for (ProduceRequest.TopicProduceData t : r.produce().topicData()) {
        for (ProduceRequest.PartitionProduceData p : t.partitionData()) {
          ByteBuffer b = p.records();
          if (b != null) {
            int at = b.position();
            all.add(new Sent(r.connection(), p.index(), b.getLong(at + RecordBatchHeader.PRODUCER_ID),
                b.getInt(at + RecordBatchHeader.BASE_SEQUENCE), b.getInt(at + RecordBatchHeader.RECORD_COUNT)));
          }
        }
      }
    }
    return all;
  }

  private static List<String> values(int count) {
    return IntStream.range(0, count).mapToObj(i -> "v" + i).toList();
  }

  private static void sendAll(Producer<String, String> producer, int from, int to, Recorded recorded) {
    for (int i = from; i < to; i++) {
      producer.send(null, "v" + i, i, recorded);
    }
  }

  @Test
  void everyBatchHasARecordAndOneIdentityIsEnough() throws InterruptedException {
    try (Producer<String, String> producer = producer(LATER)) {
      for (int i = 0; i < 300; i++) {
        assertThat(producer.sendAndWait(null, "v" + i).offset()).isEqualTo(i);
      }
    }
    assertThat(sent()).extracting(Sent::records).containsOnly(1);
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(1);
    assertThat(broker.state().stored(0)).isEqualTo(values(300));
  }

  @Test
  void refusalByANodeThatDoesNotLeadIsFollowedByMetadataAndARetry() throws InterruptedException {
    Duration longerThanAPauseOfMetadata = Duration.ofMillis(400);
    try (Producer<String, String> producer = producer()
        .retryBackoff(longerThanAPauseOfMetadata, longerThanAPauseOfMetadata).open()) {
      producer.sendAndWait(null, "v0");
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER));
      assertThat(producer.sendAndWait(null, "v1").offset()).isEqualTo(1);
    }
    List<ApiKey> order = broker.requests().stream().map(Request::api)
        .filter(api -> api == ApiKey.PRODUCE || api == ApiKey.METADATA).toList();
    assertThat(order).endsWith(ApiKey.PRODUCE, ApiKey.METADATA, ApiKey.PRODUCE);
    assertThat(broker.state().stored(0)).isEqualTo(values(2));
  }

  @Test
  void retriesKeepTheOrder() throws InterruptedException {
    Recorded recorded = new Recorded();
    try (Producer<String, String> producer = producer().batchSize(1024).open()) {
      producer.sendAndWait(null, "v0");
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.NOT_ENOUGH_REPLICAS), Script.STANDARD,
          ProduceResponses.refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER));
      sendAll(producer, 1, 500, recorded);
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(recorded.twice).isEmpty();
    assertThat(recorded.outcomes).hasSize(499);
    assertThat(sent()).hasSizeGreaterThan(5);
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(1);
    assertThat(broker.state().stored(0)).isEqualTo(values(500));
  }

  @Test
  void oneBatchInFlightKeepsTheOrderWithoutIdempotence() throws InterruptedException {
    Recorded recorded = new Recorded();
    try (Producer<String, String> producer = producer().batchSize(1024).idempotence(false).maxInFlight(1)
        .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(1)).open()) {
      producer.sendAndWait(null, "v0");
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.NOT_ENOUGH_REPLICAS), Script.STANDARD,
          ProduceResponses.refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER));
      sendAll(producer, 1, 500, recorded);
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(recorded.outcomes).hasSize(499);
    assertThat(broker.state().stored(0)).isEqualTo(values(500));
  }

  @Test
  void batchIsSentAgainAsOftenAsTheSettingSays() throws InterruptedException {
    broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.NOT_ENOUGH_REPLICAS),
        ProduceResponses.refusal(ErrorCode.NOT_ENOUGH_REPLICAS));
    try (Producer<String, String> producer = producer().idempotence(false).retries(1)
        .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(1)).open()) {
      assertThatThrownBy(() -> producer.sendAndWait(null, "lost")).isInstanceOf(KafkaException.class)
          .hasMessageContaining("NOT_ENOUGH_REPLICAS");
      assertThat(sent()).hasSize(2);
      assertThat(producer.sendAndWait(null, "v0").offset()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"TOPIC_AUTHORIZATION_FAILED", "INVALID_RECORD", "UNKNOWN_SERVER_ERROR"})
  void refusalThatDoesNotPassFailsThatBatchAndNoOther(ErrorCode code) throws InterruptedException {
    Recorded recorded = new Recorded();
    try (Producer<String, String> producer = producer().linger(Duration.ofMinutes(1)).open()) {
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(code));
      producer.send(null, "lost", 1, recorded);
      producer.send(null, "lost too", 2, recorded);
      assertThat(producer.flush(LATER)).isTrue();
      assertThat(recorded.failure(1)).isSameAs(recorded.failure(2)).hasMessageContaining("produce to orders-0")
          .hasMessageContaining("broker " + address()).hasMessageContaining(code.name());
      assertThat(recorded.failure(1).code()).isEqualTo(code);
      producer.send(null, "v0", 3, recorded);
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(recorded.twice).isEmpty();
    assertThat(recorded.outcomes).containsEntry(3L, 0L);
    assertThat(broker.state().stored(0)).containsExactly("v0");
  }

  @ParameterizedTest
  @ValueSource(shorts = {999, -2, Short.MIN_VALUE})
  void unknownErrorFailsTheRecordAndNamesPartitionAndBroker(short code) throws InterruptedException {
    broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(code));
    try (Producer<String, String> producer = producer(LATER)) {
      assertThatThrownBy(() -> producer.sendAndWait(null, "lost")).isInstanceOf(KafkaException.class)
          .hasMessageContaining("produce to orders-0: broker " + address())
          .hasMessageContaining("UNKNOWN_SERVER_ERROR");
      assertThat(producer.sendAndWait(null, "v0").offset()).isZero();
    }
  }

  private Script storedButNotNamed() {
    return exchange -> {
      ProduceResponse response = broker.state().produce(exchange.request().produce());
      response.responses(List.of());
      exchange.answer(response::write);
    };
  }

  @Test
  void batchThatTheResponseDoesNotNameIsSentAgainAndStoredOnce() throws InterruptedException {
    broker.next(ApiKey.PRODUCE, storedButNotNamed());
    try (Producer<String, String> producer = producer(LATER)) {
      assertThat(producer.sendAndWait(null, "v0").offset()).as("unknown: the batch was there already").isEqualTo(-1);
      assertThat(producer.sendAndWait(null, "v1").offset()).isEqualTo(1);
    }
    assertThat(broker.state().stored(0)).isEqualTo(values(2));
  }

  @Test
  void batchThatNoResponseNamesFailsAtTheDeliveryTimeoutAndTheErrorSaysSo() throws InterruptedException {
    broker.always(ApiKey.PRODUCE, storedButNotNamed());
    try (Producer<String, String> producer = producer(Duration.ofMillis(500))) {
      assertThatThrownBy(() -> producer.sendAndWait(null, "v0")).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("the response of broker " + address() + " does not name the partition");
    }
  }

  /** A virtual thread parks without a deadline of its own: the loop keeps it, and a close ends the wait, too. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void virtualThreadSeesARecordThatIsNotAcknowledged(boolean closed) throws InterruptedException {
    broker.always(ApiKey.PRODUCE, Script.SILENCE);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Producer<String, String> producer = producer(closed ? LATER : Duration.ofMillis(300));
    try (producer) {
      Thread waiter = Thread.startVirtualThread(() -> {
        try {
          producer.sendAndWait(null, "lost");
        } catch (KafkaException | InterruptedException e) {
          failure.set(e);
        }
      });
      if (closed) {
        broker.await(ApiKey.PRODUCE, 1);
        producer.close(Duration.ofMillis(1));
      }
      assertThat(waiter.join(LATER)).isTrue();
    }
    assertThat(failure.get()).isInstanceOf(KafkaException.class)
        .hasMessageContaining(closed ? "was closed" : "within 300 ms");
  }

  @Test
  void withAcksNoneNothingIsAcknowledgedAndEverythingIsStored() throws InterruptedException {
    Recorded recorded = new Recorded();
    try (Producer<String, String> producer = producer().acks(Acks.NONE).idempotence(false).open()) {
      sendAll(producer, 0, 100, recorded);
      assertThat(producer.flush(LATER)).isTrue();
      assertThat(recorded.outcomes).hasSize(100).allSatisfy((record, outcome) -> assertThat(outcome).isEqualTo(-1L));
      broker.await(ApiKey.PRODUCE, request -> broker.state().stored(0).size() == 100);
    }
    assertThat(recorded.twice).isEmpty();
    assertThat(broker.state().stored(0)).isEqualTo(values(100));
  }

  @Test
  void withAcksNoneRecordsGoOnAfterTheConnectionEnded() throws InterruptedException, IOException {
    try (Producer<String, String> producer = producer().acks(Acks.NONE).idempotence(false).open()) {
      producer.sendAndWait(null, "v0");
      broker.await(ApiKey.PRODUCE, 1);
      broker.cutAll();
      broker.await(ApiKey.API_VERSIONS, 1);
      while (broker.requests(ApiKey.API_VERSIONS).size() < 2) { // a record may be lost with its connection
        producer.trySend(null, "lost", 0, null);
        producer.flush(Duration.ofMillis(20));
      }
      producer.sendAndWait(null, "last");
      broker.await(ApiKey.PRODUCE, request -> broker.state().stored(0).contains("last"));
    }
  }

  @Test
  void whileTheBrokerIsSilentRecordsFailAtTheDeliveryTimeoutAndTheErrorNamesAll() throws InterruptedException {
    Recorded recorded = new Recorded();
    broker.always(ApiKey.PRODUCE, Script.SILENCE);
    try (Producer<String, String> producer = producer(Duration.ofMillis(1200))) {
      producer.send(null, "lost", 1, recorded);
      assertThat(producer.flush(LATER)).isTrue();
      assertThat(recorded.failure(1)).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("produce to orders-0")
          .hasMessageContaining("1200 ms").hasMessageMatching(SENT_BEFORE)
          .hasMessageContaining("broker " + address())
          .hasMessageContaining("did not respond to API Produce within 1000 ms");
      broker.always(ApiKey.PRODUCE, Script.STANDARD);
      assertThat(producer.sendAndWait(null, "v0").offset()).isZero();
    }
    assertThat(recorded.twice).isEmpty();
  }

  @Test
  void recordInFlightFailsAtTheDeliveryTimeoutAndHasOneOutcomeWhenTheResponseComes() throws InterruptedException {
    Recorded recorded = new Recorded();
    CountDownLatch tooLate = new CountDownLatch(1);
    try (Producer<String, String> producer = producer(Duration.ofMillis(300))) {
      producer.sendAndWait(null, "v0");
      broker.next(ApiKey.PRODUCE, Script.after(tooLate, Script.STANDARD));
      assertThatThrownBy(() -> producer.sendAndWait(null, "v1")).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("within 300 ms").hasMessageContaining("stage waiting for the response")
          .hasMessageContaining("attempts 1").hasMessageContaining("broker " + address());
      tooLate.countDown();
      producer.send(null, "v2", 2, recorded);
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(recorded.outcomes).containsEntry(2L, 2L);
    assertThat(recorded.twice).isEmpty();
    assertThat(broker.state().stored(0)).isEqualTo(values(3));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 300})
  void closeWithASilentBrokerEndsInTimeAndCallsEveryListenerOnce(long millis) throws InterruptedException {
    Recorded recorded = new Recorded();
    broker.always(ApiKey.PRODUCE, Script.SILENCE);
    Producer<String, String> producer = producer().batchSize(4096).open();
    sendAll(producer, 0, 2_000, recorded); // more than five batches: some are in flight, some wait
    broker.await(ApiKey.PRODUCE, 1);
    producer.close(Duration.ofMillis(millis));
    assertThat(recorded.outcomes).hasSize(2_000).allSatisfy((record, outcome) -> assertThat(outcome)
        .isInstanceOfSatisfying(KafkaException.class, e -> assertThat(e).hasMessageContaining("was closed")));
    client.close(); // now requests fail whose batches have an outcome already
    assertThat(recorded.twice).isEmpty();
  }

  /** The close once sent lingering records, whose outcome then depended on the faster thread. */
  @Test
  void closeThatDoesNotWaitSendsNothingMore() throws InterruptedException {
    Recorded recorded = new Recorded();
    Producer<String, String> producer = producer().linger(LATER).open();
    producer.send(null, "v0", 0, recorded);
    producer.close(Duration.ZERO);
    assertThat(recorded.outcomes.get(0L)).isInstanceOfSatisfying(KafkaException.class,
        e -> assertThat(e).hasMessageContaining("was closed"));
    client.close();
    assertThat(broker.requests(ApiKey.PRODUCE)).isEmpty();
  }

  @Test
  void responsesThatComeAfterTheEndOfTheProducerReportNothingTwice() throws InterruptedException {
    Recorded recorded = new Recorded();
    broker.always(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.NOT_ENOUGH_REPLICAS));
    Producer<String, String> producer = producer().batchSize(4096).open();
    sendAll(producer, 0, 2_000, recorded);
    broker.await(ApiKey.PRODUCE, 2);
    producer.close(Duration.ZERO);
    broker.always(ApiKey.PRODUCE, Script.STANDARD);
    try (Producer<String, String> next = producer(LATER)) {
      next.sendAndWait(null, "next"); // on the same connection, so the late responses are here, too
    }
    assertThat(recorded.outcomes).hasSize(2_000);
    assertThat(recorded.twice).isEmpty();
  }

  @Test
  void sequenceNumbersAreContiguousOverARetryOnANewConnection() throws InterruptedException {
    Recorded recorded = new Recorded();
    try (Producer<String, String> producer = producer().batchSize(4096).open()) {
      producer.sendAndWait(null, "v0");
      broker.next(ApiKey.PRODUCE, Script.STANDARD, exchange -> {
        broker.state().produce(exchange.request().produce()); // stored, but the response is lost
        exchange.cut();
      });
      sendAll(producer, 1, 2_000, recorded);
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(1);
    assertThat(sent()).extracting(Sent::connection).contains(1, 2);
    assertThat(recorded.outcomes).hasSize(1_999).allSatisfy((record, o) -> assertThat(o).isInstanceOf(Long.class));
    assertThat(recorded.twice).isEmpty();
    int next = 0;
    for (Sent batch : sent()) {
      assertThat(batch.sequence()).as("of " + batch).isLessThanOrEqualTo(next);
      next = Math.max(next, batch.sequence() + batch.records());
    }
    assertThat(next).isEqualTo(2_000);
    assertThat(broker.state().stored(0)).isEqualTo(values(2_000));
  }

  @Test
  void purgeFailsWhatIsNotInFlightAndNothingElse() throws InterruptedException {
    Recorded recorded = new Recorded();
    broker.always(ApiKey.PRODUCE, Script.SILENCE);
    try (Producer<String, String> producer = producer().batchSize(4096).open()) {
      sendAll(producer, 0, 2_000, recorded);
      broker.await(ApiKey.PRODUCE, 1);
      producer.purge();
      broker.always(ApiKey.PRODUCE, Script.STANDARD);
      sendAll(producer, 2_000, 2_001, recorded);
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(recorded.twice).isEmpty();
    assertThat(recorded.outcomes).hasSize(2_001);
    int stored = (int) recorded.outcomes.values().stream().filter(Long.class::isInstance).count() - 1;
    assertThat(stored).as("those in flight").isBetween(1, 1_999);
    List<String> expected = new ArrayList<>(values(stored));
    expected.add("v2000");
    assertThat(broker.state().stored(0)).isEqualTo(expected);
    assertThat(recorded.failure(1_999)).hasMessageContaining("was purged");
  }

  @Test
  void listenerMayCloseEverythingWithoutWaitingForItself() throws InterruptedException {
    Recorded recorded = new Recorded();
    Producer<String, String> producer = producer().open();
    CountDownLatch closed = new CountDownLatch(1);
    AtomicLong nanos = new AtomicLong();
    producer.send(null, "v0", 0, new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        long begun = System.nanoTime();
        broker.always(ApiKey.PRODUCE, Script.SILENCE);
        producer.send(null, "v1", 1, recorded);
        producer.purge();
        assertThat(client.status().isLive()).isTrue();
        producer.close();
        client.close();
        nanos.set(System.nanoTime() - begun);
        closed.countDown();
      }

      @Override
      public void onFailure(long tag, KafkaException error) {}
    });
    assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(Duration.ofNanos(nanos.get())).as("less than any of the bounds of a wait")
        .isLessThan(LATER.dividedBy(4));
    client.close();
    assertThat(recorded.first.await(20, TimeUnit.SECONDS)).as("the loop does what the listener has begun").isTrue();
    assertThat(recorded.outcomes).hasSize(1)
        .allSatisfy((record, o) -> assertThat(o).isInstanceOf(KafkaException.class));
  }

  @Test
  void listenerThatBlocksIsReported() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    try (Producer<String, String> producer = producer(LATER)) {
      producer.send(null, "v0", 0, new SendListener() {
        @Override
        public void onAck(long tag, int partition, long offset, long timestamp) {
          try {
            assertThat(never.await(150, TimeUnit.MILLISECONDS)).isFalse();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        }

        @Override
        public void onFailure(long tag, KafkaException error) {}
      });
      producer.sendAndWait(null, "v1");
      assertThat(client.status().lastErrors()).singleElement().satisfies(report -> {
        assertThat(report.kind()).isEqualTo(ErrorKind.LISTENER_SLOW);
        assertThat(report.message()).contains("connections of the client stood still");
      });
    }
  }

  @Test
  void closeEndsTheWaitOfASenderForMemory() throws InterruptedException {
    broker.always(ApiKey.PRODUCE, Script.SILENCE);
    Producer<String, String> producer = producer().bufferMemory(256 * 1024).maxBlock(LATER).open();
    AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    Thread sender = Thread.ofPlatform().start(() -> {
      try {
        while (true) {
          producer.send(null, "x".repeat(1000));
        }
      } catch (KafkaException e) {
        failure.set(e);
      }
    });
    while (producer.trySend(null, "x".repeat(1000), 0, null) == SendStatus.ACCEPTED) {
      Thread.onSpinWait();
    }
    producer.close(Duration.ZERO);
    assertThat(sender.join(Duration.ofSeconds(10))).as("ended long before maxBlock").isTrue();
    assertThat(failure.get()).isInstanceOf(KafkaException.class).hasMessageContaining("is closed");
  }

  @Test
  void recordsSentWhileTheProducerClosesAreReportedOrRefused() throws InterruptedException {
    for (int round = 0; round < 30; round++) {
      Recorded recorded = new Recorded();
      Producer<String, String> producer = producer().batchSize(1024).open();
      AtomicLong accepted = new AtomicLong();
      CountDownLatch started = new CountDownLatch(200);
      Thread sender = Thread.ofPlatform().start(() -> {
        try {
          while (true) {
            producer.send(null, "v", accepted.get(), recorded);
            accepted.incrementAndGet();
            started.countDown();
          }
        } catch (KafkaException e) {
          assertThat(e).hasMessageContaining("is closed");
        }
      });
      started.await();
      producer.close(Duration.ZERO);
      sender.join();
      // A record that was being written when the producer closed has its outcome in the next round of the loop.
      ClientInternals.of(client).cluster().waiters().await(() -> recorded.outcomes.size() == accepted.get(),
          System.nanoTime() + LATER.toNanos());
      assertThat(recorded.outcomes).hasSize((int) accepted.get());
      assertThat(recorded.twice).isEmpty();
    }
  }

  /** Without a loop, a record that was being written when client and producer closed would have no outcome. */
  @Test
  void recordsSentWhileTheClientClosesAreReportedBeforeItIsClosed() throws InterruptedException {
    int threads = 8;
    for (int round = 0; round < 30; round++) {
      Recorded recorded = new Recorded();
      KafkaClient closing = KafkaClient.builder(broker.address()).build();
      Producer<String, String> producer = closing.producer(Serdes.string(), Serdes.string()).topic("orders")
          .batchSize(1024).open();
      AtomicLong tags = new AtomicLong();
      LongAdder accepted = new LongAdder();
      CountDownLatch sent = new CountDownLatch(200);
      List<Thread> senders = IntStream.range(0, threads).mapToObj(thread -> Thread.ofPlatform().start(() -> {
        try {
          while (true) {
            producer.send(null, "v", tags.getAndIncrement(), recorded);
            accepted.increment();
            sent.countDown();
          }
        } catch (KafkaException e) {
          assertThat(e).hasMessageContaining("is closed");
        }
      })).toList();
      sent.await();
      producer.close(Duration.ZERO);
      closing.close();
      for (Thread sender : senders) {
        sender.join();
      }
      assertThat(recorded.outcomes).hasSize(accepted.intValue());
      assertThat(recorded.twice).isEmpty();
    }
  }

  @Test
  void recordThatNoBufferCanHoldIsRefusedAtOnce() throws InterruptedException {
    try (Producer<String, String> producer = producer().bufferMemory(3 << 20).maxRequestSize(64 << 20).open()) {
      String large = "x".repeat((2 << 20) + 1);
      assertThatThrownBy(() -> producer.send(null, large)).isInstanceOf(KafkaException.class)
          .hasMessageContaining("bufferMemory the bound is " + (2 << 20));
    }
    try (Producer<String, String> producer = producer().bufferMemory(64 << 20).maxRequestSize(64 << 20).open()) {
      String large = "x".repeat(16 << 20);
      assertThatThrownBy(() -> producer.send(null, large)).isInstanceOf(KafkaException.class)
          .hasMessageContaining("the bound is " + ((16 << 20) - 1));
      assertThat(producer.sendAndWait(null, "v0").offset()).isZero();
    }
  }
}
