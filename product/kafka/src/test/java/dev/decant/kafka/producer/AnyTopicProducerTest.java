package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.ManyTopics;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.ProduceResponse;
import dev.decant.kafka.serialization.EncodeContext;
import dev.decant.kafka.serialization.Encoder;
import dev.decant.kafka.serialization.Serdes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A producer whose sends name their topics. */
@Timeout(60)
@ExtendWith(QuietLog.class)
class AnyTopicProducerTest {
  private static final Duration LATER = Duration.ofSeconds(20);

  private final ScriptedBroker broker = ScriptedBroker.start(1);
  private final KafkaClient client = KafkaClient.builder(broker.address()).build();
  /** What the listener of each record was told, by its tag. */
  private final Map<Long, String> outcomes = new ConcurrentHashMap<>();
  private final SendListener listener = new SendListener() {
    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {
      outcomes.merge(tag, "stored in " + partition, (a, b) -> a + ", " + b);
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      throw new AssertionError("the partition is left out", error);
    }

    @Override
    public void onFailure(long tag, int partition, KafkaException error) {
      outcomes.merge(tag, error.code() + " in " + partition, (a, b) -> a + ", " + b);
    }
  };

  AnyTopicProducerTest() {
    ManyTopics.named(broker);
    broker.always(ApiKey.PRODUCE, exchange -> {
      ProduceResponse response = ProduceResponses.to(exchange.request().produce());
      exchange.answer(response::write);
    });
  }

  @AfterEach
  void close() {
    try (broker) {
      client.close();
    }
  }

  private ProducerBuilder<String, String> builder() {
    return client.<String, String>producer(Serdes.string(), Serdes.string()).idempotence(false);
  }

  private AnyTopicProducer<String, String> open() {
    return builder().openForAnyTopic();
  }

  private List<Request> requests() {
    return broker.requests(ApiKey.PRODUCE);
  }

  @Test
  void recordsGoToTheTopicsThatAreNamedWithThem() throws InterruptedException {
    try (AnyTopicProducer<String, String> producer = open()) {
      producer.send(ManyTopics.name(1), "k", "v", 1, listener);
      producer.send(ManyTopics.name(2), "k", "v", new SendOptions().partition(0), 2, listener);
      assertThat(producer.sendAndWait(ManyTopics.name(3), "k", "v").partition()).isZero();
      assertThat(producer.sendAndWait(ManyTopics.name(3), "k", "v", new SendOptions()).partition()).isZero();
      assertThat(producer.sendAsync(ManyTopics.name(4), null, "v", null).join().partition()).isZero();
      producer.send(ManyTopics.name(1), null, null);
      assertThat(producer.flush(LATER)).isTrue();
      assertThat(outcomes).containsOnly(Map.entry(1L, "stored in 0"), Map.entry(2L, "stored in 0"));
      assertThat(producer.topics()).containsExactlyInAnyOrder(ManyTopics.name(1), ManyTopics.name(2),
          ManyTopics.name(3), ManyTopics.name(4));
      assertThat(producer.partitions(ManyTopics.name(1))).isEqualTo(1);
      assertThat(producer.partitions(ManyTopics.name(7))).as("of which nothing was sent").isZero();
    }
  }

  @Test
  void encodersSeeTheTopicOfEachRecord() throws InterruptedException {
    Map<String, String> topics = new ConcurrentHashMap<>();
    Encoder<String> encoder = Encoder.ofBytes((String text, EncodeContext record) -> {
      topics.put(text, record.topic() + (record.isKey() ? " key" : " value"));
      return text.getBytes(StandardCharsets.UTF_8);
    });
    try (AnyTopicProducer<String, String> producer = client.<String, String>producer(encoder, encoder)
        .idempotence(false).openForAnyTopic()) {
      producer.send(ManyTopics.name(1), "a", "b");
      producer.send(ManyTopics.name(2), "c", "d");
      producer.send(ManyTopics.name(1), "e", "f");
      assertThat(producer.flush(LATER)).isTrue();
    }
    String first = ManyTopics.name(1);
    String second = ManyTopics.name(2);
    assertThat(topics).containsOnly(Map.entry("a", first + " key"), Map.entry("b", first + " value"),
        Map.entry("c", second + " key"), Map.entry("d", second + " value"), Map.entry("e", first + " key"),
        Map.entry("f", first + " value"));
  }

  @Test
  void flushSendsTheRecordsOfAllTopics() throws InterruptedException {
    try (AnyTopicProducer<String, String> producer = builder().linger(LATER.multipliedBy(10)).openForAnyTopic()) {
      for (int topic = 0; topic < 5; topic++) {
        producer.send(ManyTopics.name(topic), "k", "v", topic, listener);
      }
      assertThat(requests()).isEmpty();
      assertThat(producer.flush(LATER)).isTrue();
      assertThat(outcomes).hasSize(5);
      assertThat(requests().stream().mapToInt(request -> request.produce().topicData().size()).sum()).isEqualTo(5);
    }
  }

  @Test
  void threadsThatSendFirstAtTheSameTimeShareAProducer() throws Exception {
    CountDownLatch together = new CountDownLatch(4);
    try (AnyTopicProducer<String, String> producer = open();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Ack>> sent = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        sent.add(threads.submit(() -> {
          together.countDown();
          together.await();
          return producer.sendAndWait(ManyTopics.name(1), "k", "v");
        }));
      }
      for (Future<Ack> one : sent) {
        assertThat(one.get(LATER.toSeconds(), TimeUnit.SECONDS).partition()).isZero();
      }
      assertThat(producer.topics()).containsExactly(ManyTopics.name(1));
    }
  }

  @Test
  void trySendDoesNotWaitForTheMetadataOfANewTopic() throws InterruptedException {
    try (AnyTopicProducer<String, String> producer = open()) {
      assertThat(producer.trySend(ManyTopics.name(2), "k", "v", null, 5, listener)).isEqualTo(SendStatus.ACCEPTED);
      assertThat(producer.flush(LATER)).isTrue();
      assertThat(outcomes).containsOnly(Map.entry(5L, "stored in 0"));
    }
  }

  @Test
  void failedRecordComesWithItsPartition() throws InterruptedException {
    broker.always(ApiKey.PRODUCE, exchange -> {
      ProduceResponse response = ProduceResponses.to(exchange.request().produce());
      response.responses().forEach(topic -> topic.partitionResponses()
          .forEach(partition -> partition.errorCode(ErrorCode.INVALID_TIMESTAMP.code())));
      exchange.answer(response::write);
    });
    try (AnyTopicProducer<String, String> producer = open()) {
      producer.send(ManyTopics.name(1), "k", "v", 1, listener);
      assertThat(producer.flush(LATER)).isTrue();
      assertThat(outcomes).containsOnly(Map.entry(1L, "INVALID_TIMESTAMP in 0"));
    }
  }

  @Test
  void purgeAndCloseConcernAllTopics() throws InterruptedException {
    AnyTopicProducer<String, String> producer = builder().linger(LATER).openForAnyTopic();
    producer.send(ManyTopics.name(1), "k", "v", 1, listener);
    producer.send(ManyTopics.name(2), "k", "v", 2, listener);
    producer.purge();
    assertThat(outcomes).containsOnly(Map.entry(1L, "NONE in 0"), Map.entry(2L, "NONE in 0"));
    producer.send(ManyTopics.name(1), "k", "v", 3, listener);
    producer.send(ManyTopics.name(2), "k", "v", 4, listener);
    producer.close(LATER);
    assertThat(outcomes).containsEntry(3L, "stored in 0").containsEntry(4L, "stored in 0");
    producer.close();
    for (String topic : List.of(ManyTopics.name(1), ManyTopics.name(3))) {
      assertThatThrownBy(() -> producer.send(topic, "k", "v")).isInstanceOf(KafkaException.class)
          .hasMessageContaining("closed");
    }
    assertThatThrownBy(producer::purge).isInstanceOf(KafkaException.class);
  }

  @Test
  void closedClientClosesIt() {
    AnyTopicProducer<String, String> producer = open();
    producer.send(ManyTopics.name(1), "k", "v", 1, listener);
    client.close();
    assertThat(outcomes).containsOnly(Map.entry(1L, "stored in 0"));
    assertThatThrownBy(() -> producer.send(ManyTopics.name(2), "k", "v")).isInstanceOf(KafkaException.class)
        .hasMessageContaining("closed");
  }

  /** A pool and a codec for each topic would multiply what the application allows. */
  @Test
  void topicsShareTheProducersOwnMemory() throws InterruptedException {
    try (AnyTopicProducer<String, String> producer = builder().bufferMemory(256 * 1024).linger(LATER)
        .maxBlock(Duration.ofSeconds(1)).openForAnyTopic()) {
      String value = "v".repeat(10_000);
      assertThatThrownBy(() -> {
        broker.always(ApiKey.PRODUCE, Script.SILENCE);
        for (int i = 0; i < 1_000; i++) {
          producer.send(ManyTopics.name(i % 10), "k", value);
        }
      }).isInstanceOf(KafkaException.class).hasMessageContaining("no memory came free");
      producer.close(Duration.ZERO);
    }
  }

  @Test
  void topicOfTheBuilderAndIllegalNamesAreRefused() {
    assertThatThrownBy(() -> builder().topic("orders").openForAnyTopic())
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("orders");
    try (AnyTopicProducer<String, String> producer = open()) {
      assertThatThrownBy(() -> producer.send("a b", "k", "v")).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> producer.trySend("", "k", "v", null, 0, null))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(producer.topics()).isEmpty();
    }
  }

  @Test
  void onlyAClientThatWasToldSoLetsBrokersCreateTopics() {
    try (AnyTopicProducer<String, String> producer = open();
        KafkaClient creating = KafkaClient.fromProperties(
            Map.of("bootstrap.servers", broker.address(), "allow.auto.create.topics", "true"));
        AnyTopicProducer<String, String> creator = creating.producer(Serdes.string(), Serdes.string())
            .idempotence(false).openForAnyTopic()) {
      producer.send(ManyTopics.name(1), "k", "v");
      creator.send(ManyTopics.name(2), "k", "v");
      for (Request request : broker.requests(ApiKey.METADATA)) {
        MetadataRequest metadata = (MetadataRequest) request.body();
        for (MetadataRequest.MetadataRequestTopic asked : Objects.requireNonNull(metadata.topics())) {
          assertThat(metadata.allowAutoTopicCreation()).as(asked.name())
              .isEqualTo(ManyTopics.name(2).equals(asked.name()));
        }
      }
    }
  }
}
