package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.TopicName;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Encoder;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes records to any topics, each named with its record. {@link ProducerBuilder#openForAnyTopic} opens one.
 * Thread-safe, as a {@link Producer} is.
 *
 * <p>It opens a {@link Producer} with the first record for a topic, and closes it once the topic was idle for
 * {@code metadata.max.idle.ms} and another topic is opened. All producers share the client's connections and sender,
 * one memory and one compression. With {@link ProducerBuilder#transactions} records for all topics belong to the open
 * transaction.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class AnyTopicProducer<K, V> implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);
  /** Searches for idle producers per {@code metadata.max.idle.ms}, while topics are opened. */
  private static final int LOOKS_WHILE_IDLE = 5;

  private final ClientInternals client;
  private final ProducerSettings settings;
  private final ProducerMemory memory;
  private final Encoder<? super K> keys;
  private final Encoder<? super V> values;
  /** The open producers by topic. Changed under the monitor, read by any thread. */
  private final Map<String, Producer<K, V>> byTopic = new ConcurrentHashMap<>();
  /** Time of the last search for idle producers. Under the monitor. */
  private long lookedNanos;
  /** Written under the monitor, read by any thread. */
  private volatile boolean closed;
  /** True once the memory of all topics was given back. Written by the owner of the loop, read by any thread. */
  private volatile boolean finished;

  AnyTopicProducer(ClientInternals client, ProducerSettings settings, long ownMemory, Encoder<? super K> keys,
      Encoder<? super V> values) {
    this.client = client;
    this.settings = settings;
    this.keys = keys;
    this.values = values;
    this.memory = ProducerMemory.open(client, settings, ownMemory);
    this.lookedNanos = client.loop().clock().nanoTime();
  }

  AnyTopicProducer<K, V> started() {
    try {
      client.register(this);
    } catch (IllegalStateException e) { // the client was closed just now
      memory.release();
      throw e;
    }
    client.addDirectMemory(memory.directBytes());
    return this;
  }

  /**
   * Sends a record without a listener. Waits for the metadata of a new topic and while the memory is full, each for
   * {@code max.block.ms} at most.
   *
   * @param topic where it goes
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @throws KafkaException when the producer is closed, the topic does not exist, the record is too large, or the time
   *     was not enough
   * @throws IllegalArgumentException if no broker would take the topic's name
   * @throws IllegalStateException if it would have to wait within a listener: use {@link #trySend} there
   */
  public void send(String topic, @Nullable K key, @Nullable V value) {
    sendTo(topic, key, value, null, 0, null);
  }

  /**
   * Sends a record, and calls a listener with the outcome. Waits as {@link #send(String, Object, Object)} does.
   *
   * @param topic where it goes
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @param tag given to the listener
   * @param listener called exactly once, on the owner of the loop, unless this call throws
   * @throws KafkaException when the producer is closed, the topic does not exist, the record is too large, or the time
   *     was not enough
   * @throws IllegalArgumentException if no broker would take the topic's name
   * @throws IllegalStateException if it would have to wait within a listener: use {@link #trySend} there
   */
  public void send(String topic, @Nullable K key, @Nullable V value, long tag, SendListener listener) {
    sendTo(topic, key, value, null, tag, Objects.requireNonNull(listener, "listener"));
  }

  /**
   * Sends a record with headers, or to a partition or with a timestamp of the caller's choice. Waits as
   * {@link #send(String, Object, Object)} does, and for a partition that is not known.
   *
   * @param topic where it goes
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @param options headers, partition, timestamp; null for none
   * @param tag given to the listener
   * @param listener called exactly once, on the owner of the loop, unless this call throws; null for none
   * @throws KafkaException when the producer is closed, the topic does not exist, the record is too large, or the time
   *     was not enough
   * @throws IllegalArgumentException if no broker would take the topic's name
   * @throws IllegalStateException if it would have to wait within a listener: use {@link #trySend} there
   */
  public void send(String topic, @Nullable K key, @Nullable V value, @Nullable SendOptions options, long tag,
      @Nullable SendListener listener) {
    sendTo(topic, key, value, options, tag, listener);
  }

  private void sendTo(String topic, @Nullable K key, @Nullable V value, @Nullable SendOptions options, long tag,
      @Nullable SendListener listener) {
    Producer<K, V> open = opened(topic);
    while (true) {
      try {
        open.send(key, value, options, tag, listener);
        return;
      } catch (RetiredException e) { // the record was not taken
        open = reopened(topic, open);
      }
    }
  }

  /**
   * Sends a record if there is room for it now; never waits. Records for a topic whose metadata is not known yet are
   * kept, as with {@link ProducerBuilder#openAtOnce}.
   *
   * @param topic where it goes
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @param options headers, partition, timestamp; null for none
   * @param tag given to the listener
   * @param listener called exactly once if the record was accepted; null for none
   * @return the outcome
   * @throws KafkaException when the producer is closed or the record too large
   * @throws IllegalArgumentException if no broker would take the topic's name, or the cluster was asked for the
   *     partition and does not have it
   */
  public SendStatus trySend(String topic, @Nullable K key, @Nullable V value, @Nullable SendOptions options, long tag,
      @Nullable SendListener listener) {
    Producer<K, V> known = byTopic.get(Objects.requireNonNull(topic, "topic"));
    while (true) {
      Producer<K, V> open = known == null ? openAtOnce(topic) : known;
      try {
        return open.trySend(key, value, options, tag, listener);
      } catch (RetiredException e) { // the record was not taken
        byTopic.remove(topic, open);
        known = null;
      }
    }
  }

  /**
   * Sends a record and waits until it is stored. A platform thread does the waiting work itself.
   *
   * @param topic where it goes
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @return where it is
   * @throws KafkaException what prevented it
   * @throws IllegalArgumentException if no broker would take the topic's name
   * @throws IllegalStateException within a listener: use {@link #trySend} there
   * @throws InterruptedException if the thread was interrupted; the record may still be stored
   */
  public Ack sendAndWait(String topic, @Nullable K key, @Nullable V value) throws InterruptedException {
    return sendAndWait(topic, key, value, null);
  }

  /**
   * Sends a record with options and waits until it is stored.
   *
   * @param topic where it goes
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @param options headers, partition, timestamp; null for none
   * @return where it is
   * @throws KafkaException what prevented it
   * @throws IllegalArgumentException if no broker would take the topic's name
   * @throws IllegalStateException within a listener: use {@link #trySend} there
   * @throws InterruptedException if the thread was interrupted; the record may still be stored
   */
  public Ack sendAndWait(String topic, @Nullable K key, @Nullable V value, @Nullable SendOptions options)
      throws InterruptedException {
    Producer<K, V> open = opened(topic);
    while (true) {
      try {
        return open.sendAndWait(key, value, options);
      } catch (RetiredException e) { // the record was not taken
        open = reopened(topic, open);
      }
    }
  }

  /**
   * Sends a record and returns a future that ends with its outcome. Waits as {@link #send(String, Object, Object)}
   * does. It allocates; {@link #send(String, Object, Object, long, SendListener)} does not.
   *
   * @param topic where it goes
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @param options headers, partition, timestamp; null for none
   * @return completed by the owner of the client's loop, as that of {@link Producer#sendAsync}
   * @throws KafkaException when the producer is closed, the topic does not exist, the record is too large, or the time
   *     was not enough
   * @throws IllegalArgumentException if no broker would take the topic's name
   * @throws IllegalStateException if it would have to wait within a listener: use {@link #trySend} there
   */
  public CompletableFuture<Ack> sendAsync(String topic, @Nullable K key, @Nullable V value,
      @Nullable SendOptions options) {
    AckStage stage = new AckStage();
    sendTo(topic, key, value, options, 0, stage);
    return stage.future();
  }

  /**
   * The topics that records were sent to, but for those that were idle for long.
   *
   * @return a copy, in no order
   */
  public Set<String> topics() {
    return Set.copyOf(byTopic.keySet());
  }

  /**
   * How many partitions of a topic take records now. Does not wait, and asks for nothing.
   *
   * @param topic of which a record was sent
   * @return 0 if none was sent, or if the partitions are not known yet
   */
  public int partitions(String topic) {
    Producer<K, V> known = byTopic.get(Objects.requireNonNull(topic, "topic"));
    return known == null ? 0 : known.core().partitions();
  }

  private Producer<K, V> opened(String topic) {
    Producer<K, V> known = byTopic.get(Objects.requireNonNull(topic, "topic"));
    return known == null ? openSlowPath(topic) : known;
  }

  private Producer<K, V> reopened(String topic, Producer<K, V> retired) {
    byTopic.remove(topic, retired);
    return opened(topic);
  }

  /** Waits for metadata beside other threads, then opens the producer or takes the one that another thread opened. */
  private Producer<K, V> openSlowPath(String topic) {
    requireOpen();
    TopicName.requireLegal(topic);
    try {
      client.cluster().awaitTopic(topic, client.loop().clock().nanoTime() + settings.maxBlockNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException(ErrorCode.NONE,
          "send to " + topic + " was interrupted while its metadata was not known yet", e);
    }
    return open(topic);
  }

  private Producer<K, V> openAtOnce(String topic) {
    requireOpen();
    TopicName.requireLegal(topic);
    client.loop().execute(() -> {
      client.cluster().keepTopic(topic);
      client.cluster().addTopic(topic);
    });
    return open(topic);
  }

  private synchronized Producer<K, V> open(String topic) {
    requireOpen();
    Producer<K, V> known = byTopic.get(topic);
    if (known == null) {
      known = Producer.openAtOnce(client, settings.forTopic(topic), memory.share(), keys, values);
      byTopic.put(topic, known);
      retireIdle();
    }
    return known;
  }

  /** Closes producers of idle topics. Without it, memory would grow without end while topics come and go. */
  private void retireIdle() {
    long now = client.loop().clock().nanoTime();
    long idle = client.cluster().metadataMaxIdleNanos();
    if (now - lookedNanos < idle / LOOKS_WHILE_IDLE) {
      return;
    }
    lookedNanos = now;
    client.loop().execute(() -> byTopic.values().removeIf(producer -> producer.core().retireIfIdle(idle)));
  }

  private void requireOpen() {
    if (closed) {
      throw new KafkaException(ErrorCode.NONE, "the producer is closed");
    }
  }

  /**
   * Sends the records of all topics now, whatever the linger, and waits until each is acknowledged or has failed.
   *
   * @param timeout how long to wait
   * @return false if the time was not enough
   * @throws IllegalStateException within a listener, which would wait for itself
   * @throws InterruptedException if the thread was interrupted
   */
  public boolean flush(Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    if (client.loop().isOwner()) {
      throw new IllegalStateException("flush: not from within a listener, it waits for what listeners hold up");
    }
    return flush(List.copyOf(byTopic.values()), Timeouts.deadline(client.loop().clock().nanoTime(), timeout));
  }

  /** Flushes all topics together, so that none waits for the linger of another one. */
  private static <K, V> boolean flush(List<Producer<K, V>> producers, long deadlineNanos)
      throws InterruptedException {
    List<FlushWait> waits = new ArrayList<>(producers.size());
    try {
      for (Producer<K, V> producer : producers) {
        waits.add(producer.core().beginFlush());
      }
      for (int i = 0; i < waits.size(); i++) {
        if (!producers.get(i).core().awaitFlush(waits.get(i), deadlineNanos)) {
          return false;
        }
      }
      return true;
    } finally {
      for (int i = 0; i < waits.size(); i++) {
        producers.get(i).core().endFlush(waits.get(i));
      }
    }
  }

  /**
   * Fails the records of all topics that are not in flight, as {@link Producer#purge} does.
   *
   * @throws KafkaException when the producer is closed
   */
  public void purge() {
    requireOpen();
    byTopic.values().forEach(producer -> {
      try {
        producer.purge();
      } catch (RetiredException e) {
        // a producer that retired has no records
      }
    });
  }

  /** Sends all records, waits up to 30 seconds for them, and closes. Records that are left then fail. */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /**
   * Sends all records and closes. Records that are not acknowledged in time fail, and their listeners are called. A
   * call from within a listener does not wait: records that are not acknowledged have failed when it returns. If
   * several threads close, each waits for the end, and the shortest of their time-outs counts.
   *
   * @param timeout how long to wait; with zero nothing more is sent
   */
  public void close(Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    if (finished) {
      return;
    }
    List<Producer<K, V>> closing = beginClose();
    try {
      if (!timeout.isZero() && !client.loop().isOwner()) {
        flush(closing, Timeouts.deadline(client.loop().clock().nanoTime(), timeout));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closing.forEach(producer -> producer.core().finishClose());
    if (!finished) {
      client.runOnLoop(this::finishOnLoop);
    }
  }

  private void finishOnLoop() {
    if (!finished) {
      finished = true;
      client.removeDirectMemory(memory.directBytes());
      client.unregister(this);
      memory.release(); // the pools close with the last batch of the last topic
    }
  }

  /** No topic takes records from now on. */
  private synchronized List<Producer<K, V>> beginClose() {
    closed = true;
    byTopic.values().forEach(producer -> producer.core().beginClose());
    return List.copyOf(byTopic.values());
  }
}
