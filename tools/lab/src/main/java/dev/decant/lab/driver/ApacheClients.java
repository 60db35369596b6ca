package dev.decant.lab.driver;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Opens what implements Apache's interfaces in this JVM: Apache's classes or Decant's. All calls after that are the
 * same.
 */
final class ApacheClients {
  private ApacheClients() {}

  static Producer<byte[], byte[]> producer(WorkSpec spec, Map<String, Object> settings) {
    if (spec.isDecantApache()) {
      return new DecantProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }
    return checked(spec, new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()),
        KafkaProducer.class);
  }

  static Consumer<byte[], byte[]> consumer(WorkSpec spec, Map<String, Object> settings) {
    if (spec.isDecantApache()) {
      return new DecantConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }
    return checked(spec, new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer()),
        KafkaConsumer.class);
  }

  /**
   * Fails if the agent has not replaced Apache's class, or has replaced it unasked: one client would be measured under
   * the other's name.
   */
  private static <C extends AutoCloseable> C checked(WorkSpec spec, C client, Class<?> apaches) {
    boolean isApaches = client.getClass().equals(apaches);
    if (isApaches == spec.isUnderAgent()) {
      throw new IllegalStateException(spec.client() + " runs by " + client.getClass().getName()
          + "; is the agent switched off by a system property?");
    }
    return client;
  }
}
