package dev.decant.kafka.client;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.ProducerBuilder;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.ApiVersionsResponse;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What tests against a scripted broker have in common: the broker, a client, and the end of both. The pools are in
 * checked mode, so a client that keeps memory fails to close.
 */
@Timeout(60)
@ExtendWith(QuietLog.class)
abstract class AgainstScriptedBroker {
  /**
   * Long enough for an answer of a broker in the same JVM, short enough to wait for a few times. A busy machine may
   * take longer: bounds what is expected to fail, and no step that has to succeed.
   */
  static final Duration SOON = Duration.ofMillis(300);
  /** Only to bound a wait that ends much earlier. */
  static final Duration LATER = Duration.ofSeconds(20);

  /** A batch that is given up was sent once at least; whether it is on its way once more is a matter of moments. */
  static final String SENT_BEFORE = "(?s).*stage (retrying|waiting for the response), .*";

  final ScriptedBroker broker;
  final KafkaClient client;

  AgainstScriptedBroker(int partitions, Duration requestTimeout) {
    this(partitions, requestTimeout, true);
  }

  /** With a client that compares the clusters of its connections, or does not. */
  AgainstScriptedBroker(int partitions, Duration requestTimeout, boolean clusterCheck) {
    broker = ScriptedBroker.start(partitions);
    client = KafkaClient.builder(broker.address()).requestTimeout(requestTimeout).connectTimeout(requestTimeout)
        .metadataClusterCheck(clusterCheck).build();
  }

  @AfterEach
  void close() {
    try (broker) {
      client.close();
    }
  }

  final String address() {
    return broker.address();
  }

  final ProducerBuilder<String, String> producer() {
    return client.producer(Serdes.string(), Serdes.string()).topic(ScriptedBroker.TOPIC);
  }

  /** Has the client know the topic, so that a step with little time to wait need not ask for it. */
  final void learnTopic() throws InterruptedException {
    producer().maxBlock(LATER).open().close();
  }

  final Producer<String, String> producer(Duration deliveryTimeout) throws InterruptedException {
    return producer().deliveryTimeout(deliveryTimeout).maxBlock(deliveryTimeout).open();
  }

  final Consumer<String, String> consumer() {
    return client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.EARLIEST)
        .fetchMaxWait(Duration.ofMillis(100)).open();
  }

  /** With so many records a poll at most, and these partitions. */
  final Consumer<String, String> consumer(int most, int... partitions) {
    Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(Duration.ofMillis(100)).maxPollRecords(most).open();
    consumer.assign(ScriptedBroker.TOPIC, partitions);
    return consumer;
  }

  /** Connections of these numbers are told a table of versions without an API, as if it were damaged on its way. */
  final void damageVersions(ApiKey api, int first, int last) {
    broker.always(ApiKey.API_VERSIONS, exchange -> {
      ApiVersionsResponse response = broker.state().apiVersions();
      int connection = exchange.request().connection();
      if (connection >= first && connection <= last) {
        List<ApiVersionsResponse.ApiVersion> spoken = new ArrayList<>(response.apiKeys());
        spoken.removeIf(version -> version.apiKey() == api.id());
        response.apiKeys(spoken);
      }
      exchange.answer(response::write);
    });
  }

  /** Polls until that fails, and collects the values of records that come before. */
  static KafkaException failureOf(Consumer<String, String> consumer, List<String> values)
      throws InterruptedException {
    long deadline = System.nanoTime() + LATER.toNanos();
    while (deadline - System.nanoTime() > 0) {
      try {
        consumer.poll(Duration.ofSeconds(1), record -> values.add(String.valueOf(record.value())));
      } catch (KafkaException e) {
        return e;
      }
    }
    throw new AssertionError("no failure, only " + values);
  }

  /** Polls until there were so many records, and gives their values. */
  static List<String> read(Consumer<String, String> consumer, int count) throws InterruptedException {
    List<String> values = new ArrayList<>();
    long deadline = System.nanoTime() + LATER.toNanos();
    while (values.size() < count && deadline - System.nanoTime() > 0) {
      consumer.poll(Duration.ofSeconds(1), record -> values.add(String.valueOf(record.value())));
    }
    return values;
  }
}
