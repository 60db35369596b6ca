package app;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Writes records, reads them in a group, commits, and says which clients have done so. */
@SuppressWarnings("FutureReturnValueIgnored") // what is lost is missed by the reader
public final class Copying {
  private static final int RECORDS = 200;

  private Copying() {}

  /**
   * Runs.
   *
   * @param arguments address of the brokers, topic, compression and more settings as {@code name=value}; or none, to
   *     construct the clients alone
   * @throws Exception of the clients
   */
  public static void main(String[] arguments) throws Exception {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", arguments.length == 0 ? "127.0.0.1:1" : arguments[0]);
    settings.put("compression.type", arguments.length == 0 ? "lz4" : arguments[2]);
    settings.put("key.serializer", StringSerializer.class.getName());
    settings.put("value.serializer", StringSerializer.class.getName());
    settings.put("key.deserializer", StringDeserializer.class.getName());
    settings.put("value.deserializer", StringDeserializer.class.getName());
    settings.put("group.id", "copying");
    settings.put("auto.offset.reset", "earliest");
    settings.put("enable.auto.commit", "false");
    for (int i = 3; i < arguments.length; i++) {
      int end = arguments[i].indexOf('=');
      settings.put(arguments[i].substring(0, end), arguments[i].substring(end + 1));
    }
    KafkaProducer<String, String> producer = new KafkaProducer<>(settings);
    KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings);
    System.out.println("producer " + producer.getClass().getSimpleName());
    System.out.println("consumer " + consumer.getClass().getSimpleName());
    if (arguments.length > 0) {
      write(producer, arguments[1]);
      read(consumer, arguments[1]);
    }
    producer.close(Duration.ofSeconds(arguments.length == 0 ? 0 : 30));
    consumer.close();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("decant-agent-log")) {
        thread.join(10_000);
      }
    }
  }

  private static void write(KafkaProducer<String, String> producer, String topic)
      throws ExecutionException, InterruptedException, TimeoutException {
    for (int i = 0; i < RECORDS; i++) {
      producer.send(new ProducerRecord<>(topic, "key", "value-" + i));
    }
    long offset = producer.send(new ProducerRecord<>(topic, "key", "last")).get(30, TimeUnit.SECONDS).offset();
    System.out.println("stored until " + offset);
  }

  private static void read(KafkaConsumer<String, String> consumer, String topic) {
    consumer.subscribe(List.of(topic));
    Set<String> values = new TreeSet<>();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!values.contains("last") && System.nanoTime() < deadline) {
      for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
        values.add(record.value());
      }
    }
    consumer.commitSync();
    TopicPartition only = new TopicPartition(topic, 0);
    Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(Set.of(only));
    System.out.println("read " + values.size() + ", committed " + committed.get(only).offset());
  }
}
