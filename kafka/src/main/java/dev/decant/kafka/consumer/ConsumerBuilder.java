package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaClient;
import dev.decant.kafka.serialization.Decoder;
import java.time.Duration;

/**
 * The settings of a consumer, under Kafka's names and with Kafka's defaults. Not thread-safe.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class ConsumerBuilder<K, V> {
  private final KafkaClient client;
  private final Decoder<? extends K> keys;
  private final Decoder<? extends V> values;
  private Duration maxWait = Duration.ofMillis(500);
  private int minBytes = 1;
  private int maxBytes = 32 * 1024 * 1024;
  private int maxPartitionBytes = 1024 * 1024;
  private int maxPollRecords = 500;
  private int maxDecompressedBatch = 64 * 1024 * 1024;
  private OffsetReset reset = OffsetReset.LATEST;

  /**
   * Begins with the defaults.
   *
   * @param client whose loop, connections and fetch memory the consumer will use
   * @param keys decodes keys
   * @param values decodes values
   */
  public ConsumerBuilder(KafkaClient client, Decoder<? extends K> keys, Decoder<? extends V> values) {
    this.client = client;
    this.keys = keys;
    this.values = values;
  }

  /**
   * Kafka's {@code fetch.max.wait.ms}; 500 ms by default.
   *
   * @param value how long a broker may wait for {@code fetchMinBytes}
   * @return this
   */
  public ConsumerBuilder<K, V> fetchMaxWait(Duration value) {
    if (value.isNegative() || value.toMillis() > 25_000) {
      throw new IllegalArgumentException("fetchMaxWait: " + value + " is not within 0 and 25 seconds");
    }
    maxWait = value;
    return this;
  }

  /**
   * Kafka's {@code fetch.min.bytes}; 1 by default.
   *
   * @param bytes a broker waits for so much, within {@code fetchMaxWait}
   * @return this
   */
  public ConsumerBuilder<K, V> fetchMinBytes(int bytes) {
    minBytes = positive("fetchMinBytes", bytes);
    return this;
  }

  /**
   * Kafka's {@code fetch.max.bytes}; 32 MiB by default (Kafka: 50 MiB): half of the client's fetch memory, so that one
   * response can be received while another is consumed.
   *
   * @param bytes bound of a response, but for a larger first batch
   * @return this
   */
  public ConsumerBuilder<K, V> fetchMaxBytes(int bytes) {
    maxBytes = positive("fetchMaxBytes", bytes);
    return this;
  }

  /**
   * Kafka's {@code max.partition.fetch.bytes}; 1 MiB by default.
   *
   * @param bytes bound of one partition's part of a response, but for a larger first batch
   * @return this
   */
  public ConsumerBuilder<K, V> maxPartitionFetchBytes(int bytes) {
    maxPartitionBytes = positive("maxPartitionFetchBytes", bytes);
    return this;
  }

  /**
   * Kafka's {@code max.poll.records}; 500 by default.
   *
   * @param records a poll hands out no more
   * @return this
   */
  public ConsumerBuilder<K, V> maxPollRecords(int records) {
    maxPollRecords = positive("maxPollRecords", records);
    return this;
  }

  /**
   * How large the records of a compressed batch may be once decompressed; 64 MiB by default. Kafka has no such setting.
   * The consumer keeps direct memory for the largest batch it has read; a larger one than this is an error of poll.
   *
   * @param bytes the bound
   * @return this
   */
  public ConsumerBuilder<K, V> maxDecompressedBatch(int bytes) {
    maxDecompressedBatch = positive("maxDecompressedBatch", bytes);
    return this;
  }

  /**
   * Kafka's {@code auto.offset.reset}; LATEST by default.
   *
   * @param value where to begin without a position
   * @return this
   */
  public ConsumerBuilder<K, V> offsetReset(OffsetReset value) {
    reset = value;
    return this;
  }

  private static int positive(String name, int value) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + ": " + value + " is not positive");
    }
    return value;
  }

  /**
   * Opens the consumer; it reads nothing before partitions are assigned.
   *
   * @return the consumer, to be closed
   */
  public Consumer<K, V> open() {
    FetchSettings settings = new FetchSettings((int) maxWait.toMillis(), minBytes, maxBytes, maxPartitionBytes,
        maxPollRecords, reset, maxDecompressedBatch);
    return new Consumer<>(client.internals(), settings, keys, values);
  }
}
