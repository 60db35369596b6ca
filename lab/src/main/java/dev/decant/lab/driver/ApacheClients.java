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

/** What implements Apache's interfaces in this JVM: Apache's classes or Decant's. The drivers' calls are the same. */
final class ApacheClients {
  private ApacheClients() {}

  static Producer<byte[], byte[]> producer(WorkSpec spec, Map<String, Object> settings) {
    return spec.isDecantApache()
        ? new DecantProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())
        : new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  static Consumer<byte[], byte[]> consumer(WorkSpec spec, Map<String, Object> settings) {
    return spec.isDecantApache()
        ? new DecantConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())
        : new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }
}
