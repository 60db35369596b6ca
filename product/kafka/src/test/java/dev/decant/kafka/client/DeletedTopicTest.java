package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.AnyTopicProducer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.serialization.Serdes;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests a topic that is deleted after a producer wrote to it, where brokers create requested topics. */
@Timeout(60)
@ExtendWith(QuietLog.class)
class DeletedTopicTest {
  private final ScriptedBroker broker = ScriptedBroker.start(1);
  private final KafkaClient client = KafkaClient.builder(broker.address()).allowAutoCreateTopics(true).build();
  private final AnyTopicProducer<String, String> producer = client
      .<String, String>producer(Serdes.string(), Serdes.string()).openForAnyTopic();

  @AfterEach
  void close() {
    try (broker) {
      client.close();
    }
  }

  private static MetadataRequest body(Request request) {
    return (MetadataRequest) request.body();
  }

  private static boolean creates(Request request) {
    return body(request).allowAutoTopicCreation() && Objects.requireNonNull(body(request).topics()).stream()
        .anyMatch(t -> ScriptedBroker.TOPIC.equals(t.name()));
  }

  /** Returns the requests that follow. An update joins a request that is under way, so updates are repeated. */
  private List<Request> renewMetadata() {
    int before = broker.requests(ApiKey.METADATA).size();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    List<Request> all = broker.requests(ApiKey.METADATA);
    while (all.size() == before && System.nanoTime() < deadline) {
      ClientInternals.of(client).loop().execute(ClientInternals.of(client).cluster()::requestUpdate);
      LockSupport.parkNanos(1_000_000);
      all = broker.requests(ApiKey.METADATA);
    }
    return all.subList(before, all.size());
  }

  /**
   * Every request for metadata once created it again: the client requested all topics that it knew, and let brokers
   * create them.
   */
  @Test
  void itIsNotCreatedAgainByALookForMetadata() throws InterruptedException {
    producer.sendAndWait(ScriptedBroker.TOPIC, "k", "v");
    assertThat(broker.requests(ApiKey.METADATA)).as("the first record may create it")
        .anyMatch(DeletedTopicTest::creates);
    broker.state().delete();
    for (int i = 0; i < 3; i++) {
      assertThat(renewMetadata()).isNotEmpty().noneMatch(DeletedTopicTest::creates);
    }
  }

  @Test
  void nextRecordMayCreateItAgain() throws InterruptedException {
    producer.sendAndWait(ScriptedBroker.TOPIC, "k", "v");
    broker.state().delete();
    assertThat(renewMetadata()).isNotEmpty();
    producer.trySend(ScriptedBroker.TOPIC, "k", "v", null, 0, null);
    broker.await(ApiKey.METADATA, all -> creates(all.getLast()));
    producer.purge();
  }
}
