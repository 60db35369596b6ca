package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.producer.AnyTopicProducer;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.producer.SendStatus;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * Tests records for a partition that was added after the client's last metadata. They were once refused until the next
 * regular request for metadata.
 */
class AddedPartitionTest extends AgainstScriptedBroker {
  AddedPartitionTest() {
    super(1, LATER);
  }

  private static SendOptions to(int partition) {
    return new SendOptions().partition(partition);
  }

  @Test
  void sendAsksForThePartitionAndWaitsForIt() throws InterruptedException {
    try (Producer<String, String> producer = producer().open()) {
      assertThat(producer.sendAndWait("k", "a").partition()).isZero();
      broker.state().grow(3);
      assertThat(producer.sendAndWait("k", "b", to(2)).partition()).isEqualTo(2);
    }
    assertThat(broker.state().stored(2)).containsExactly("b");
  }

  @Test
  void sendToAnyTopicDoesSoToo() throws InterruptedException {
    try (AnyTopicProducer<String, String> producer = client.<String, String>producer(Serdes.string(), Serdes.string())
        .openForAnyTopic()) {
      producer.sendAndWait(ScriptedBroker.TOPIC, "k", "a");
      broker.state().grow(2);
      assertThat(producer.sendAsync(ScriptedBroker.TOPIC, "k", "b", to(1)).join().partition()).isEqualTo(1);
    }
  }

  @Test
  void brokerThatDoesNotKnowThePartitionYetIsAskedAgain() throws InterruptedException {
    try (Producer<String, String> producer = producer().open()) {
      int before = broker.requests(ApiKey.METADATA).size();
      broker.next(ApiKey.METADATA, Script.STANDARD, exchange -> {
        broker.state().grow(2);
        Script.STANDARD.run(exchange);
      });
      assertThat(producer.sendAndWait("k", "b", to(1)).partition()).isEqualTo(1);
      assertThat(broker.requests(ApiKey.METADATA)).hasSize(before + 2);
    }
  }

  @Test
  void sendToAPartitionThatDoesNotComeFailsAfterMaxBlock() throws InterruptedException {
    awaitMetadata();
    try (Producer<String, String> producer = producer().maxBlock(SOON).open()) {
      assertThatThrownBy(() -> producer.send("k", "v", to(7), 0, null)).isInstanceOf(KafkaTimeoutException.class)
          .hasMessage("send to orders: partition 7 is not there after 300 ms; the topic has partitions 0 to 0");
      assertThat(producer.sendAndWait("k", "v").partition()).isZero();
    }
  }

  @Test
  void endOfTheProducerEndsTheWait() throws InterruptedException {
    Producer<String, String> producer = producer().maxBlock(Duration.ofMinutes(10)).open();
    CountDownLatch asked = new CountDownLatch(1);
    broker.always(ApiKey.METADATA, exchange -> {
      asked.countDown();
      Script.STANDARD.run(exchange);
    });
    Thread closer = Thread.ofVirtual().start(() -> {
      try {
        asked.await();
        producer.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
    assertThatThrownBy(() -> producer.send("k", "v", to(7), 0, null))
        .hasMessage("the producer for orders is closed");
    closer.join();
  }

  @Test
  void trySendAsksAndTakesTheRecordOnceThePartitionIsKnown() throws InterruptedException {
    try (Producer<String, String> producer = producer().open()) {
      broker.state().grow(2);
      SendStatus status = producer.trySend("k", "v", to(1), 0, null);
      assertThat(status).isEqualTo(SendStatus.METADATA_PENDING);
      while (status == SendStatus.METADATA_PENDING) { // the class has a deadline
        Thread.onSpinWait();
        status = producer.trySend("k", "v", to(1), 0, null);
      }
      assertThat(status).isEqualTo(SendStatus.ACCEPTED);
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(broker.state().stored(1)).containsExactly("v");
  }

  /**
   * A response without brokers is not taken, so it says nothing of the partition. It was once taken for a response that
   * the partition does not exist.
   */
  @Test
  void trySendAsksAgainIfAResponseIsOfNoUse() throws InterruptedException {
    try (Producer<String, String> producer = producer().open()) {
      broker.state().grow(2);
      broker.next(ApiKey.METADATA, exchange -> {
        MetadataResponse useless = broker.state().metadata((MetadataRequest) exchange.request().body());
        useless.brokers(List.of()).topics(List.of());
        exchange.answer(useless::write);
      });
      SendStatus status = SendStatus.METADATA_PENDING;
      while (status == SendStatus.METADATA_PENDING) { // the class has a deadline
        status = producer.trySend("k", "v", to(1), 0, null);
        Thread.onSpinWait();
      }
      assertThat(status).isEqualTo(SendStatus.ACCEPTED);
    }
  }

  @Test
  void trySendToAPartitionThatTheClusterDoesNotHaveIsAnError() throws InterruptedException {
    try (Producer<String, String> producer = producer().open()) {
      assertThat(producer.trySend("k", "v", to(7), 0, null)).isEqualTo(SendStatus.METADATA_PENDING);
      assertThatThrownBy(() -> {
        while (true) { // the class has a deadline
          assertThat(producer.trySend("k", "v", to(7), 0, null)).isEqualTo(SendStatus.METADATA_PENDING);
        }
      }).isInstanceOf(IllegalArgumentException.class)
          .hasMessage("partition 7 was chosen for a record, but orders has partitions 0 to 0");
    }
  }
}
