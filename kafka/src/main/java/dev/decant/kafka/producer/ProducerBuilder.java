package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaClient;
import dev.decant.kafka.serialization.Encoder;
import java.time.Duration;

/**
 * The settings of a producer, under Kafka's names. Not thread-safe.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class ProducerBuilder<K, V> {

  private final KafkaClient client;
  private final Encoder<? super K> keys;
  private final Encoder<? super V> values;
  private String topic = "";
  private Acks acks = Acks.ALL;
  private boolean idempotent = true;
  private Duration linger = Duration.ZERO;
  private int batchSize = 16 * 1024;
  private long bufferMemory = 32L * 1024 * 1024;
  private int maxRequestSize = 1024 * 1024;
  private Duration maxBlock = Duration.ofMinutes(1);
  private Duration deliveryTimeout = Duration.ofMinutes(2);

  /**
   * Begins with Kafka's defaults, but for {@code linger}, which is 0.
   *
   * @param client whose loop and connections the producer will use
   * @param keys encodes keys
   * @param values encodes values
   */
  public ProducerBuilder(KafkaClient client, Encoder<? super K> keys, Encoder<? super V> values) {
    this.client = client;
    this.keys = keys;
    this.values = values;
  }

  /**
   * Where to write. Must be set.
   *
   * @param name the topic
   * @return this
   */
  public ProducerBuilder<K, V> topic(String name) {
    if (name.isBlank()) {
      throw new IllegalArgumentException("topic: the name is empty");
    }
    topic = name;
    return this;
  }

  /**
   * Kafka's {@code acks}; ALL by default. Idempotence needs ALL: see {@link #idempotence}.
   *
   * @param value who must have a record before it counts as stored
   * @return this
   */
  public ProducerBuilder<K, V> acks(Acks value) {
    acks = value;
    return this;
  }

  /**
   * Kafka's {@code enable.idempotence}; on by default. No duplicates and no disorder by retries.
   *
   * @param enabled off is needed for acks other than ALL
   * @return this
   */
  public ProducerBuilder<K, V> idempotence(boolean enabled) {
    idempotent = enabled;
    return this;
  }

  /**
   * Kafka's {@code linger.ms}; 0 by default: batches form by themselves while another one is in flight.
   *
   * @param value how long a batch waits for more records
   * @return this
   */
  public ProducerBuilder<K, V> linger(Duration value) {
    linger = notNegative("linger", value);
    return this;
  }

  /**
   * Kafka's {@code batch.size}; 16 KiB by default.
   *
   * @param bytes a batch of more than one record is not larger
   * @return this
   */
  public ProducerBuilder<K, V> batchSize(int bytes) {
    batchSize = atLeast("batchSize", bytes, 1);
    return this;
  }

  /**
   * Kafka's {@code buffer.memory}; 32 MiB by default. Direct memory, taken as it is needed.
   *
   * @param bytes the bound
   * @return this
   */
  public ProducerBuilder<K, V> bufferMemory(long bytes) {
    bufferMemory = atLeast("bufferMemory", Math.toIntExact(Math.min(bytes, Integer.MAX_VALUE)), 256 * 1024);
    bufferMemory = bytes;
    return this;
  }

  /**
   * Kafka's {@code max.request.size}; 1 MiB by default.
   *
   * @param bytes bound of a request, and of a record
   * @return this
   */
  public ProducerBuilder<K, V> maxRequestSize(int bytes) {
    maxRequestSize = atLeast("maxRequestSize", bytes, 1024);
    return this;
  }

  /**
   * Kafka's {@code max.block.ms}; 60 s by default: how long {@code open} waits for metadata and {@code send} for
   * memory.
   *
   * @param value the bound
   * @return this
   */
  public ProducerBuilder<K, V> maxBlock(Duration value) {
    maxBlock = notNegative("maxBlock", value);
    return this;
  }

  /**
   * Kafka's {@code delivery.timeout.ms}; 120 s by default: from the first record of a batch to its acknowledgement, all
   * retries included.
   *
   * @param value the bound
   * @return this
   */
  public ProducerBuilder<K, V> deliveryTimeout(Duration value) {
    deliveryTimeout = notNegative("deliveryTimeout", value);
    return this;
  }

  private static Duration notNegative(String name, Duration value) {
    if (value.isNegative()) {
      throw new IllegalArgumentException(name + ": " + value + " is negative");
    }
    return value;
  }

  private static int atLeast(String name, int value, int least) {
    if (value < least) {
      throw new IllegalArgumentException(name + ": " + value + " is less than " + least);
    }
    return value;
  }

  /**
   * Checks the settings, waits for the topic's metadata and opens the producer.
   *
   * @return the producer, to be closed
   * @throws IllegalArgumentException when a setting is missing or contradicts another
   * @throws dev.decant.kafka.KafkaException when the topic does not exist or no broker answers within {@code maxBlock}
   * @throws InterruptedException if the thread was interrupted
   */
  public Producer<K, V> open() throws InterruptedException {
    if (topic.isEmpty()) {
      throw new IllegalArgumentException("topic: a producer needs one");
    }
    if (idempotent && acks != Acks.ALL) {
      throw new IllegalArgumentException(
          "acks: " + acks + " contradicts idempotence, which needs ALL; switch one of them: idempotence(false)");
    }
    ProducerSettings settings = new ProducerSettings(topic, acks, idempotent, linger.toNanos(), batchSize,
        maxRequestSize, maxBlock.toNanos(), deliveryTimeout.toNanos(), 30_000);
    return Producer.open(client.internals(), settings, bufferMemory, keys, values);
  }
}
