package dev.decant.fake;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Opens Apache's clients on a fake cluster, for strings. */
final class ApacheClients {
  private ApacheClients() {}

  static KafkaProducer<String, String> producer(FakeCluster cluster, Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(Map.of("bootstrap.servers", cluster.bootstrap(), "linger.ms", 0));
    all.putAll(settings);
    return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
  }

  static KafkaConsumer<String, String> consumer(FakeCluster cluster, Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(
        Map.of("bootstrap.servers", cluster.bootstrap(), "auto.offset.reset", "earliest"));
    all.putAll(settings);
    return new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer());
  }

  /** Closes a consumer whose last fetch waits for a time of the clock, which the end of its session waits for. */
  static void closeInTime(KafkaConsumer<?, ?> consumer, FakeCluster cluster) throws InterruptedException {
    Thread closing = Thread.ofPlatform().daemon(true).start(consumer::close);
    do {
      cluster.clock().advance(Duration.ofSeconds(20));
    } while (!closing.join(Duration.ofMillis(20)));
  }
}
