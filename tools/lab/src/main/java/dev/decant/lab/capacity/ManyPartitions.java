package dev.decant.lab.capacity;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.AnyTopicProducer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One client with many partitions: the cost of knowing them, of writing to them, and of reading them. */
final class ManyPartitions {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int ROUNDS = 10;
  private static final int VALUE_BYTES = 100;

  private ManyPartitions() {}

  /** Fetches the metadata of all topics, as a client does for a pattern that it applies itself. */
  static String metadata(String bootstrap) throws Exception {
    Responses responses = new Responses();
    try (KafkaClient client = client(bootstrap, responses);
        Consumer<byte[], byte[]> consumer = client.consumer(Serdes.bytes(), Serdes.bytes()).open()) {
      Usage usage = new Usage(responses);
      usage.put("topics", consumer.topics(PATIENCE).size());
      usage.end("first");
      usage.put("topics", consumer.topics(PATIENCE).size());
      usage.end("again");
      usage.kept(client);
      return usage.line();
    }
  }

  /** Sends a record to each partition in each round. The first round finds the leaders and opens the connections. */
  static String produce(String bootstrap, int partitions, Duration idle) throws Exception {
    Responses responses = new Responses();
    try (KafkaClient client = client(bootstrap, responses);
        AnyTopicProducer<byte[], byte[]> producer = client.<byte[], byte[]>producer(Serdes.bytes(), Serdes.bytes())
            .openForAnyTopic()) {
      Usage usage = new Usage(responses);
      write(producer, partitions, 1);
      usage.end("first");
      write(producer, partitions, ROUNDS);
      usage.end("more");
      usage.put("records", (double) partitions * ROUNDS);
      usage.put("produce.responses", (double) responses.count(ApiKey.PRODUCE));
      usage.kept(client);
      Thread.sleep(idle);
      usage.end("idle");
      return usage.line();
    }
  }

  private static void write(AnyTopicProducer<byte[], byte[]> producer, int partitions, int rounds) throws Exception {
    AtomicReference<@Nullable KafkaException> failure = new AtomicReference<>();
    AtomicLong stored = new AtomicLong();
    SendListener listener = new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        stored.incrementAndGet();
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        failure.compareAndSet(null, error);
      }
    };
    SendOptions options = new SendOptions();
    byte[] value = new byte[VALUE_BYTES];
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < partitions; i++) {
        producer.send(Capacity.topic(i / Capacity.PARTITIONS_OF_A_TOPIC), null, value,
            options.partition(i % Capacity.PARTITIONS_OF_A_TOPIC), 0, listener);
      }
    }
    boolean isDone = producer.flush(PATIENCE);
    KafkaException failed = failure.get();
    if (failed != null) {
      throw failed;
    }
    if (!isDone || stored.get() != (long) partitions * rounds) {
      throw new IllegalStateException("stored " + stored + " of " + (long) partitions * rounds);
    }
  }

  /** Reads one record of each partition as a group of one member, and then waits for more. */
  static String consume(String bootstrap, int partitions, Duration idle) throws Exception {
    Responses responses = new Responses();
    try (KafkaClient client = client(bootstrap, responses)) {
      try (AnyTopicProducer<byte[], byte[]> producer = client.<byte[], byte[]>producer(Serdes.bytes(), Serdes.bytes())
          .openForAnyTopic()) {
        write(producer, partitions, 1);
      }
    }
    Responses ofConsumer = new Responses();
    String[] topics = new String[(partitions + Capacity.PARTITIONS_OF_A_TOPIC - 1) / Capacity.PARTITIONS_OF_A_TOPIC];
    for (int i = 0; i < topics.length; i++) {
      topics[i] = Capacity.topic(i);
    }
    try (KafkaClient client = client(bootstrap, ofConsumer);
        Consumer<byte[], byte[]> consumer = client.consumer(Serdes.bytes(), Serdes.bytes()).group("capacity")
            .offsetReset(OffsetReset.EARLIEST).subscribe(topics).open()) {
      Usage usage = new Usage(ofConsumer);
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      long[] read = new long[1];
      while (read[0] < partitions) {
        consumer.poll(Duration.ofMillis(100), one -> read[0]++);
        if (deadline - System.nanoTime() < 0) {
          throw new IllegalStateException("read " + read[0] + " of " + partitions);
        }
      }
      usage.end("first");
      consumer.commit();
      usage.end("commit");
      usage.kept(client);
      long fetches = ofConsumer.count(ApiKey.FETCH);
      long bytes = ofConsumer.bytes(ApiKey.FETCH);
      long end = System.nanoTime() + idle.toNanos();
      while (end - System.nanoTime() > 0) {
        consumer.poll(Duration.ofMillis(100), one -> {});
      }
      usage.put("idle.fetches_s", (ofConsumer.count(ApiKey.FETCH) - fetches) / (double) idle.toSeconds());
      usage.put("idle.fetch_kb_s", (ofConsumer.bytes(ApiKey.FETCH) - bytes) / 1024.0 / idle.toSeconds());
      usage.end("idle");
      return usage.line();
    }
  }

  private static KafkaClient client(String bootstrap, Responses responses) {
    KafkaClient client = KafkaClient.builder(bootstrap).build();
    client.events().watchConnections(responses);
    return client;
  }
}
