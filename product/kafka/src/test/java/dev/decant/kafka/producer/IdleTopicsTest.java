package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.ManyTopics;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.ProduceResponse;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a producer keeps of topics that were idle for long: a producer of each, with its queues, for ever. */
@Timeout(60)
@ExtendWith(QuietLog.class)
class IdleTopicsTest {
  private static final Duration LATER = Duration.ofSeconds(20);
  /** Less than a use is rounded up to, so a topic is idle as soon as nothing is left to be sent. */
  private static final long ALWAYS_IDLE = -TimeUnit.SECONDS.toNanos(10);

  private final ScriptedBroker broker = ScriptedBroker.start(1);
  private final KafkaClient client = KafkaClient.builder(broker.address()).build();

  IdleTopicsTest() {
    ManyTopics.named(broker);
    broker.always(ApiKey.PRODUCE, exchange -> {
      ProduceResponse response = ProduceResponses.to(exchange.request().produce());
      exchange.answer(response::write);
    });
    ClientInternals internals = ClientInternals.of(client);
    internals.runOnLoop(() -> internals.cluster().metadataMaxIdle(ALWAYS_IDLE));
  }

  @AfterEach
  void close() {
    try (broker) {
      client.close();
    }
  }

  private AnyTopicProducer<String, String> open() {
    return client.<String, String>producer(Serdes.string(), Serdes.string()).idempotence(false).openForAnyTopic();
  }

  @Test
  void topicsThatComeAndGoLeaveNothingBehind() throws InterruptedException {
    try (AnyTopicProducer<String, String> producer = open()) {
      for (int i = 0; i < 100; i++) {
        producer.sendAndWait(ManyTopics.name(i), "k", "v");
      }
      assertThat(producer.topics()).hasSizeLessThan(10);
      producer.send(ManyTopics.name(0), "k", "v");
      assertThat(producer.sendAsync(ManyTopics.name(1), "k", "v", null).join().partition()).isZero();
      assertThat(producer.trySend(ManyTopics.name(2), "k", "v", null, 0, null)).isEqualTo(SendStatus.ACCEPTED);
      producer.purge();
      assertThat(producer.flush(LATER)).isTrue();
    }
  }

  /** Within one epoch the numbers of a partition go on, whoever sends to it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void numbersGoOnWhereATopicIsGivenUpWithinATransaction(int version) throws InterruptedException {
    broker.state().transactionVersion(version);
    try (Transactions transactions = client.transactions("payments").maxBlock(LATER).open();
        AnyTopicProducer<String, String> producer = client
            .<String, String>producer(Serdes.string(), Serdes.string()).transactions(transactions).openForAnyTopic()) {
      transactions.begin();
      producer.sendAndWait(ManyTopics.name(0), "k", "v");
      int others = 0;
      while (producer.topics().contains(ManyTopics.name(0))) { // the class has a deadline
        producer.sendAndWait(ManyTopics.name(++others), "k", "v");
      }
      producer.sendAndWait(ManyTopics.name(0), "k", "v");
      transactions.commit(LATER);
      transactions.begin();
      producer.sendAndWait(ManyTopics.name(0), "k", "v");
      transactions.commit(LATER);
    }
    List<Integer> sequences = broker.requests(ApiKey.PRODUCE).stream()
        .map(r -> r.produce().topicData().getFirst())
        .filter(topic -> ManyTopics.number(topic.name(), topic.topicId()) == 0)
        .map(topic -> Objects.requireNonNull(topic.partitionData().getFirst().records()))
        .map(batch -> batch.getInt(batch.position() + RecordBatchHeader.BASE_SEQUENCE)).toList();
    int third = version == 2 ? 0 : 2; // with version 2 each transaction has an epoch of its own
    assertThat(sequences).containsExactly(0, 1, third);
  }

  @Test
  void topicWithARecordThatWaitsStays() throws InterruptedException {
    broker.next(ApiKey.PRODUCE, exchange -> {});
    try (AnyTopicProducer<String, String> producer = open()) {
      producer.send(ManyTopics.name(7), "k", "v");
      broker.await(ApiKey.PRODUCE, 1);
      for (int i = 10; i < 30; i++) {
        producer.trySend(ManyTopics.name(i), "k", "v", null, 0, null);
      }
      assertThat(producer.topics()).contains(ManyTopics.name(7));
      producer.close(Duration.ZERO);
    }
  }

  /** A record that a thread is about to append while its topic is given up goes to the next producer of the topic. */
  @Test
  void eachRecordHasOneOutcomeWhileTopicsAreGivenUp() throws Exception {
    AtomicInteger stored = new AtomicInteger();
    SendListener counting = new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        stored.incrementAndGet();
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        throw new AssertionError("the partition is left out", error);
      }

      @Override
      public void onFailure(long tag, int partition, KafkaException error) {
        stored.addAndGet(1_000_000);
      }
    };
    int senders = 4;
    int each = 500;
    try (AnyTopicProducer<String, String> producer = open();
        ExecutorService threads = Executors.newFixedThreadPool(senders)) {
      List<Future<?>> sending = new ArrayList<>();
      for (int s = 0; s < senders; s++) {
        int sender = s;
        sending.add(threads.submit(() -> {
          for (int i = 0; i < each; i++) {
            producer.send(ManyTopics.name(i % 3), "k", "v", i, counting);
            producer.sendAndWait(ManyTopics.name(10 + sender * each + i), "k", "v"); // has idle ones looked for
          }
          return null;
        }));
      }
      for (Future<?> f : sending) {
        f.get(LATER.toSeconds(), TimeUnit.SECONDS);
      }
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(stored).hasValue(senders * each);
  }
}
