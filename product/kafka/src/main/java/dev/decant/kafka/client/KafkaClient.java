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
 * One loop, one set of connections and one bound of fetch memory for any number of producers and consumers.
 * Thread-safe. Connects when it is first needed.
 *
 * <p>Close each client. Its I/O thread refers to its parts, so a client that is dropped without {@link #close} is never
 * garbage: its thread, connections and direct memory stay until the JVM ends. It keeps the memory that it has used,
 * some 100 KiB for a client that sends and reads little, and at most {@link KafkaClientBuilder#fetchMemory}, {@link
 * KafkaClientBuilder#bufferMemory} and {@link KafkaClientBuilder#tlsMemory}. Its threads are daemons: the JVM ends
 * without waiting for them, and records that are not acknowledged by then are lost.
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
   * A client with default settings.
   *
   * @param bootstrap {@code host:port[,host:port...]}, Kafka's {@code bootstrap.servers}
   * @return the client, to be closed
   */
  public static KafkaClient connect(String bootstrap) {
    return builder(bootstrap).build();
  }

  /**
   * A client with the settings of a properties file that Apache's clients read: the same as
   * {@link #fromProperties(Map)}.
   *
   * @param properties text or objects by Kafka's names, with their defaults
   * @return the client, to be closed
   * @throws IllegalArgumentException with all problems, a line each
   */
  public static KafkaClient fromProperties(Properties properties) {
    return fromProperties(ClientProperties.entries(properties));
  }

  /**
   * A client with settings under Kafka's names, those of its producers, transactions and consumers included: its
   * builders begin with them, as if their {@code properties} were called first. The page {@code docs/settings.md} says
   * what becomes of each name.
   *
   * @param properties by name, text or an object such as a number, a class or a list; null as if it were not there
   * @return the client, to be closed
   * @throws IllegalArgumentException with all problems, a line each: names that are unknown, refused or not possible
   *     yet, values that are none or out of bounds, and contradictions
   */
  public static KafkaClient fromProperties(Map<String, ?> properties) {
    return builder(properties).build();
  }

  /**
   * Settings for a client, beginning with those of {@link #fromProperties(Map)}.
   *
   * @param properties by name, text or an object such as a number, a class or a list; null as if it were not there
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
   * Settings for a client.
   *
   * @param bootstrap {@code host:port[,host:port...]}, Kafka's {@code bootstrap.servers}
   * @return a builder
   */
  public static KafkaClientBuilder builder(String bootstrap) {
    return new KafkaClientBuilder(bootstrap);
  }

  /**
   * Settings for a producer.
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
   * Settings for transactions.
   *
   * @param transactionalId Kafka's {@code transactional.id}
   * @return a builder
   */
  public TransactionsBuilder transactions(String transactionalId) {
    return properties.begin(new TransactionsBuilder(parts, transactionalId));
  }

  /**
   * Settings for a consumer.
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
   * Where listeners are added.
   *
   * @return of this client and all its producers and consumers
   */
  public KafkaEvents events() {
    return parts.telemetry();
  }

  /**
   * Fills the caller's copy of the statistics. Any thread; nothing waits.
   *
   * @param into takes the figures, and what has changed since it was filled before
   */
  public void statistics(KafkaStatistics into) {
    into.fill(parts.telemetry().counters());
  }

  /**
   * The id of the cluster, as a broker has told it. Any thread.
   *
   * @return empty before the first response of a broker
   */
  public Optional<String> clusterId() {
    return Optional.ofNullable(parts.cluster().snapshot().clusterId());
  }

  /**
   * How each open consumer stands: its partitions with position, end and lag. Any thread; asks nobody and does not
   * wait.
   *
   * @return a snapshot, in no order
   */
  public List<ConsumerStatus> consumers() {
    return parts.consumers();
  }

  /**
   * How the client stands, and what is not well: for probes, also often. Any thread. It waits for nothing and asks no
   * broker; what the client's loop knows is read as the loop has left it.
   *
   * @return a snapshot
   */
  public ClientStatus status() {
    return parts.status();
  }

  /**
   * Keys and trust of the client's connections: to read changed files at once, and to be told of changes.
   *
   * @return empty if connections are not encrypted
   */
  public Optional<TlsContext> tls() {
    return Optional.ofNullable(parts.tlsContext());
  }

  /**
   * The id under which brokers know this client's metrics (KIP-714), for finding them there. A broker gives it once,
   * with the first response about metrics; the client connects if it has no connection yet. Any thread but that of
   * a listener.
   *
   * @param timeout how long to wait for it
   * @return the same in each call
   * @throws InterruptedException if the thread was interrupted
   * @throws IllegalStateException if {@link KafkaClientBuilder#enableMetricsPush} is false, or the client is closed
   * @throws KafkaException if no broker takes metrics, or none has given an id in time
   */
  public Uuid clientInstanceId(Duration timeout) throws InterruptedException {
    return parts.instanceId(Objects.requireNonNull(timeout, "timeout"));
  }

  /**
   * In what ways this JVM does not suit the client, with the memory of all clients and producers of the process that
   * were open at the last check: one is made when a client or a producer is opened. Waits for a check under way, two
   * seconds at most.
   *
   * @return findings; empty when all is well, or the check is off
   */
  public List<Finding> runtimeFindings() {
    return parts.runtimeFindings();
  }

  /**
   * Closes producers and transactions that are still open, all at the same time, then consumers, connections and the
   * loop. What another thread closes already is waited for. The shorter time-out counts: 30 seconds here, ten for a
   * consumer. Called by a listener, it has another thread do so, and does not wait. Another thread's poll ends with an
   * {@link IllegalStateException}, or when its handler has returned; this thread calls the rebalance listener. A poll
   * that does not end within ten seconds is logged, and goes on. Closing the client again does nothing, and does not
   * wait for a thread that is closing: the caller may be a handler whose end that thread waits for.
   */
  @Override
  public void close() {
    parts.close();
  }
}
