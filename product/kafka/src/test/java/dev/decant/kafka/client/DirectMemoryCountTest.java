package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.ProducerBuilder;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.tls.TlsSettings;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests the count of direct memory that a client may take. Each client once counted memory for responses and for TLS in
 * full: five producers in a small process had a warning of an OutOfMemoryError.
 */
class DirectMemoryCountTest {
  private static final long MIB = 1024 * 1024;

  private static KafkaClientBuilder builder() {
    return KafkaClient.builder("127.0.0.1:1").runtimeCheck(false);
  }

  private static ProducerBuilder<String, String> producer(KafkaClient client) {
    return client.producer(Serdes.string(), Serdes.string());
  }

  private static long counted(KafkaClient client) {
    return ((ClientParts) ClientInternals.of(client)).countedDirectBytes();
  }

  @Test
  void clientCountsMemoryForResponsesFromItsFirstConsumerOn() {
    try (KafkaClient client = builder().fetchMemory(5 * MIB).build()) {
      assertThat(counted(client)).isZero();
      for (int i = 0; i < 2; i++) {
        client.consumer(Serdes.string(), Serdes.string()).open().close();
        assertThat(counted(client)).isEqualTo(5 * MIB);
      }
    }
  }

  @Test
  void largestResponseDoesNotCountBeyondTheFetchMemory() {
    try (KafkaClient client = builder().fetchMemory(5 * MIB, 50 * MIB).build()) {
      client.consumer(Serdes.string(), Serdes.string()).open();
      assertThat(counted(client)).isEqualTo(5 * MIB);
      assertThat(client.status().fetchMemory()).isEqualTo(50 * MIB);
    }
  }

  @Test
  void producersCountTheMemoryThatTheyUse() {
    try (KafkaClient client = builder().bufferMemory(7 * MIB).build()) {
      producer(client).bufferMemory(3 * MIB).openForAnyTopic();
      assertThat(counted(client)).as("a producer with memory of its own").isEqualTo(3 * MIB);
      producer(client).openForAnyTopic();
      producer(client).openForAnyTopic();
      assertThat(counted(client)).as("two more, which share").isEqualTo(10 * MIB);
    }
  }

  @Test
  void memoryForTlsCountsAsTenConnectionsTakeIt() {
    try (KafkaClient client = builder().tls(TlsSettings.builder().build()).build()) {
      assertThat(counted(client)).isEqualTo(10 * 192 * 1024);
    }
    try (KafkaClient client = builder().tls(TlsSettings.builder().build()).tlsMemory(MIB).build()) {
      assertThat(counted(client)).isEqualTo(MIB);
    }
  }

  @Test
  void closedClientCountsNothing() {
    KafkaClient client = builder().build();
    ClientParts parts = (ClientParts) ClientInternals.of(client);
    client.consumer(Serdes.string(), Serdes.string()).open();
    producer(client).bufferMemory(3 * MIB).openForAnyTopic();
    client.close();
    assertThat(parts.countedDirectBytes()).isZero();
  }

  @Test
  void boundsAreSettingsWithNamesOfDecantsOwn() {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", "127.0.0.1:1",
        "decant.fetch.memory.bytes", 2 * MIB, "decant.tls.memory.bytes", "3145728",
        "decant.runtime.check.enable", false));
    KafkaClientBuilder builder = KafkaClient.builder(settings);
    assertThat(builder.settings()).containsEntry("decant.fetch.memory.bytes", "2097152")
        .containsEntry("decant.tls.memory.bytes", "3145728").containsEntry("decant.runtime.check.enable", "false");
    try (KafkaClient client = builder.build()) {
      assertThat(client.status().fetchMemory()).as("bounds a single response, too").isEqualTo(2 * MIB);
    }
  }
}
