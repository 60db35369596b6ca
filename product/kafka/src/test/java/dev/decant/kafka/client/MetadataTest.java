package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Tests when the client requests metadata, and of which topics. */
@SuppressWarnings("try") // an open resource may serve its block without being named in it
class MetadataTest extends AgainstScriptedBroker {
  MetadataTest() {
    super(2, LATER);
  }

  private static List<String> topics(Request request) {
    MetadataRequest asked = (MetadataRequest) request.body();
    return Objects.requireNonNull(asked.topics()).stream().map(t -> String.valueOf(t.name())).toList();
  }

  /** Returns when the loop has handled all calls of this thread. */
  private void awaitRounds() throws InterruptedException {
    for (int i = 0; i < 2; i++) {
      CountDownLatch done = new CountDownLatch(1);
      ClientInternals.of(client).loop().execute(done::countDown);
      done.await();
    }
  }

  /** The topic was once forgotten until the next regular request, five minutes later. */
  @Test
  void topicThatIsAddedWhileAResponseIsOnItsWayIsRequestedRightAfter() throws InterruptedException {
    CountDownLatch permission = new CountDownLatch(1);
    broker.next(ApiKey.METADATA, Script.after(permission, Script.STANDARD));
    try (Producer<String, String> unused = producer().openAtOnce()) {
      broker.await(ApiKey.METADATA, 1);
      try (Producer<String, String> unusedToo = client.producer(Serdes.string(), Serdes.string()).topic("another")
          .openAtOnce()) {
        awaitRounds();
        assertThat(broker.requests(ApiKey.METADATA)).as("one at a time").hasSize(1);
        permission.countDown();
        List<Request> asked = broker.await(ApiKey.METADATA, 2);
        assertThat(topics(asked.get(0))).containsExactly(ScriptedBroker.TOPIC);
        assertThat(topics(asked.get(1))).as("what is new alone").containsExactly("another");
      }
    }
  }

  /** Metadata that was missing before the response was once requested again with the next connection. */
  @Test
  void responseThatSaysEverythingIsEnough() throws InterruptedException {
    broker.state().store(0, "a");
    CountDownLatch permission = new CountDownLatch(1);
    broker.next(ApiKey.METADATA, Script.after(permission, Script.STANDARD));
    try (Consumer<String, String> consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      broker.await(ApiKey.METADATA, 1);
      consumer.assign(ScriptedBroker.TOPIC, 0, 1); // needs a leader, and finds no metadata
      awaitRounds();
      permission.countDown();
      assertThat(read(consumer, 1)).containsExactly("a");
    }
    assertThat(broker.requests(ApiKey.METADATA)).hasSize(1);
  }

  /** Its records once failed, and the partition that came back began with numbers that the broker had. */
  @Test
  void brokerThatLagsBehindTakesNoPartitionAway() throws InterruptedException {
    try (Producer<String, String> producer = producer().partitioner((topic, key, partitions) -> 1)
        .linger(Duration.ofSeconds(15))
        .open()) {
      broker.next(ApiKey.METADATA, exchange -> {
        MetadataResponse behind = broker.state().metadata((MetadataRequest) exchange.request().body());
        behind.topics().forEach(topic -> topic.partitions(topic.partitions().subList(0, 1)));
        exchange.answer(behind::write);
      });
      producer.send("k", "waits");
      int before = broker.requests(ApiKey.METADATA).size();
      ClientInternals.of(client).loop().execute(() -> ClientInternals.of(client).cluster().requestUpdate());
      broker.await(ApiKey.METADATA, before + 2); // a response with too few partitions is followed by another request
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(broker.state().stored(1)).containsExactly("waits");
  }

  /** The cause was a NullPointerException without a word of the topic. */
  @Test
  void metadataThatNamesAPartitionTwiceIsAnErrorThatSaysSo() {
    broker.always(ApiKey.METADATA, exchange -> {
      MetadataResponse twice = broker.state().metadata((MetadataRequest) exchange.request().body());
      twice.topics().forEach(topic -> topic.partitions().forEach(partition -> partition.partitionIndex(0)));
      exchange.answer(twice::write);
    });
    assertThatThrownBy(() -> producer().maxBlock(Duration.ofSeconds(2)).open())
        .isInstanceOf(KafkaTimeoutException.class)
        .hasStackTraceContaining("metadata of topic orders names partition 0 twice");
  }
}
