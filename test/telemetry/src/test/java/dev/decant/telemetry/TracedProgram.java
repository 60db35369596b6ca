package dev.decant.telemetry;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;

/**
 * A program written for Apache's clients: a producer, a consumer, and a topology between two topics. Run in a JVM of
 * its own, with the bootstrap servers, both topics, a directory and a file for what it has seen.
 */
public final class TracedProgram {
  /** Records that the producer sends. */
  static final int RECORDS = 5;
  private static final long SECONDS = 60;
  private static final int MORE_THAN_THE_CLIENT_TAKES = 3 << 20;

  private final String bootstrap;
  private final List<String> seen = new ArrayList<>();

  private TracedProgram(String bootstrap) {
    this.bootstrap = bootstrap;
  }

  /**
   * Runs the program.
   *
   * @param arguments as above
   */
  public static void main(String[] arguments) throws Exception {
    TracedProgram program = new TracedProgram(arguments[0]);
    program.run(arguments[1], arguments[2], arguments[3]);
    Files.write(Path.of(arguments[4]), program.seen);
  }

  private void run(String input, String output, String directory) throws Exception {
    send(input);
    read(input, "readers");
    StreamsBuilder builder = new StreamsBuilder();
    builder.<String, String>stream(input).mapValues(value -> value + "!").to(output);
    try (KafkaStreams streams = new KafkaStreams(builder.build(), topology(input, directory))) {
      streams.start();
      read(output, "outside");
    }
  }

  private Properties topology(String input, String directory) {
    Properties settings = new Properties();
    settings.putAll(Map.of("bootstrap.servers", bootstrap, "application.id", "topology-" + input, "client.id",
        "topology", "auto.offset.reset", "earliest", "commit.interval.ms", "100", "default.key.serde",
        Serdes.StringSerde.class, "default.value.serde", Serdes.StringSerde.class, "state.dir", directory));
    return settings;
  }

  /** With a callback, with a future, and once in vain. */
  private void send(String topic) throws Exception {
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(
        Map.of("bootstrap.servers", bootstrap, "client.id", "orders"), new StringSerializer(),
        new StringSerializer())) {
      seen.add("producer " + producer.getClass().getSimpleName());
      for (int i = 0; i < RECORDS; i++) {
        ProducerRecord<String, String> record = new ProducerRecord<>(topic, 0, "key-" + i, "value-" + i);
        if (i % 2 == 0) {
          producer.send(record).get(SECONDS, TimeUnit.SECONDS);
        } else {
          CountDownLatch done = new CountDownLatch(1);
          Future<RecordMetadata> sent = producer.send(record, (metadata, failure) -> done.countDown());
          if (!done.await(SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("no acknowledgement: " + sent);
          }
        }
      }
      try {
        producer.send(new ProducerRecord<>(topic, 0, "large", "x".repeat(MORE_THAN_THE_CLIENT_TAKES)))
            .get(SECONDS, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        seen.add("refused " + Objects.requireNonNull(e.getCause()).getClass().getSimpleName());
      }
    }
  }

  private void read(String topic, String group) throws IOException {
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
        Map.of("bootstrap.servers", bootstrap, "group.id", group, "client.id", group + "-1", "auto.offset.reset",
            "earliest"),
        new StringDeserializer(), new StringDeserializer())) {
      seen.add("consumer " + consumer.getClass().getSimpleName());
      consumer.subscribe(List.of(topic));
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
      int read = 0;
      while (read < RECORDS) {
        if (deadline - System.nanoTime() < 0) {
          throw new IOException("only " + read + " records of " + topic);
        }
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
          read++;
          seen.add(group + " read " + record.key() + " with " + headers(record));
        }
      }
    }
  }

  /** The names of headers, with the text of a trace's in which digits are alike. */
  private static List<String> headers(ConsumerRecord<String, String> record) {
    List<String> all = new ArrayList<>();
    for (Header header : record.headers()) {
      String text = new String(header.value(), StandardCharsets.UTF_8);
      all.add(header.key() + "=" + text.replaceAll("[0-9a-f]{16}", "#"));
    }
    return all;
  }
}
