package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.serialization.Encoder;
import dev.decant.time.Clock;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Writes records to one topic. Thread-safe: any number of threads may send at once, without a lock per record.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class Producer<K, V> implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  /** Copy of {@code settings.topic()}: saves a load per send. */
  private final String topicName;
  private final ClientInternals client;
  private final Clock clock;
  private final ProducerSettings settings;
  private final Encoder<? super K> keys;
  private final Encoder<? super V> values;
  private final ProducerCore core;
  // Parts of the core: each saves a load per send.
  private final ProducerState state;
  private final PartitionRouter router;
  private final UnplacedRecords unplaced;
  private final SendWaits waits;
  private final PendingRecords records;
  private final PendingAcks pendingAcks;

  private Producer(ClientInternals client, ProducerSettings settings, ProducerMemory parts, Encoder<? super K> keys,
      Encoder<? super V> values) {
    this.client = client;
    this.clock = client.loop().clock();
    this.settings = settings;
    this.topicName = settings.topic();
    this.keys = keys;
    this.values = values;
    this.core = new ProducerCore(this, client, settings, parts);
    this.state = core.state;
    this.router = core.router;
    this.unplaced = core.unplaced;
    this.waits = core.waits;
    this.records = client.shared(PendingRecords.class, PendingRecords::new);
    this.pendingAcks = new PendingAcks(client.loop());
  }

  /** Opens a producer once the topic's partitions are known. */
  static <K, V> Producer<K, V> open(ClientInternals client, ProducerSettings settings, long ownMemory,
      Encoder<? super K> keys, Encoder<? super V> values) throws InterruptedException {
    ProducerMemory memory = ProducerMemory.open(client, settings, ownMemory);
    try {
      client.cluster().awaitTopic(settings.topic(), client.loop().clock().nanoTime() + settings.maxBlockNanos());
    } catch (Throwable e) {
      memory.release();
      throw e;
    }
    return openAtOnce(client, settings, memory, keys, values);
  }

  /** Opens a producer that may not know the topic's partitions yet. */
  static <K, V> Producer<K, V> openAtOnce(ClientInternals client, ProducerSettings settings, long ownMemory,
      Encoder<? super K> keys, Encoder<? super V> values) {
    ProducerMemory memory = ProducerMemory.open(client, settings, ownMemory);
    client.loop().execute(() -> {
      client.cluster().keepTopic(settings.topic());
      client.cluster().addTopic(settings.topic());
    });
    return openAtOnce(client, settings, memory, keys, values);
  }

  /** Opens a producer of a topic that was asked for already. Waits for nothing. */
  static <K, V> Producer<K, V> openAtOnce(ClientInternals client, ProducerSettings settings, ProducerMemory memory,
      Encoder<? super K> keys, Encoder<? super V> values) {
    try {
      Producer<K, V> producer = new Producer<>(client, settings, memory, keys, values);
      producer.core.start();
      return producer;
    } catch (Throwable e) { // for instance because its transactions have failed
      memory.release();
      throw e;
    }
  }

  /** Returns the part that does not depend on the types of records. */
  ProducerCore core() {
    return core;
  }

  /**
   * Sends a record without a listener. Waits while the memory is full.
   *
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @throws KafkaException when the producer is closed, the record too large, or no memory is released in time
   * @throws IllegalStateException if it would have to wait within a listener: use {@link #trySend} there
   */
  public void send(@Nullable K key, @Nullable V value) {
    send(key, value, null, 0, null);
  }

  /**
   * Sends a record, and calls a listener with the outcome. Waits while the memory is full.
   *
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @param tag given to the listener
   * @param listener called exactly once, on the owner of the loop
   * @throws KafkaException when the producer is closed, the record too large, or no memory is released in time; the
   * listener is not called then
   * @throws IllegalStateException if it would have to wait within a listener: use {@link #trySend} there
   */
  public void send(@Nullable K key, @Nullable V value, long tag, SendListener listener) {
    send(key, value, null, tag, Objects.requireNonNull(listener, "listener"));
  }

  /**
   * Sends a record with headers, or to a partition or with a timestamp of the caller's choice. Waits while the memory
   * is full, and for a partition that is not known: it may have been added just now.
   *
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @param options headers, partition, timestamp; null for none
   * @param tag given to the listener
   * @param listener called exactly once, on the owner of the loop; null for none
   * @throws KafkaException when the producer is closed, the record is too large, its partition is not there, or no
   * memory is released in time. The listener is not called then
   * @throws IllegalStateException if it would have to wait within a listener: use {@link #trySend} there
   */
  public void send(@Nullable K key, @Nullable V value, @Nullable SendOptions options, long tag,
      @Nullable SendListener listener) {
    send(key, value, options, tag, listener, false);
  }

  private void send(@Nullable K key, @Nullable V value, @Nullable SendOptions options, long tag,
      @Nullable SendListener listener, boolean thenDrives) {
    state.requireOpen();
    PendingRecord record = records.take();
    try {
      byte[] bytes = prepare(record, key, value, options, tag);
      record.senderDrives = thenDrives;
      if (router.queues().length == 0 && waits.keepOrAwaitPartitions(record, bytes, listener)) {
        return;
      }
      if (record.partition >= router.queues().length) {
        waits.awaitPartition(record.partition);
      }
      if (!router.append(record, bytes, listener)) {
        waits.appendInTurn(record, bytes, listener);
      }
    } finally {
      records.give(record);
    }
  }

  /**
   * Sends a record if there is room for it now; never waits, not even for metadata.
   *
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @param tag given to the listener
   * @param listener called exactly once if the record was accepted; null for none
   * @return the outcome
   * @throws KafkaException when the producer is closed or the record too large
   */
  public SendStatus trySend(@Nullable K key, @Nullable V value, long tag, @Nullable SendListener listener) {
    return trySend(key, value, null, tag, listener);
  }

  /**
   * Sends a record with options if there is room for it now; never waits.
   *
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @param options headers, partition, timestamp; null for none
   * @param tag given to the listener
   * @param listener called exactly once if the record was accepted; null for none
   * @return the outcome
   * @throws KafkaException when the producer is closed or the record too large
   * @throws IllegalArgumentException if the cluster was asked for the partition, and does not have it
   */
  public SendStatus trySend(@Nullable K key, @Nullable V value, @Nullable SendOptions options, long tag,
      @Nullable SendListener listener) {
    state.requireOpen();
    PendingRecord record = records.take();
    try {
      byte[] bytes = prepare(record, key, value, options, tag);
      record.senderDrives = false;
      if (router.queues().length == 0) {
        router.requireFits(record);
        UnplacedRecords.Outcome outcome = unplaced.offer(record, bytes, listener);
        if (outcome != UnplacedRecords.Outcome.OVER) {
          return outcome == UnplacedRecords.Outcome.KEPT ? SendStatus.ACCEPTED : SendStatus.METADATA_PENDING;
        }
        state.requireOpen();
      }
      if (record.partition >= router.queues().length && !core.missing.hasResponseFor(record.partition)) {
        return SendStatus.METADATA_PENDING;
      }
      return router.append(record, bytes, listener) ? SendStatus.ACCEPTED : SendStatus.BUFFER_FULL;
    } finally {
      records.give(record);
    }
  }

  /**
   * Sends a record and waits until it is stored. A platform thread does the waiting work itself.
   *
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @return the partition and offset of the record
   * @throws KafkaException when the record was not acknowledged
   * @throws IllegalStateException within a listener: use {@link #trySend} there
   * @throws InterruptedException if the thread was interrupted; the record may still be stored
   */
  public Ack sendAndWait(@Nullable K key, @Nullable V value) throws InterruptedException {
    return sendAndWait(key, value, null);
  }

  /**
   * Sends a record with options and waits until it is stored.
   *
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @param options headers, partition, timestamp; null for none
   * @return the partition and offset of the record
   * @throws KafkaException when the record was not acknowledged
   * @throws IllegalStateException within a listener: use {@link #trySend} there
   * @throws InterruptedException if the thread was interrupted; the record may still be stored
   */
  public Ack sendAndWait(@Nullable K key, @Nullable V value, @Nullable SendOptions options)
      throws InterruptedException {
    waits.requireNoListener("sendAndWait");
    PendingAck pending = pendingAcks.take();
    pending.begin();
    boolean drives = !Thread.currentThread().isVirtual();
    try {
      send(key, value, options, PendingAcks.tag(pending), pendingAcks.listener(pending), drives);
    } catch (RuntimeException e) { // not accepted; after an Error it may be, and the wait is lost
      pendingAcks.give(pending);
      throw e;
    }
    try {
      return drives ? pending.driveAndAwait(ackDeadline(), settings.topic()) : pending.await();
    } finally {
      if (pending.isDone()) {
        pendingAcks.give(pending);
      } else { // the outcome is still to come
        pendingAcks.abandon(pending);
      }
    }
  }

  private long ackDeadline() {
    return clock.nanoTime() + settings.deliveryTimeoutNanos() + settings.maxBlockNanos();
  }

  /**
   * Sends a record and returns at once a future that ends with its outcome. Waits while the memory is full. It
   * allocates; {@link #send(Object, Object, long, SendListener)} does not.
   *
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @param options headers, partition, timestamp; null for none
   * @return completed by the owner of the client's loop. Dependent stages must not block: use the {@code Async} methods
   * for those that do. Cancelling it does not take the record back
   * @throws KafkaException when the producer is closed, the record too large, or no memory is released in time
   * @throws IllegalStateException if it would have to wait within a listener: use {@link #trySend} there
   */
  public CompletableFuture<Ack> sendAsync(@Nullable K key, @Nullable V value, @Nullable SendOptions options) {
    AckStage stage = new AckStage();
    send(key, value, options, 0, stage);
    return stage.future();
  }

  /** Fills the record. Returns the value's own array, if it is to be copied into the batch. */
  private byte @Nullable [] prepare(PendingRecord record, @Nullable K key, @Nullable V value,
      @Nullable SendOptions options, long tag) {
    record.headers(options == null ? null : options.headers()); // first: encoders see them, and may add some
    record.key(topicName, key, keys);
    byte[] bytes = record.value(topicName, value, values);
    if (options == null) {
      record.partition = Partitioner.STICKY;
      record.timestamp = clock.epochMillis();
    } else {
      record.partition = options.partition();
      record.timestamp = options.hasTimestamp() ? options.timestamp() : clock.epochMillis();
    }
    record.tag = tag;
    return bytes;
  }

  /**
   * Sends all records now, whatever the linger, and waits until each is acknowledged or has failed.
   *
   * @param timeout how long to wait
   * @return false if the time was not enough
   * @throws IllegalStateException within a listener, which would wait for itself
   * @throws InterruptedException if the thread was interrupted
   */
  public boolean flush(Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    waits.requireNoListener("flush");
    long deadline = Timeouts.deadline(clock.nanoTime(), timeout);
    FlushWait wait = core.beginFlush();
    try {
      return core.awaitFlush(wait, deadline);
    } finally {
      core.endFlush(wait);
    }
  }

  /**
   * Fails the records that were accepted and are not in flight: their listeners get a failure, and their memory is
   * freed. Batches in flight stay, and so does a batch into which a record is being written now.
   *
   * @throws KafkaException when the producer is closed
   */
  public void purge() {
    state.requireOpen();
    core.purge();
  }

  /** Sends all records, waits up to 30 seconds for them, and closes. Records that are left then fail. */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /**
   * Sends all records and closes. Records that are not acknowledged in time fail, and their listeners are called. A
   * call from within a listener does not wait: records that are not acknowledged have failed when it returns. If
   * several threads close, also by way of the client, each waits for the end, and the shortest of their time-outs
   * counts.
   *
   * @param timeout how long to wait; with zero nothing more is sent
   */
  public void close(Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    if (core.isFinished()) {
      return;
    }
    core.beginClose();
    try {
      if (!timeout.isZero() && !client.loop().isOwner()) { // a listener that waited would wait for itself
        flush(timeout);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    core.finishClose();
  }
}
