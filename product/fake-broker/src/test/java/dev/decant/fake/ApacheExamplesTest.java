package dev.decant.fake;

import dev.decant.fake.junit.FakeKafka;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// The class is shown in docs/testing.md, and FaultDocumentationTest compares the two.
@SuppressWarnings("NullAway") // the extension sets the cluster
@Timeout(30)
@FakeKafka(topics = "orders=1")
class ApacheExamplesTest {
  FakeCluster kafka;

  KafkaProducer<String, String> producer(Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put("bootstrap.servers", kafka.bootstrap());
    return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
  }

  @Test
  void retry() throws Exception {
    Fault refused = kafka.faults().on(ApiKey.PRODUCE).nth(1).answer(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    try (KafkaProducer<String, String> producer = producer(Map.of())) {
      producer.send(new ProducerRecord<>("orders", "order-1", "paid")).get();
    }
    Assertions.assertEquals(1, refused.hits());
    Assertions.assertEquals(List.of("paid"), kafka.log("orders", 0).texts());
  }

  @Test
  void fencedProducer() throws Exception {
    try (KafkaProducer<String, String> first = producer(Map.of("transactional.id", "billing-0"));
        KafkaProducer<String, String> second = producer(Map.of("transactional.id", "billing-0"))) {
      first.initTransactions();
      first.beginTransaction();
      first.send(new ProducerRecord<>("orders", "order-1", "billed")).get();
      second.initTransactions(); // the same task, started elsewhere
      Assertions.assertThrows(ProducerFencedException.class, first::commitTransaction);
    }
    Assertions.assertEquals(kafka.log("orders", 0).logEnd(), kafka.log("orders", 0).lastStable()); // aborted
  }

  @Test
  void rebalanceInTheMiddleOfABatch() throws Exception {
    Map<String, Object> settings = Map.of("bootstrap.servers", kafka.bootstrap(), "group.id", "billing",
        "auto.offset.reset", "earliest", "enable.auto.commit", "false");
    try (KafkaProducer<String, String> producer = producer(Map.of());
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings, new StringDeserializer(),
            new StringDeserializer())) {
      producer.send(new ProducerRecord<>("orders", "order-1", "paid")).get();
      consumer.subscribe(List.of("orders"));
      List<String> handled = new ArrayList<>();
      int refusals = 0;
      while (handled.size() < 2) { // the group gives the record a second time
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(10))) {
          handled.add(record.value());
          if (handled.size() == 1) {
            kafka.clock().advance(Duration.ofMinutes(1)); // a session: the group removes the member
            try {
              consumer.commitSync();
            } catch (CommitFailedException e) {
              refusals++;
            }
          }
        }
      }
      Assertions.assertEquals(1, refusals);
      Assertions.assertEquals(List.of("paid", "paid"), handled);
    }
  }
}
