package program;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Writes records and reads them. A test relocates it and its kafka-clients. */
@SuppressWarnings("FutureReturnValueIgnored") // the futures are not needed
public final class Relocated {
  private static final int RECORDS = 10;

  private Relocated() {}

  /**
   * Starts.
   *
   * @param arguments the brokers and a topic
   */
  public static void main(String[] arguments) {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", arguments[0], "group.id", "relocated",
        "auto.offset.reset", "earliest", "client.id", "relocated"));
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings, new StringSerializer(),
        new StringSerializer())) {
      for (int i = 0; i < RECORDS; i++) {
        producer.send(new ProducerRecord<>(arguments[1], "value-" + i));
      }
    }
    List<String> read = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings, new StringDeserializer(),
        new StringDeserializer())) {
      consumer.subscribe(List.of(arguments[1]));
      while (read.size() < RECORDS) {
        for (ConsumerRecord<String, String> entry : consumer.poll(Duration.ofSeconds(1))) {
          read.add(entry.value());
        }
      }
      consumer.commitSync();
      System.out.println("client " + consumer.getClass().getSuperclass().getName());
    }
    System.out.println("read " + String.join(",", read));
  }
}
