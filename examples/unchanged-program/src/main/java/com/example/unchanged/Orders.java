package com.example.unchanged;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A program for Apache's kafka-clients, as anybody has one: it sends ten orders and reads ten. Its build knows of no
 * Decant. Under {@code -javaagent:decant-agent-all.jar} both clients are Decant's.
 */
public final class Orders {
  private static final int ORDERS = 10;
  private static final int TIMEOUT_MS = 10_000;

  private Orders() {}

  /**
   * Sends and reads.
   *
   * @param arguments none; the environment variable KAFKA has the broker's address
   * @throws InterruptedException if the thread is interrupted
   */
  public static void main(String[] arguments) throws InterruptedException {
    String bootstrap = System.getenv().getOrDefault("KAFKA", "localhost:9092");
    try {
      send(bootstrap);
      read(bootstrap);
    } catch (ExecutionException e) { // no broker within ten seconds, or a refusal
      System.err.println("The orders cannot be sent: " + e.getCause().getMessage());
      System.exit(1);
    }
  }

  private static void send(String bootstrap) throws ExecutionException, InterruptedException {
    Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "max.block.ms", TIMEOUT_MS);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      for (int i = 0; i < ORDERS; i++) {
        RecordMetadata stored = producer.send(new ProducerRecord<>("orders", "customer-" + i % 3, "order " + i)).get();
        System.out.println("stored in partition " + stored.partition() + " at offset " + stored.offset());
      }
    }
  }

  private static void read(String bootstrap) {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", bootstrap, "group.id", "unchanged", "auto.offset.reset", "earliest");
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of("orders"));
      int read = 0;
      while (read < ORDERS) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
          System.out.println("read " + record.key() + ": " + record.value());
          read++;
        }
      }
    }
  }
}
