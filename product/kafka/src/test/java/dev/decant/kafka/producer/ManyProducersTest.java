package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.Exchange;
import dev.decant.kafka.broker.ManyTopics;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ApiVersionsResponse;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceResponse;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Producers of one client: they share requests, and none costs a round that has nothing to do with it. */
@Timeout(60)
@ExtendWith(QuietLog.class)
class ManyProducersTest {
  private static final Duration LATER = Duration.ofSeconds(20);
  /** Than the test may last, however long its producers take to open. */
  private static final Duration LONGER_THAN_A_TEST = Duration.ofSeconds(90);
  /** Requests to a broker that may wait for a response. */
  private static final int IN_FLIGHT = 5;
  /** In a batch. */
  private static final int PRODUCER_ID_OFFSET = 43;

  private final ScriptedBroker broker = ScriptedBroker.start(1);
  private final KafkaClient client = KafkaClient.builder(broker.address()).build();
  private final List<Producer<String, String>> producers = new ArrayList<>();
  /** What the listener of each record was told, by its tag. */
  private final Map<Long, String> outcomes = new ConcurrentHashMap<>();
  private final SendListener listener = new SendListener() {
    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {
      outcomes.merge(tag, "stored at " + offset, (a, b) -> a + ", " + b);
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      outcomes.merge(tag, error.code().name(), (a, b) -> a + ", " + b);
    }
  };

  ManyProducersTest() {
    ManyTopics.named(broker);
    broker.always(ApiKey.PRODUCE, exchange -> answer(exchange, ProduceResponses.to(exchange.request().produce())));
  }

  @AfterEach
  void close() {
    try (broker) {
      client.close();
    }
  }

  private static void answer(Exchange exchange, ProduceResponse response) throws IOException {
    exchange.answer(response::write);
  }

  private ProducerBuilder<String, String> producer(int topic) {
    return client.producer(Serdes.string(), Serdes.string()).topic(ManyTopics.name(topic)).idempotence(false);
  }

  private void open(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      producers.add(producer(i).open());
    }
  }

  private void flushAll() throws InterruptedException {
    for (Producer<String, String> producer : producers) {
      assertThat(producer.flush(LATER)).isTrue();
    }
  }

  /** Has as many requests sent as may be in flight, each for one topic, to which the broker responds when it may. */
  private CountDownLatch fillConnection() throws InterruptedException {
    CountDownLatch permission = new CountDownLatch(1);
    Script held = Script.after(permission,
        exchange -> answer(exchange, ProduceResponses.to(exchange.request().produce())));
    broker.next(ApiKey.PRODUCE, held, held, held, held, held);
    // One thread of the broker takes one request after another, so only the first can be waited for.
    for (int i = 0; i < IN_FLIGHT; i++) {
      int sent = i + 1;
      producers.get(i).send(null, "v" + i, i, listener);
      assertThat(ClientInternals.of(client).cluster().waiters().await(() -> sentRequests() == sent,
          System.nanoTime() + LATER.toNanos())).isTrue();
    }
    return permission;
  }

  /** How many requests await a response; the owner of the loop writes it. */
  private int sentRequests() {
    var link = ClientInternals.of(client).cluster().link(1);
    return link == null ? 0 : link.inFlight();
  }

  private static int topics(Request request) {
    return request.produce().topicData().size();
  }

  @Test
  void batchesOfAllTopicsForALeaderLeaveInOneRequest() throws InterruptedException {
    int count = 100;
    open(count);
    CountDownLatch permission = fillConnection();
    for (int i = IN_FLIGHT; i < count; i++) {
      producers.get(i).send(null, "v" + i, i, listener);
    }
    permission.countDown();
    flushAll();
    assertThat(broker.requests(ApiKey.PRODUCE)).extracting(ManyProducersTest::topics)
        .containsExactly(1, 1, 1, 1, 1, count - IN_FLIGHT);
    assertThat(outcomes).hasSize(count).allSatisfy((record, told) -> assertThat(told).isEqualTo("stored at -1"));
  }

  /** Version 13 names topics by id, 12 by name. The response need not have the order of the request. */
  @ParameterizedTest
  @ValueSource(ints = {12, 13})
  void eachTopicIsToldOfItsOwnOutcome(int version) throws InterruptedException {
    broker.always(ApiKey.API_VERSIONS, exchange -> {
      ApiVersionsResponse response = broker.state().apiVersions();
      response.apiKeys().stream().filter(v -> v.apiKey() == ApiKey.PRODUCE.id())
          .forEach(v -> v.maxVersion((short) version));
      exchange.answer(response::write);
    });
    int count = 20;
    open(count);
    CountDownLatch permission = fillConnection();
    broker.always(ApiKey.PRODUCE, exchange -> {
      ProduceRequest request = exchange.request().produce();
      ProduceResponse response = ProduceResponses.to(request);
      List<ProduceResponse.TopicProduceResponse> topics = new ArrayList<>(response.responses());
      for (ProduceResponse.TopicProduceResponse topic : topics) {
        int number = ManyTopics.number(topic.name(), topic.topicId());
        topic.partitionResponses().getFirst().baseOffset(100 + number)
            .errorCode((number == 8 ? ErrorCode.RECORD_LIST_TOO_LARGE : ErrorCode.NONE).code());
      }
      Collections.reverse(topics);
      answer(exchange, response.responses(topics));
    });
    for (int i = IN_FLIGHT; i < count; i++) {
      producers.get(i).send(null, "v" + i, i, listener);
    }
    permission.countDown();
    flushAll();
    assertThat(broker.requests(ApiKey.PRODUCE).getLast().version()).isEqualTo((short) version);
    IntStream.range(IN_FLIGHT, count).forEach(i -> assertThat(outcomes.get((long) i)).isEqualTo(
        i == 8 ? "RECORD_LIST_TOO_LARGE" : "stored at " + (100 + i)));
  }

  @Test
  void topicThatTheResponseDoesNotNameIsSentAgain() throws InterruptedException {
    open(10);
    CountDownLatch permission = fillConnection();
    broker.next(ApiKey.PRODUCE, exchange -> {
      ProduceResponse response = ProduceResponses.to(exchange.request().produce());
      List<ProduceResponse.TopicProduceResponse> topics = new ArrayList<>(response.responses());
      topics.removeLast();
      answer(exchange, response.responses(topics));
    });
    for (int i = IN_FLIGHT; i < 10; i++) {
      producers.get(i).send(null, "v" + i, i, listener);
    }
    permission.countDown();
    flushAll();
    assertThat(broker.requests(ApiKey.PRODUCE)).extracting(ManyProducersTest::topics)
        .containsExactly(1, 1, 1, 1, 1, 5, 1);
    assertThat(outcomes).hasSize(10).allSatisfy((record, told) -> assertThat(told).isEqualTo("stored at -1"));
  }

  /** A request names a partition once: the broker would take one of two batches, or none. */
  @Test
  void twoProducersOfATopicHaveTheirBatchesInDifferentRequests() throws InterruptedException {
    open(IN_FLIGHT);
    Producer<String, String> first = producer(7).open();
    Producer<String, String> second = producer(7).open();
    producers.addAll(List.of(first, second));
    CountDownLatch permission = fillConnection();
    first.send(null, "a", 10, listener);
    second.send(null, "b", 11, listener);
    permission.countDown();
    flushAll();
    assertThat(broker.requests(ApiKey.PRODUCE)).hasSize(IN_FLIGHT + 2)
        .allSatisfy(request -> assertThat(request.produce().topicData()).hasSize(1)
            .allSatisfy(topic -> assertThat(topic.partitionData()).hasSize(1)));
    assertThat(outcomes).containsEntry(10L, "stored at -1").containsEntry(11L, "stored at -1");
  }

  /** The second batch may leave in the round in which the first one has found a place. */
  @Test
  void batchesOfAPartitionThatWaitedAtTheBrokerLeaveInDifferentRequests() throws InterruptedException {
    open(IN_FLIGHT);
    int size = 4 << 10;
    producers.add(producer(7).batchSize(size).open());
    CountDownLatch permission = fillConnection();
    for (int i = 0; i < 4; i++) {
      producers.getLast().send(null, "v".repeat(size - 500), 10 + i, listener);
    }
    permission.countDown();
    flushAll();
    List<Request> requests = broker.requests(ApiKey.PRODUCE);
    assertThat(requests.subList(IN_FLIGHT, requests.size())).hasSize(4)
        .allSatisfy(request -> assertThat(request.produce().topicData()).hasSize(1)
            .allSatisfy(topic -> assertThat(topic.partitionData()).hasSize(1)));
    assertThat(outcomes).hasSize(IN_FLIGHT + 4)
        .allSatisfy((record, told) -> assertThat(told).isEqualTo("stored at -1"));
  }

  /** A request says once how many replicas must have its batches. */
  @Test
  void producersThatDifferInAcksHaveRequestsOfTheirOwn() throws InterruptedException {
    open(IN_FLIGHT);
    for (int i = IN_FLIGHT; i < 9; i++) {
      producers.add(producer(i).acks(i % 2 == 0 ? Acks.ALL : Acks.LEADER).open());
    }
    CountDownLatch permission = fillConnection();
    for (int i = IN_FLIGHT; i < 9; i++) {
      producers.get(i).send(null, "v" + i, i, listener);
    }
    permission.countDown();
    flushAll();
    List<Request> requests = broker.requests(ApiKey.PRODUCE);
    assertThat(requests).extracting(ManyProducersTest::topics).containsExactly(1, 1, 1, 1, 1, 2, 2);
    assertThat(requests.subList(IN_FLIGHT, 7)).extracting(request -> (int) request.produce().acks())
        .containsExactlyInAnyOrder(-1, 1);
  }

  /** One for each would be as many requests before the first record. */
  @Test
  void producersOfDifferentTopicsShareAProducerId() throws InterruptedException {
    for (int i = 0; i < 50; i++) {
      producers.add(producer(i).idempotence(true).open());
      producers.get(i).sendAndWait(null, "v" + i);
    }
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(1);
  }

  /** It begins with number 0 again, which the broker would take for a batch that it has. */
  @Test
  void secondProducerOfATopicHasAProducerIdOfItsOwn() throws InterruptedException {
    try (Producer<String, String> first = producer(1).idempotence(true).open()) {
      first.sendAndWait(null, "a");
    }
    for (int i = 0; i < 2; i++) {
      producers.add(producer(1).idempotence(true).open());
      producers.get(i).sendAndWait(null, "b" + i);
    }
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(3);
    assertThat(broker.requests(ApiKey.PRODUCE)).extracting(ManyProducersTest::producerId).doesNotHaveDuplicates();
  }

  private static long producerId(Request request) {
    return Objects.requireNonNull(request.produce().topicData().getFirst().partitionData().getFirst().records())
        .getLong(PRODUCER_ID_OFFSET);
  }

  /** A thousand topics wait for more records, and one sends: a round that looked at all would look a million times. */
  @Test
  void roundLooksAtQueuesThatMaySendAndAtNoOther() throws InterruptedException {
    int lingering = 1_000;
    for (int i = 0; i < lingering; i++) {
      producers.add(producer(i).linger(LONGER_THAN_A_TEST).open());
      producers.get(i).send(null, "v" + i, i, listener);
    }
    Producer<String, String> busy = producer(lingering).open();
    busy.sendAndWait(null, "first");
    Sender sender = ClientInternals.of(client).shared(Sender.class, () -> {
      throw new AssertionError("the producers have made it");
    });
    long before = looks(sender);
    for (int i = 0; i < 100; i++) {
      busy.sendAndWait(null, "v" + i);
    }
    assertThat(looks(sender) - before).isBetween(100L, 400L);
    assertThat(outcomes).isEmpty();
    producers.add(busy);
    flushAll();
    assertThat(outcomes).hasSize(lingering);
  }

  private long looks(Sender sender) throws InterruptedException {
    long[] looks = new long[1];
    CountDownLatch read = new CountDownLatch(1);
    ClientInternals.of(client).loop().execute(() -> {
      looks[0] = sender.processed();
      read.countDown();
    });
    assertThat(read.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    return looks[0];
  }

  @Test
  void producerThatClosesTakesNothingOfOthersWithIt() throws InterruptedException {
    open(10);
    CountDownLatch permission = fillConnection();
    for (int i = IN_FLIGHT; i < 10; i++) {
      producers.get(i).send(null, "v" + i, i, listener);
    }
    producers.get(6).close(Duration.ZERO);
    producers.get(0).close(Duration.ZERO);
    permission.countDown();
    producers.remove(6);
    producers.remove(0);
    flushAll();
    assertThat(outcomes).containsEntry(0L, "NONE").containsEntry(6L, "NONE").hasSize(10);
    IntStream.of(1, 2, 3, 4, 5, 7, 8, 9).forEach(i -> assertThat(outcomes.get((long) i)).isEqualTo("stored at -1"));
    try (Producer<String, String> again = producer(6).open()) {
      assertThat(again.sendAndWait(null, "again").partition()).isZero();
    }
  }
}
