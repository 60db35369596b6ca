package dev.decant.fake;

import dev.decant.fake.junit.FakeKafka;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.BadRecordPolicy;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Ack;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// The class is shown in docs/testing.md, and FaultDocumentationTest compares the two.
@SuppressWarnings("NullAway") // the extension sets the cluster
@Timeout(30)
@FakeKafka(brokers = 3, topics = "orders=1")
class FaultExamplesTest {
  final Duration patience = Duration.ofSeconds(20);
  FakeCluster kafka;
  KafkaClient client;

  @BeforeEach
  void connect() {
    client = KafkaClient.connect(kafka.bootstrap());
  }

  @AfterEach
  void disconnect() {
    client.close();
  }

  Producer<String, String> producer() throws InterruptedException {
    return client.producer(Serdes.string(), Serdes.string()).topic("orders").open();
  }

  ConsumerBuilder<String, String> consumer() {
    return client.consumer(Serdes.string(), Serdes.string()).group("billing").subscribe("orders").autoCommit(false)
        .offsetReset(OffsetReset.EARLIEST);
  }

  @Test
  void retry() throws Exception {
    Fault refused = kafka.faults().on(ApiKey.PRODUCE).nth(1).answer(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    Fault lost = kafka.faults().on(ApiKey.PRODUCE).nth(1).closeAfter(); // stored, but the response is lost
    try (Producer<String, String> producer = producer()) {
      producer.sendAndWait("order-1", "paid");
    }
    Assertions.assertEquals(2, refused.hits() + lost.hits());
    Assertions.assertEquals(List.of("paid"), kafka.log("orders", 0).texts());
  }

  @Test
  void sendThatFails() throws Exception {
    kafka.faults().on(ApiKey.PRODUCE).every().answer(ErrorCode.TOPIC_AUTHORIZATION_FAILED);
    try (Producer<String, String> producer = producer()) {
      KafkaException failure = Assertions.assertThrows(KafkaException.class, () -> producer.sendAndWait("k", "v"));
      Assertions.assertEquals(ErrorCode.TOPIC_AUTHORIZATION_FAILED, failure.code());
    }
  }

  @Test
  void fencedProducer() throws Exception {
    try (Transactions first = client.transactions("billing-0").open();
        Producer<String, String> bills = client.producer(Serdes.string(), Serdes.string()).topic("orders")
            .transactions(first).open();
        KafkaClient other = KafkaClient.connect(kafka.bootstrap())) {
      first.begin();
      bills.sendAndWait("order-1", "billed");
      other.transactions("billing-0").open().close(); // the same task, started elsewhere
      Assertions.assertThrows(TransactionException.class, () -> first.commit(patience));
    }
    Assertions.assertEquals(kafka.log("orders", 0).logEnd(), kafka.log("orders", 0).lastStable()); // aborted
  }

  @Test
  void rebalanceInTheMiddleOfABatch() throws Exception {
    try (Producer<String, String> producer = producer(); Consumer<String, String> consumer = consumer().open()) {
      producer.sendAndWait("order-1", "paid");
      List<String> handled = new ArrayList<>();
      List<KafkaException> refusals = new ArrayList<>();
      while (handled.size() < 2) { // the group gives the record a second time
        consumer.poll(patience, record -> {
          handled.add(record.value());
          if (handled.size() == 1) {
            kafka.clock().advance(Duration.ofMinutes(1)); // a session: the group removes the member
            try {
              consumer.commit();
            } catch (KafkaException e) {
              refusals.add(e);
            }
          }
        });
      }
      Assertions.assertEquals(1, refusals.size());
      Assertions.assertEquals(List.of("paid", "paid"), handled);
    }
  }

  @Test
  void commitThatIsRefused() throws Exception {
    try (Producer<String, String> producer = producer(); Consumer<String, String> consumer = consumer().open()) {
      producer.sendAndWait("order-1", "paid");
      while (consumer.poll(patience, record -> {}) == 0) {
        // the group is not ready
      }
      kafka.faults().on(ApiKey.OFFSET_COMMIT).answer(ErrorCode.GROUP_AUTHORIZATION_FAILED);
      KafkaException refusal = Assertions.assertThrows(KafkaException.class, consumer::commit);
      Assertions.assertEquals(ErrorCode.GROUP_AUTHORIZATION_FAILED, refusal.code());
      consumer.commit(); // the fault was for one request
    }
  }

  @Test
  void brokerThatIsGone() throws Exception {
    try (Producer<String, String> producer = producer()) {
      producer.sendAndWait("order-1", "before");
      int leader = kafka.log("orders", 0).leader();
      kafka.broker(leader).kill();
      producer.sendAndWait("order-2", "meanwhile"); // another broker leads
      kafka.broker(leader).restart();
    }
    Assertions.assertEquals(List.of("before", "meanwhile"), kafka.log("orders", 0).texts());
  }

  @Test
  void slowBroker() throws Exception {
    try (Producer<String, String> producer = producer()) {
      kafka.clock().stop(); // brokers wait until the test lets time pass
      kafka.faults().on(ApiKey.PRODUCE).delay(Duration.ofSeconds(10));
      CompletableFuture<Ack> ack = producer.sendAsync("order-1", "paid", null);
      kafka.awaitRequest(ApiKey.PRODUCE, patience);
      Assertions.assertFalse(ack.isDone());
      kafka.clock().advance(Duration.ofSeconds(10));
      Assertions.assertEquals(0, ack.get().offset());
      kafka.clock().resume();
    }
  }

  @Test
  void poisonRecord() throws Exception {
    List<String> skipped = new ArrayList<>();
    BadRecordPolicy skip = (record, cause) -> {
      skipped.add(record.topic() + " " + record.offset());
      return BadRecordPolicy.Decision.SKIP;
    };
    try (Producer<String, String> producer = producer();
        Consumer<String, Long> numbers = client.consumer(Serdes.string(), Serdes.longs()).onBadRecord(skip)
            .offsetReset(OffsetReset.EARLIEST).open()) {
      producer.sendAndWait("order-1", "no number"); // a long has 8 bytes
      producer.sendAndWait("order-2", "8 bytes!");
      numbers.assign("orders", 0);
      List<Long> values = new ArrayList<>();
      while (values.isEmpty()) {
        numbers.poll(patience, record -> values.add(record.value()));
      }
      Assertions.assertEquals(List.of("orders 0"), skipped);
      Assertions.assertEquals(1, values.size());
    }
  }
}
