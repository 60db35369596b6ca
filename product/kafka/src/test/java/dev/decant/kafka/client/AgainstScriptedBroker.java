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
 * The common parts of tests against a scripted broker: the broker, a client, and the end of both. The pools are in
 * checked mode, so a client that keeps memory fails to close.
 */
@Timeout(60)
@ExtendWith(QuietLog.class)
abstract class AgainstScriptedBroker {
  /**
   * Bounds waits that must fail. It is long enough for a response of a broker in the same JVM, and short enough for
   * several waits. A busy machine may take longer, so no step that must succeed has this bound.
   */
  static final Duration SOON = Duration.ofMillis(300);
  /** Bounds a wait that ends much earlier. */
  static final Duration LATER = Duration.ofSeconds(20);

  /** The stages of a failed batch that was sent at least once: it may or may not be in flight again. */
  static final String SENT_BEFORE = "(?s).*stage (retrying|waiting for the response), .*";

  final ScriptedBroker broker;
  final KafkaClient client;

  AgainstScriptedBroker(int partitions, Duration requestTimeout) {
    this(partitions, requestTimeout, true);
  }

  /** Starts with a client that compares the clusters of its connections, or does not. */
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

  /** Makes the client know the topic, so that a step with little time does not have to request its metadata. */
  final void awaitMetadata() throws InterruptedException {
    producer().maxBlock(LATER).open().close();
  }

  final Producer<String, String> producer(Duration deliveryTimeout) throws InterruptedException {
    return producer().deliveryTimeout(deliveryTimeout).maxBlock(deliveryTimeout).open();
  }

  final Consumer<String, String> consumer() {
    return client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.EARLIEST)
        .fetchMaxWait(Duration.ofMillis(100)).open();
  }

  /** Opens a consumer of these partitions, with a bound of records for each poll. */
  final Consumer<String, String> consumer(int most, int... partitions) {
    Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(Duration.ofMillis(100)).maxPollRecords(most).open();
    consumer.assign(ScriptedBroker.TOPIC, partitions);
    return consumer;
  }

  /** Sends these connections, by number, a table of versions without an API, as if it were damaged on its way. */
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

  /** Polls until a poll fails, and collects the values of records before that. */
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

  /** Polls for a number of records, and returns their values. */
  static List<String> read(Consumer<String, String> consumer, int count) throws InterruptedException {
    List<String> values = new ArrayList<>();
    long deadline = System.nanoTime() + LATER.toNanos();
    while (values.size() < count && deadline - System.nanoTime() > 0) {
      consumer.poll(Duration.ofSeconds(1), record -> values.add(String.valueOf(record.value())));
    }
    return values;
  }
}
