package dev.decant.kafka.apache;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.PreparedTransaction;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.cluster.ClientSoftware;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.AnyTopicProducer;
import dev.decant.kafka.producer.Partitioner;
import dev.decant.kafka.producer.ProducerBuilder;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.loop.EventLoop;
import dev.decant.time.Timeouts;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Implements Apache's producer interface on the Decant client, instead of {@link KafkaProducer}: same settings, same
 * exceptions, same order of interceptors, callbacks and futures. It has a {@link KafkaClient} of its own.
 *
 * <p>Thread-safe. A platform thread that waits ({@code Future.get}, {@code flush}, {@code commitTransaction}) does the
 * client's work meanwhile, so callbacks may run on it. As with Apache's producer, a callback must not block. A callback
 * that would wait for metadata or memory gets the timeout's exception at once.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class DecantProducer<K, V> implements Producer<K, V> {
  private static final Logger LOGGER = System.getLogger(DecantProducer.class.getName());
  private static final Header[] NO_HEADERS = {};
  private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int UNKNOWN_PARTITION = RecordMetadata.UNKNOWN_PARTITION;

  private final ProducerOptions options;
  private final ProducerPlugins<K, V> plugins;
  private final ProducerInterceptors<K, V> interceptors;
  /** Closes the client and its security. */
  private final SecuredClient secured;
  private final KafkaClient client;
  private final EventLoop loop;
  private final ProducerMetrics metrics;
  private final TransactionCalls transactions;
  private final SendContext<K, V> context;
  private final TopicLookup waits;
  private final ClusterViews views = new ClusterViews();
  private final OptionsPool pool = new OptionsPool();
  private final Map<String, ProducedTopic> topics = new ConcurrentHashMap<>();
  private final int maxRequestSize;
  private final long maxMemory;
  /** True if parallel-consumer would send with this producer and not notice that it is transactional. */
  private final boolean guarded;
  private final AtomicBoolean closed = new AtomicBoolean();
  /** When forgotten topics were last removed. Any thread. */
  private volatile long checkedNanos = System.nanoTime();
  /** The native producer; null until the transactions of a transactional producer are open. */
  private volatile @Nullable AnyTopicProducer<byte[], byte[]> producer;

  /**
   * Opens a producer with serializers that the settings name.
   *
   * @param configs Apache's settings, by name
   */
  public DecantProducer(Map<String, Object> configs) {
    this(configs, null, null);
  }

  /**
   * Opens a producer.
   *
   * @param configs Apache's settings, by name
   * @param keySerializer configured by its owner; null to make the one that the settings name
   * @param valueSerializer configured by its owner; null to make the one that the settings name
   */
  public DecantProducer(Map<String, Object> configs, @Nullable Serializer<K> keySerializer,
      @Nullable Serializer<V> valueSerializer) {
    this(ProducerOptions.read(configs, keySerializer, valueSerializer), keySerializer, valueSerializer);
  }

  /**
   * Opens a producer with serializers that the settings name.
   *
   * @param properties Apache's settings, by name
   */
  public DecantProducer(Properties properties) {
    this(properties, null, null);
  }

  /**
   * Opens a producer.
   *
   * @param properties Apache's settings, by name
   * @param keySerializer configured by its owner; null to make the one that the settings name
   * @param valueSerializer configured by its owner; null to make the one that the settings name
   */
  public DecantProducer(Properties properties, @Nullable Serializer<K> keySerializer,
      @Nullable Serializer<V> valueSerializer) {
    this(Utils.propsToMap(properties), keySerializer, valueSerializer);
  }

  private DecantProducer(ProducerOptions options, @Nullable Serializer<K> keys, @Nullable Serializer<V> values) {
    this.options = options;
    this.maxRequestSize = options.maxRequestSize();
    this.maxMemory = options.bufferMemory();
    this.guarded = options.transactionalId() != null && ParallelConsumer.isPresent();
    ProducerPlugins<K, V> madePlugins = null;
    ProducerMetrics madeMetrics = null;
    SecuredClient opened = null;
    try {
      madeMetrics = new ProducerMetrics(options);
      madePlugins = new ProducerPlugins<>(options, keys, values);
      opened = options.openClient();
      this.metrics = madeMetrics;
      this.plugins = madePlugins;
      this.secured = opened;
      this.client = opened.client();
      this.loop = ClientInternals.of(client).loop();
      this.interceptors = plugins.interceptors();
      this.transactions = new TransactionCalls(client, options, this::reopen);
      this.context = new SendContext<>(loop, interceptors, transactions);
      this.waits = new TopicLookup(ClientInternals.of(client), options.maxBlockMillis(), closed::get);
      options.checkCompression();
      metrics.watch(client);
      options.config().logUnused();
      metrics.passClusterId(ClientInternals.of(client), plugins.clusterListeners());
      if (!transactions.areUsed()) {
        open(null);
      }
      LOGGER.log(Level.INFO, "Decant {0} producer {1}", ClientSoftware.VERSION, options.clientId());
    } catch (Throwable t) {
      AtomicReference<@Nullable Throwable> ignored = new AtomicReference<>();
      QuietClose.close(opened, "client", ignored);
      if (madeMetrics != null) {
        madeMetrics.close(ignored);
      }
      if (madePlugins != null) {
        madePlugins.close(ignored);
      }
      throw new org.apache.kafka.common.KafkaException("Failed to construct kafka producer", t);
    }
  }

  /**
   * Lists settings that the constructor refuses and Apache's producer accepts, for an application that chooses between
   * both.
   *
   * @param configs Apache's settings, by name
   * @return a line for each, with its name and the cure, and without its value; empty if there is none
   */
  public static List<String> refusals(Map<String, Object> configs) {
    return RefusedSettings.of(configs, ProducerConfig.configNames());
  }

  /**
   * Returns this producer's own client, for status, events and meters. The client ends with {@link #close()}, and must
   * not be closed otherwise. Any thread.
   *
   * @return the same in each call
   */
  public KafkaClient client() {
    return client;
  }

  /**
   * Replaces the native producer: records belong to these transactions from now on, or to none. The producer used so
   * far has no records left.
   */
  private void reopen(@Nullable Transactions within) {
    AnyTopicProducer<byte[], byte[]> before = producer;
    producer = null;
    if (before != null) {
      before.close(Duration.ZERO);
    }
    if (within != null) {
      open(within);
    }
  }

  private void open(@Nullable Transactions within) {
    ProducerBuilder<byte[], byte[]> builder = client.producer(Serdes.bytes(), Serdes.bytes());
    if (options.ignoresKeys()) {
      builder.partitioner((key, keyLength, partitions) -> Partitioner.STICKY);
    }
    if (within != null) {
      builder.transactions(within);
    }
    producer = builder.openForAnyTopic();
  }

  /**
   * Returns the private fields of Apache's producer that agents for tracing read. {@code decant-agent} copies them to
   * its objects.
   */
  Map<String, Object> tracedFields() {
    return TracedFields.of(options, client);
  }

  // Sending.

  @Override
  public Future<RecordMetadata> send(ProducerRecord<K, V> record) {
    return send(record, null);
  }

  @Override
  public Future<RecordMetadata> send(ProducerRecord<K, V> record, @Nullable Callback callback) {
    ProducerRecord<K, V> intercepted = interceptors.isEmpty() ? record : interceptors.onSend(record);
    try {
      requireOpen();
      return append(intercepted, callback);
    } catch (ApiException e) {
      return failed(intercepted, callback, e);
    } catch (InterruptedException e) {
      throw notSent(intercepted, ApacheErrors.interrupted(e));
    } catch (RuntimeException e) {
      throw notSent(intercepted, e);
    }
  }

  private Future<RecordMetadata> append(ProducerRecord<K, V> record, @Nullable Callback callback)
      throws InterruptedException {
    if (guarded) {
      ParallelConsumer.refuseSend();
    }
    ProducedTopic topic = topics.get(record.topic());
    if (topic == null) {
      topic = awaitTopic(record.topic());
    }
    Integer wanted = record.partition();
    if (wanted != null && wanted >= partitions(topic)) {
      awaitPartition(topic, wanted);
    }
    byte[] key = serializedKey(record);
    byte[] value = serializedValue(record);
    int partition = wanted == null ? partition(record, key, value) : wanted;
    if (wanted == null && partition >= 0 && partition >= partitions(topic)) {
      awaitPartition(topic, partition);
    }
    Header[] headers = headers(record);
    long size = RecordSizes.upperBound(key, value, headers);
    requireFits(size);
    metrics.recordSize((int) size);
    SentRecord sent = new SentRecord(topic, callback, interceptors.isEmpty() ? null : record.headers(),
        key == null ? -1 : key.length, value == null ? -1 : value.length);
    Long timestamp = record.timestamp();
    if (partition < 0 && timestamp == null && headers.length == 0) {
      hand(topic, key, value, null, sent);
    } else {
      SendOptions extras = extras(partition, timestamp, headers);
      try {
        hand(topic, key, value, extras, sent);
      } finally {
        pool.give(extras);
      }
    }
    return sent;
  }

  private ProducedTopic awaitTopic(String name) throws InterruptedException {
    long begun = System.nanoTime();
    waits.awaitTopic(Objects.requireNonNull(name, "topic"));
    metrics.metadataWaited(System.nanoTime() - begun);
    forgetIdle();
    return topics.computeIfAbsent(name, topic -> new ProducedTopic(context, topic));
  }

  /** Removes topics that the client has forgotten, so that a long-lived producer does not keep every topic. */
  private void forgetIdle() {
    AnyTopicProducer<byte[], byte[]> open = producer;
    long now = System.nanoTime();
    if (open != null && now - checkedNanos > CHECK_NANOS) {
      checkedNanos = now;
      topics.keySet().retainAll(open.topics());
    }
  }

  /** Returns the number of partitions in the topic's producer, or in the cluster's metadata without one. */
  private int partitions(ProducedTopic topic) {
    AnyTopicProducer<byte[], byte[]> open = producer;
    int known = open == null ? 0 : open.partitions(topic.name);
    if (known > 0) {
      return known;
    }
    var metadata = ClientInternals.of(client).cluster().snapshot().topic(topic.name);
    return metadata == null ? 0 : metadata.partitions().size();
  }

  private void awaitPartition(ProducedTopic topic, int partition) throws InterruptedException {
    waits.awaitPartition(topic.name, partition, () -> partitions(topic));
  }

  private byte @Nullable [] serializedKey(ProducerRecord<K, V> record) {
    try {
      return plugins.keys().serialize(record.topic(), record.headers(), record.key());
    } catch (ClassCastException e) {
      throw new SerializationException("Can't convert key of class " + record.key().getClass().getName() + " to class "
          + plugins.keys().getClass().getName() + " specified in key.serializer", e);
    }
  }

  private byte @Nullable [] serializedValue(ProducerRecord<K, V> record) {
    try {
      return plugins.values().serialize(record.topic(), record.headers(), record.value());
    } catch (ClassCastException e) {
      throw new SerializationException("Can't convert value of class " + record.value().getClass().getName()
          + " to class " + plugins.values().getClass().getName() + " specified in value.serializer", e);
    }
  }

  /**
   * Returns the partition that the application's partitioner chose; {@link #UNKNOWN_PARTITION} leaves the choice to the
   * client, which hashes the key.
   */
  private int partition(ProducerRecord<K, V> record, byte @Nullable [] key, byte @Nullable [] value)
      throws InterruptedException {
    org.apache.kafka.clients.producer.Partitioner own = plugins.partitioner();
    if (own == null) {
      return UNKNOWN_PARTITION;
    }
    if (ClientInternals.of(client).cluster().snapshot().topic(record.topic()) == null) {
      waits.awaitTopic(record.topic()); // the client may have forgotten a topic that was idle
    }
    Cluster cluster = views.of(ClientInternals.of(client).cluster().snapshot());
    int partition = own.partition(record.topic(), record.key(), key, record.value(), value, cluster);
    if (partition < 0) {
      throw new IllegalArgumentException("The partitioner generated an invalid partition number: " + partition
          + ". Partition number should always be non-negative.");
    }
    return partition;
  }

  /** Returns the record's headers, which must not change from now on: the record is being sent. */
  private static Header[] headers(ProducerRecord<?, ?> record) {
    if (record.headers() instanceof RecordHeaders own) {
      own.setReadOnly();
    }
    Header[] headers = record.headers().toArray();
    return headers.length == 0 ? NO_HEADERS : headers;
  }

  private void requireFits(long size) {
    if (size > maxRequestSize) {
      throw new RecordTooLargeException("The message is " + size + " bytes when serialized which is larger than "
          + maxRequestSize + ", which is the value of the max.request.size configuration.");
    }
    if (size > maxMemory) {
      throw new RecordTooLargeException("The message is " + size + " bytes when serialized which is larger than the"
          + " total memory buffer you have configured with the buffer.memory configuration.");
    }
  }

  private SendOptions extras(int partition, @Nullable Long timestamp, Header[] headers) {
    SendOptions extras = pool.take();
    if (partition >= 0) {
      extras.partition(partition);
    }
    if (timestamp != null) {
      extras.timestamp(timestamp);
    }
    for (Header header : headers) {
      extras.headers().add(header.key(), header.value());
    }
    return extras;
  }

  private void hand(ProducedTopic topic, byte @Nullable [] key, byte @Nullable [] value, @Nullable SendOptions extras,
      SentRecord sent) {
    AnyTopicProducer<byte[], byte[]> open = producer;
    if (open == null) {
      throw new IllegalStateException(
          "Cannot add partition of " + topic.name + " to transaction before completing a call to initTransactions");
    }
    try {
      open.send(topic.name, key, value, extras, 0, sent);
    } catch (TransactionException e) {
      throw transactions.refusedSend(e);
    } catch (KafkaTimeoutException e) {
      throw open.partitions(topic.name) == 0 ? waits.unusable(topic.name) : exhausted(e);
    } catch (KafkaException e) {
      throw refused(e);
    } catch (IllegalStateException e) {
      if (loop.isOwner() && transactions.takeRecords()) {
        throw exhausted(e); // a callback must not wait for memory
      }
      throw e;
    }
  }

  private BufferExhaustedException exhausted(RuntimeException cause) {
    metrics.exhausted();
    BufferExhaustedException exhausted = new BufferExhaustedException(
        "Failed to allocate memory within the configured max blocking time " + options.maxBlockMillis() + " ms.");
    exhausted.initCause(cause);
    return exhausted;
  }

  private RuntimeException refused(KafkaException failure) {
    if (failure.getCause() instanceof InterruptedException interrupt) {
      return ApacheErrors.interrupted(interrupt);
    }
    return closed.get()
        ? new org.apache.kafka.common.KafkaException("Producer closed while send in progress", failure)
        : ApacheErrors.of(failure);
  }

  /**
   * Ends a record that was not accepted, as Apache's producer does: future, callback and interceptors get the
   * exception, and a transaction cannot be committed.
   */
  private Future<RecordMetadata> failed(@Nullable ProducerRecord<K, V> record, @Nullable Callback callback,
      ApiException failure) {
    if (callback != null && record != null) {
      callback.onCompletion(context.notSent(where(record)), failure);
    }
    notSent(record, failure);
    transactions.requireAbort(failure);
    return new FailedSend(failure);
  }

  private RuntimeException notSent(@Nullable ProducerRecord<K, V> record, RuntimeException failure) {
    if (failure instanceof org.apache.kafka.common.KafkaException) {
      metrics.failed();
    }
    interceptors.onSendError(record, record == null ? null : context.notSent(where(record)), failure);
    return failure;
  }

  private static TopicPartition where(ProducerRecord<?, ?> record) {
    Integer partition = record.partition();
    return new TopicPartition(record.topic(), partition == null ? UNKNOWN_PARTITION : partition);
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("Cannot perform operation after producer has been closed");
    }
  }

  @Override
  public void flush() {
    if (loop.isOwner()) {
      throw new org.apache.kafka.common.KafkaException("flush within a callback would wait for what callbacks hold up");
    }
    long begun = System.nanoTime();
    AnyTopicProducer<byte[], byte[]> open = producer;
    try {
      if (open != null) {
        open.flush(Duration.ofNanos(Timeouts.FOR_EVER));
      }
    } catch (InterruptedException e) {
      throw new InterruptException("Flush interrupted.", e);
    } finally {
      metrics.flushed(System.nanoTime() - begun);
    }
  }

  @Override
  public List<PartitionInfo> partitionsFor(String topic) {
    Objects.requireNonNull(topic, "topic cannot be null");
    try {
      awaitTopic(topic);
    } catch (InterruptedException e) {
      throw ApacheErrors.interrupted(e);
    }
    return views.of(ClientInternals.of(client).cluster().snapshot()).partitionsForTopic(topic);
  }

  // Transactions.

  @Override
  public void initTransactions() {
    timed(TransactionMetric.INIT, transactions::init);
  }

  @Override
  public void beginTransaction() {
    timed(TransactionMetric.BEGIN, transactions::begin);
  }

  /**
   * Sends offsets of a group by its id alone, so brokers cannot fence former members. Interfaces before kafka-clients
   * 4.0 have this method.
   *
   * @param offsets to be committed with the transaction
   * @param consumerGroupId of the group
   * @deprecated as in Apache's interface; use {@link #sendOffsetsToTransaction(Map, ConsumerGroupMetadata)}
   */
  @Deprecated
  @SuppressWarnings("removal") // the constructor for an id alone: programs for older releases call this
  public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> offsets, String consumerGroupId) {
    sendOffsetsToTransaction(offsets, new ConsumerGroupMetadata(consumerGroupId));
  }

  @Override
  public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> offsets,
      ConsumerGroupMetadata groupMetadata) {
    if (groupMetadata == null) {
      throw new IllegalArgumentException("Consumer group metadata could not be null");
    }
    if (groupMetadata.generationId() > 0 && groupMetadata.memberId().isEmpty()) {
      throw new IllegalArgumentException(
          "Passed in group metadata " + groupMetadata + " has generationId > 0 but the member.id is unknown");
    }
    timed(TransactionMetric.SEND_OFFSETS, () -> transactions.sendOffsets(offsets, groupMetadata));
  }

  @Override
  public void commitTransaction() {
    timed(TransactionMetric.COMMIT, transactions::commit);
  }

  @Override
  public void abortTransaction() {
    timed(TransactionMetric.ABORT, transactions::abort);
  }

  /**
   * Opens the transactions of another transactional id than that of the settings, or opens them again, on the same
   * connections and with the same memory. A producer of this id is fenced, and its open transaction is aborted.
   * Apache's interface has no such method: programs that use one id per transaction open a producer for each.
   *
   * @param transactionalId from now on; no transaction of the id before may be open, but a prepared one stays
   *     prepared
   * @throws IllegalStateException while a transaction is open
   * @throws org.apache.kafka.common.KafkaException as {@link #initTransactions} throws it
   */
  public void initTransactions(String transactionalId) {
    if (transactionalId.isBlank()) {
      throw new IllegalArgumentException("transactional.id: the name is empty");
    }
    timed(TransactionMetric.INIT, () -> transactions.initAs(transactionalId));
  }

  /**
   * Prepares the open transaction for a commit that is decided elsewhere. It waits at most {@code max.block.ms} until
   * the records are stored; the transaction takes no more records. {@link #commitTransaction} or {@link
   * #abortTransaction} ends it here, and {@link #resumeTransaction} lets any producer do so. {@link #close} leaves it
   * prepared. The name is that of KIP-939, whose methods are not in Apache's interface up to release 4.4.
   *
   * @return the state that the application stores; empty if the transaction has neither records nor offsets
   * @throws org.apache.kafka.common.errors.TimeoutException when the time was not enough; call again, or abort
   * @throws org.apache.kafka.common.KafkaException when a record was not stored; the transaction has to be aborted
   */
  public Optional<PreparedTransaction> prepareTransaction() {
    AtomicReference<Optional<PreparedTransaction>> prepared = new AtomicReference<>(Optional.empty());
    timed(TransactionMetric.PREPARE, () -> prepared.set(transactions.prepare()));
    return prepared.get();
  }

  /**
   * Takes over a transaction that this producer or another one has prepared, in this process or before a restart.
   * {@link #commitTransaction} or {@link #abortTransaction} then ends it. Before that no request is sent and no
   * producer is fenced. A repeated end has no effect. Afterwards, call {@link #initTransactions(String)} or this method
   * again to continue.
   *
   * @param prepared the result of {@link #prepareTransaction}
   * @throws IllegalStateException while a transaction is open
   */
  public void resumeTransaction(PreparedTransaction prepared) {
    Objects.requireNonNull(prepared, "prepared");
    transactions.requireUsed();
    requireOpen();
    transactions.resume(prepared);
  }

  private void timed(TransactionMetric metric, Runnable call) {
    transactions.requireUsed();
    requireOpen();
    long begun = System.nanoTime();
    call.run();
    metrics.took(metric, System.nanoTime() - begun);
  }

  // Metrics.

  /**
   * Returns metrics under Apache's names, with their tags and kinds. The page {@code docs/apache-metrics.md} lists
   * differences.
   *
   * @return live
   */
  @Override
  public Map<MetricName, ? extends Metric> metrics() {
    return Collections.unmodifiableMap(metrics.metrics());
  }

  /**
   * Accepts a metric of the application, but does not push it: brokers get only Decant's own metrics.
   *
   * @param metric of the application
   */
  @Override
  public void registerMetricForSubscription(KafkaMetric metric) {
    Objects.requireNonNull(metric, "metric");
    LOGGER.log(Level.DEBUG, "the metric {0} is not pushed: Decant pushes its own metrics alone", metric.metricName());
  }

  /**
   * Removes a metric of the application.
   *
   * @param metric registered before
   */
  @Override
  public void unregisterMetricFromSubscription(KafkaMetric metric) {
    Objects.requireNonNull(metric, "metric");
  }

  @Override
  public Uuid clientInstanceId(Duration timeout) {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("The timeout cannot be negative.");
    }
    if (!options.pushesMetrics()) {
      throw new IllegalStateException(
          "Telemetry is not enabled. Set config `enable.metrics.push` to `true`.");
    }
    try {
      dev.decant.kafka.protocol.Uuid id = client.clientInstanceId(timeout);
      return new Uuid(id.mostSignificantBits(), id.leastSignificantBits());
    } catch (InterruptedException e) {
      throw ApacheErrors.interrupted(e);
    } catch (KafkaException e) {
      throw ApacheErrors.of(e);
    }
  }

  // Closing.

  @Override
  public void close() {
    close(Duration.ofMillis(Long.MAX_VALUE));
  }

  /**
   * Sends the records that wait, waits for them, and closes. An open transaction is aborted. A callback that calls this
   * method does not wait: records that are not acknowledged then have failed. If several threads close, each waits for
   * the records, and the shortest timeout counts.
   *
   * @param timeout how long to wait; zero for not at all
   */
  @Override
  public void close(Duration timeout) {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("The timeout cannot be negative.");
    }
    boolean isFirst = closed.compareAndSet(false, true);
    boolean isCallback = loop.isOwner();
    closeRecords(isCallback ? Duration.ZERO : timeout);
    if (isFirst) {
      closeRest(isCallback);
    }
  }

  private void closeRecords(Duration patience) {
    long deadline = Timeouts.deadline(System.nanoTime(), patience);
    waits.wake();
    AnyTopicProducer<byte[], byte[]> open = producer;
    if (open != null) {
      open.close(patience);
    }
    transactions.close(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
  }

  private void closeRest(boolean isCallback) {
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    QuietClose.close(secured, "client", failure);
    if (!isCallback && Thread.currentThread().isInterrupted()) {
      failure.set(new InterruptException(new InterruptedException("interrupted while the producer was closing")));
    }
    plugins.close(failure);
    metrics.close(failure);
    Throwable first = failure.get();
    if (first instanceof InterruptException interrupt) {
      throw interrupt;
    }
    if (first != null) {
      throw new org.apache.kafka.common.KafkaException("Failed to close kafka producer", first);
    }
  }
}
