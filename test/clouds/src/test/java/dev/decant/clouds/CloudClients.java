package dev.decant.clouds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Programs with the settings of a cloud's documents. */
final class CloudClients {
  /** That of the scripted broker. */
  static final String TOPIC = "orders";
  private static final Duration LATER = Duration.ofSeconds(30);

  private CloudClients() {}

  static Map<String, Object> settings(String bootstrap, String mechanism, String jaas, String... more) {
    Map<String, Object> all = new HashMap<>(Map.of("bootstrap.servers", bootstrap, "security.protocol",
        "SASL_PLAINTEXT", "sasl.mechanism", mechanism, "sasl.jaas.config", jaas));
    for (String side : new String[] {"key", "value"}) {
      all.put(side + ".serializer", StringSerializer.class);
      all.put(side + ".deserializer", StringDeserializer.class);
    }
    for (int i = 0; i < more.length; i += 2) {
      all.put(more[i], more[i + 1]);
    }
    return all;
  }

  static void send(Map<String, Object> settings) throws Exception {
    try (Producer<String, String> producer = new DecantProducer<>(settings)) {
      producer.send(new ProducerRecord<>(TOPIC, "k", "v")).get();
    }
  }

  static void sendAndRead(Map<String, Object> settings) throws Exception {
    send(settings);
    try (Consumer<String, String> consumer = new DecantConsumer<>(settings)) {
      TopicPartition partition = new TopicPartition(TOPIC, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      List<ConsumerRecord<String, String>> records = List.of();
      while (records.isEmpty()) {
        records = consumer.poll(LATER).records(partition);
      }
      assertThat(records.getFirst().value()).isEqualTo("v");
    }
  }
}
