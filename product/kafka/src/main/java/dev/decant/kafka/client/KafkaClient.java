package dev.decant.kafka.client;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.ConsumerStatus;
import dev.decant.kafka.event.KafkaEvents;
import dev.decant.kafka.internal.InternalsHolder;
import dev.decant.kafka.producer.ProducerBuilder;
import dev.decant.kafka.producer.TransactionsBuilder;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.serialization.Encoder;
import dev.decant.runtime.Finding;
import dev.decant.tls.TlsContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;

/**
 * A Kafka client: one loop, one set of connections and one bound of fetch memory for any number of producers and
 * consumers. Thread-safe. The client connects with its first use.
 *
 * <p>Close each client. Its I/O thread refers to its parts, so a client that is dropped without {@link #close} is never
 * collected. Its thread, connections and direct memory stay until the JVM ends. A client keeps the memory that it has
 * used: some 100 KiB if it sends and reads little. The bounds are {@link KafkaClientBuilder#fetchMemory}, {@link
 * KafkaClientBuilder#bufferMemory} and {@link KafkaClientBuilder#tlsMemory}.
 *
 * <p>The client's threads are daemons. The JVM does not wait for them, and records that are not acknowledged at its end
 * are lost.
 */
public final class KafkaClient extends InternalsHolder implements AutoCloseable {
  private final ClientParts parts;
  private final ClientProperties properties;

  KafkaClient(ClientParts parts, ClientProperties properties) {
    super(parts);
    this.parts = parts;
    this.properties = properties;
  }

  /**
   * Opens a client with default settings.
   *
   * @param bootstrap {@code host:port[,host:port...]}, Kafka's {@code bootstrap.servers}
   * @return the client, to be closed
   */
  public static KafkaClient connect(String bootstrap) {
    return builder(bootstrap).build();
  }

  /**
   * Opens a client with the settings of a properties file for Apache's clients, as {@link #fromProperties(Map)} does.
   *
   * @param properties text or objects by Kafka's names, with their defaults
   * @return the client, to be closed
   * @throws IllegalArgumentException with all problems, a line each
   */
  public static KafkaClient fromProperties(Properties properties) {
    return fromProperties(ClientProperties.entries(properties));
  }

  /**
   * Opens a client with settings under Kafka's names, including those of its producers, transactions and consumers.
   * Their builders begin with these, as if {@code properties} were called first. The page {@code docs/settings.md}
   * describes the treatment of each name.
   *
   * @param properties by name, text or an object such as a number, a class or a list; null counts as absent
   * @return the client, to be closed
   * @throws IllegalArgumentException with all problems, a line each: names that are unknown, refused or not possible
   *     yet, values that are invalid or out of bounds, and contradictions
   */
  public static KafkaClient fromProperties(Map<String, ?> properties) {
    return builder(properties).build();
  }

  /**
   * Makes a builder that begins with the settings of {@link #fromProperties(Map)}.
   *
   * @param properties by name, text or an object such as a number, a class or a list; null counts as absent
   * @return a builder
   * @throws IllegalArgumentException with all problems, a line each
   */
  public static KafkaClientBuilder builder(Map<String, ?> properties) {
    Objects.requireNonNull(properties, "properties");
    KafkaClientBuilder builder = new KafkaClientBuilder("");
    builder.properties(ClientProperties.read(properties, builder));
    return builder;
  }

  /**
   * Makes a builder of a client.
   *
   * @param bootstrap {@code host:port[,host:port...]}, Kafka's {@code bootstrap.servers}
   * @return a builder
   */
  public static KafkaClientBuilder builder(String bootstrap) {
    return new KafkaClientBuilder(bootstrap);
  }

  /**
   * Makes a builder of a producer.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param keys encodes keys
   * @param values encodes values
   * @return a builder
   */
  public <K, V> ProducerBuilder<K, V> producer(Encoder<? super K> keys, Encoder<? super V> values) {
    return properties.begin(new ProducerBuilder<K, V>(parts, keys, values));
  }

  /**
   * Makes a builder of transactions.
   *
   * @param transactionalId Kafka's {@code transactional.id}
   * @return a builder
   */
  public TransactionsBuilder transactions(String transactionalId) {
    return properties.begin(new TransactionsBuilder(parts, transactionalId));
  }

  /**
   * Makes a builder of a consumer.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param keys decodes keys
   * @param values decodes values
   * @return a builder
   */
  public <K, V> ConsumerBuilder<K, V> consumer(Decoder<? extends K> keys, Decoder<? extends V> values) {
    return properties.begin(new ConsumerBuilder<K, V>(parts, keys, values));
  }

  /**
   * Returns the events of this client and of all its producers and consumers, to add listeners.
   *
   * @return the events
   */
  public KafkaEvents events() {
    return parts.telemetry();
  }

  /**
   * Fills the caller's copy of the statistics. Any thread; the call does not wait.
   *
   * @param into takes the figures, and their change since it was last filled
   */
  public void statistics(KafkaStatistics into) {
    into.fill(parts.telemetry().counters());
  }

  /**
   * Returns the id of the cluster, as a broker reported it. Any thread.
   *
   * @return empty before the first response of a broker
   */
  public Optional<String> clusterId() {
    return Optional.ofNullable(parts.cluster().snapshot().clusterId());
  }

  /**
   * Returns the state of each open consumer: its partitions with position, end and lag. Any thread; the call sends no
   * request and does not wait.
   *
   * @return a snapshot, in no order
   */
  public List<ConsumerStatus> consumers() {
    return parts.consumers();
  }

  /**
   * Returns the state of the client and its problems, for probes, even frequent ones. Any thread. The call does not
   * wait and sends no request; it reads the state that the client's loop has left.
   *
   * @return a snapshot
   */
  public ClientStatus status() {
    return parts.status();
  }

  /**
   * Returns the keys and trusted certificates of the client's connections. They can read changed files at once, and
   * have listeners for changes.
   *
   * @return empty if connections are not encrypted
   */
  public Optional<TlsContext> tls() {
    return Optional.ofNullable(parts.tlsContext());
  }

  /**
   * Returns the id under which brokers know this client's metrics (KIP-714). A broker gives it once, with its first
   * response about metrics; the client connects if it has no connection yet. Any thread except that of a listener.
   *
   * @param timeout how long to wait for the id
   * @return the same id in each call
   * @throws InterruptedException if the thread was interrupted
   * @throws IllegalStateException if {@link KafkaClientBuilder#enableMetricsPush} is false, or the client is closed
   * @throws KafkaException if no broker takes metrics, or none has given an id in time
   */
  public Uuid clientInstanceId(Duration timeout) throws InterruptedException {
    return parts.instanceId(Objects.requireNonNull(timeout, "timeout"));
  }

  /**
   * Returns the reasons why this JVM does not suit the client. The check counts the memory of all clients and producers
   * of the process that were open at its time. It runs when a client or a producer is opened. The call waits for a
   * running check, two seconds at most.
   *
   * @return findings; empty if there are none, or the check is off
   */
  public List<Finding> runtimeFindings() {
    return parts.runtimeFindings();
  }

  /**
   * Closes the client. Producers and transactions that are still open are closed at the same time, then consumers,
   * connections and the loop. The call also waits for parts that another thread is closing. The shorter timeout counts:
   * 30 seconds here, ten for a consumer.
   *
   * <p>A listener that calls this has another thread close the client, and does not wait. The poll of another thread
   * ends with an {@link IllegalStateException}, or when its handler has returned. This thread calls the rebalance
   * listener. A poll that does not end within ten seconds is logged, and continues.
   *
   * <p>A second close does nothing and does not wait: its caller may be a handler whose end the closing thread waits
   * for.
   */
  @Override
  public void close() {
    parts.close();
  }
}
