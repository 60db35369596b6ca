package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Encoder;
import dev.decant.kafka.transaction.TransactionMember;
import dev.decant.loop.Agent;
import dev.decant.time.Clock;
import dev.decant.time.Timeouts;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes records to one topic. Thread-safe: any number of threads may send at once, without a lock per record.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class Producer<K, V> implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);
  private static final int FLUSH_SLOTS = 64;

  /** Here, where a send looks anyway. */
  private final String topicName;
  private final ClientInternals client;
  private final Clock clock;
  private final ProducerSettings settings;
  private final Encoder<? super K> keys;
  private final Encoder<? super V> values;
  private final ProducerMemory parts;
  private final SendMemory memory;
  private final BatchMemory batchMemory;
  private final Sender sender;
  private final ProducerState state;
  private final PartitionRouter router;
  private final MissingPartitions missing;
  private final @Nullable TransactionMember transaction;
  private final Runnable metadataListener = this::onMetadata;
  /** Of a producer that was opened at once and has no part in transactions. */
  private final UnplacedRecords unplaced;
  private final Agent placing = this::placeUnplaced;
  private final PendingRecords records;
  private final PendingAcks pendingAcks;
  private final SlotPool<FlushWait> flushWaits = new SlotPool<>(FLUSH_SLOTS, FlushWait::new);
  private final BooleanSupplier isClosed;
  private final ProducerLabels labels;

  /** What was left when it was closed has failed, and was told. Written by the owner of the loop; any thread reads. */
  private volatile boolean finished;

  /** Where unplaced records go, until the router has them too. Owner of the loop only. */
  private PartitionQueue @Nullable [] opening;

  private Producer(ClientInternals client, ProducerSettings settings, ProducerMemory parts, Encoder<? super K> keys,
      Encoder<? super V> values) {
    this.parts = parts;
    this.client = client;
    this.clock = client.loop().clock();
    this.settings = settings;
    this.topicName = settings.topic();
    this.labels = new ProducerLabels(settings);
    this.keys = keys;
    this.values = values;
    this.memory = parts.records();
    this.sender = client.shared(Sender.class, () -> new Sender(client, ByteBuffer::allocateDirect));
    ChangedQueues changed = sender.changed();
    this.batchMemory = new BatchMemory(client.loop(), changed, memory, sender.spareChunks(), settings);
    Transactions transactions = settings.transactions();
    this.transaction = transactions == null
        ? null
        : transactions.session().join(settings.topic(), changed::resumeAll);
    ProducerIdentity identity = settings.idempotent() && transactions == null
        ? sender.identities().of(settings.topic())
        : null;
    this.state = new ProducerState(sender.topics().open(settings.topic()), settings, batchMemory, identity,
        parts.compression(), transaction);
    this.isClosed = state::isClosed;
    this.router = new PartitionRouter(sender, state, client.telemetry().producer());
    this.missing = new MissingPartitions(client, settings, state, router);
    this.records = client.shared(PendingRecords.class, PendingRecords::new);
    this.pendingAcks = new PendingAcks(client.loop());
    this.unplaced = new UnplacedRecords(client, settings, transaction == null ? memory.pool().maxBytes() : 0);
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
      return new Producer<K, V>(client, settings, memory, keys, values).started();
    } catch (Throwable e) { // its transactions may have failed
      memory.release();
      throw e;
    }
  }

  /** Takes the known metadata of the topic, and listens to changes. */
  private Producer<K, V> started() {
    client.register(this);
    TopicMetadata topic = client.cluster().snapshot().topic(settings.topic());
    if (topic != null && topic.error() == ErrorCode.NONE) {
      router.open(router.grown(topic.partitions().size()));
      router.update(topic, client.cluster().snapshot());
      router.beginTurns();
    }
    client.loop().execute(() -> {
      client.cluster().onChange(metadataListener);
      onMetadata();
    });
    client.pushSources().add(labels);
    if (parts.directBytes() != ProducerMemory.SHARED) {
      client.addDirectMemory(parts.directBytes());
    }
    return this;
  }

  /** How many partitions take records; 0 before they are known. Any thread. */
  int partitions() {
    return router.queues().length;
  }

  private void onMetadata() {
    TopicMetadata topic = client.cluster().snapshot().topic(settings.topic());
    if (topic == null || topic.error() != ErrorCode.NONE) {
      return;
    }
    router.update(topic, client.cluster().snapshot());
    int partitions = topic.partitions().size();
    int known = router.queues().length;
    if (known == 0) {
      beginPlacing(partitions);
    } else if (partitions > known) {
      router.open(router.grown(partitions));
    } else if (partitions < known && partitions > 0) {
      router.shrink(partitions);
      client.cluster().waiters().signalAll();
    }
  }

  private void beginPlacing(int partitions) {
    if (opening == null) {
      opening = router.grown(partitions);
      client.loop().add(placing);
      placeUnplaced();
    }
  }

  /** Places what was accepted before the partitions were known; the rest when memory comes free. */
  private int placeUnplaced() {
    PartitionQueue[] all = opening;
    if (all == null || !batchMemory.hasRoom()) {
      return 0; // to try with the memory full would ask for another round at once, again and again
    }
    // One for all of them: it has memory of its own.
    PendingRecord record = new PendingRecord();
    record.isItsTurn = true; // they were there before any that wait for memory
    if (!unplaced.place(kept -> place(all, record, kept), () -> router.open(all))) {
      return 1;
    }
    opening = null;
    client.loop().execute(() -> {
      client.loop().remove(placing);
      onMetadata(); // there may be more partitions meanwhile
    });
    client.cluster().waiters().signalAll();
    return 1;
  }

  /** Whether it is done with, placed or failed; false if there is no memory for it now. */
  private boolean place(PartitionQueue[] all, PendingRecord record, UnplacedRecords.Unplaced kept) {
    record.restore(kept);
    try {
      return router.append(all, record, kept.value, kept.listener);
    } catch (Throwable e) { // a partition there is not, or a partitioner that fails
      KafkaException reason = e instanceof KafkaException failure
          ? failure
          : new KafkaException(ErrorCode.NONE, "a record for " + settings.topic() + " has no partition: " + e, e);
      unplaced.fail(kept, reason);
      return true;
    }
  }

  /**
   * Sends a record and does not ask what became of it. Waits while the memory is full.
   *
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @throws KafkaException when the producer is closed, the record too large, or no memory comes free in time
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
   * @throws KafkaException when the producer is closed, the record too large, or no memory comes free in time; the
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
   * @param listener called exactly once, on the owner of the loop; null for nobody
   * @throws KafkaException when the producer is closed, the record too large, or the partition is not there or no
   * memory comes free in time; the listener is not called then
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
      if (router.queues().length == 0 && keepSlowPath(record, bytes, listener)) {
        return;
      }
      if (record.partition >= router.queues().length) {
        awaitPartitionSlowPath(record.partition);
      }
      if (!router.append(record, bytes, listener)) {
        appendInTurnSlowPath(record, bytes, listener);
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
   * @param listener called exactly once if the record was accepted; null for nobody
   * @return what became of it
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
   * @param listener called exactly once if the record was accepted; null for nobody
   * @return what became of it
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
      if (record.partition >= router.queues().length && !missing.isToldOf(record.partition)) {
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
   * @return where it is
   * @throws KafkaException what prevented it
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
   * @return where it is
   * @throws KafkaException what prevented it
   * @throws IllegalStateException within a listener: use {@link #trySend} there
   * @throws InterruptedException if the thread was interrupted; the record may still be stored
   */
  public Ack sendAndWait(@Nullable K key, @Nullable V value, @Nullable SendOptions options)
      throws InterruptedException {
    requireNoListener("sendAndWait");
    PendingAck pending = pendingAcks.take();
    pending.begin();
    boolean drives = !Thread.currentThread().isVirtual();
    try {
      send(key, value, options, PendingAcks.tag(pending), pendingAcks.listener(pending), drives);
    } catch (RuntimeException e) { // it was not accepted; after an error nobody knows, and its number is lost
      pendingAcks.give(pending);
      throw e;
    }
    try {
      return drives ? pending.driveAndAwait(ackDeadline(), settings.topic()) : pending.await();
    } finally {
      if (pending.isDone()) {
        pendingAcks.give(pending);
      } else { // its outcome is still to come
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
   * @return completed by the owner of the client's loop, so what follows it must not block: use the {@code Async}
   *     methods for what does. To give it up does not take the record back
   * @throws KafkaException when the producer is closed, the record too large, or no memory comes free in time
   * @throws IllegalStateException if it would have to wait within a listener: use {@link #trySend} there
   */
  public CompletableFuture<Ack> sendAsync(@Nullable K key, @Nullable V value, @Nullable SendOptions options) {
    AckStage stage = new AckStage();
    send(key, value, options, 0, stage);
    return stage.future();
  }

  private void stopPlacing(KafkaException reason) {
    unplaced.close(reason);
    PartitionQueue[] all = opening;
    if (all != null) {
      opening = null;
      router.open(all);
      client.loop().execute(() -> client.loop().remove(placing));
    }
  }

  /** Fills the record; returns the value's own array, if that is to be copied into the batch. */
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

  /** Of a producer that was opened at once: whether the record is kept; if not, the partitions are known afterwards. */
  private boolean keepSlowPath(PendingRecord record, byte @Nullable [] value, @Nullable SendListener listener) {
    router.requireFits(record);
    if (unplaced.offer(record, value, listener) == UnplacedRecords.Outcome.KEPT) {
      return true;
    }
    requireNoListener("send while the partitions are not known");
    long deadline = clock.nanoTime() + settings.maxBlockNanos();
    try {
      BooleanSupplier denied = client.cluster().deniedFromNow(settings.topic(), deadline);
      client.cluster().waiters().await(
          () -> state.isClosed() || router.queues().length > 0 || denied.getAsBoolean(), deadline);
    } catch (InterruptedException e) {
      throw interrupted("the topic's partitions were not known yet", e);
    }
    state.requireOpen();
    if (router.queues().length == 0) {
      throw whyNotPlaced();
    }
    return false;
  }

  /** Waits for a partition that the caller has named and that is not known: it may have been added just now. */
  private void awaitPartitionSlowPath(int partition) {
    requireNoListener("send to a partition that is not known");
    long deadline = clock.nanoTime() + settings.maxBlockNanos();
    try {
      missing.await(partition, deadline);
    } catch (InterruptedException e) {
      throw interrupted("partition " + partition + " was not known yet", e);
    }
  }

  private KafkaException whyNotPlaced() {
    TopicMetadata topic = client.cluster().snapshot().topic(settings.topic());
    return topic != null && topic.error() == ErrorCode.NONE
        ? new KafkaTimeoutException("send to " + settings.topic() + ": records that were accepted before its partitions"
            + " were known still wait for memory after " + settings.maxBlockNanos() / 1_000_000 + " ms",
            client.cluster().lastError())
        : client.cluster().whyUnusable(settings.topic());
  }

  private KafkaException interrupted(String meanwhile, InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new KafkaException(ErrorCode.NONE, "send to " + settings.topic() + " was interrupted while " + meanwhile,
        cause);
  }

  /** Waits for memory behind those that wait already, and sends the record then. */
  private void appendInTurnSlowPath(PendingRecord record, byte @Nullable [] value, @Nullable SendListener listener) {
    requireNoListener("send while the memory is full");
    long deadline = clock.nanoTime() + settings.maxBlockNanos();
    SendMemory.Place place = batchMemory.awaitMemory(record, isClosed);
    record.isItsTurn = true;
    try {
      awaitTurn(place, deadline);
      while (!router.append(record, value, listener)) {
        place.refused();
        awaitTurn(place, deadline);
      }
    } finally {
      record.isItsTurn = false;
      place.leave();
    }
  }

  private void requireNoListener(String what) {
    if (client.loop().isOwner()) {
      throw new IllegalStateException(what + ": not from within a listener, it waits for what listeners hold up");
    }
  }

  private void awaitTurn(SendMemory.Place place, long deadlineNanos) {
    long begunNanos = client.loop().clock().nanoTime();
    try {
      if (!place.await(deadlineNanos)) {
        throw new KafkaTimeoutException("send to " + settings.topic() + ": no memory came free within "
            + settings.maxBlockNanos() / 1_000_000 + " ms; bufferMemory is " + memory.pool().maxBytes(),
            client.cluster().lastError());
      }
    } catch (InterruptedException e) {
      throw interrupted("the memory was full", e);
    } finally {
      client.telemetry().producer().metering().memoryAwaited(client.loop().clock().nanoTime() - begunNanos);
    }
    state.requireOpen();
  }

  /**
   * Sends everything now, whatever the linger, and waits until all of it is acknowledged or has failed.
   *
   * @param timeout how long to wait
   * @return false if the time was not enough
   * @throws IllegalStateException within a listener, which would wait for itself
   * @throws InterruptedException if the thread was interrupted
   */
  public boolean flush(Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    requireNoListener("flush");
    long deadline = Timeouts.deadline(clock.nanoTime(), timeout);
    FlushWait wait = beginFlush();
    try {
      return awaitFlush(wait, deadline);
    } finally {
      endFlush(wait);
    }
  }

  /** Everything is due until {@link #endFlush}. Of the same thread. */
  FlushWait beginFlush() {
    FlushWait wait = flushWaits.take();
    batchMemory.beginFlush();
    return unplaced.isEmpty() ? wait.begin(router.queues()) : wait.beginLater();
  }

  /** False if the time was not enough. */
  boolean awaitFlush(FlushWait wait, long deadlineNanos) throws InterruptedException {
    if (!wait.hasBegun()) {
      if (!client.cluster().waiters().await(unplaced::isEmpty, deadlineNanos)) {
        return false;
      }
      wait.begin(router.queues());
    }
    return client.cluster().waiters().await(wait, deadlineNanos);
  }

  void endFlush(FlushWait wait) {
    batchMemory.endFlush();
    flushWaits.give(wait);
  }

  /**
   * Gives up what was accepted and is not in flight: its listeners get a failure, its memory comes free. What
   * is in flight goes on, and so does a batch into which a record is being written now.
   *
   * @throws KafkaException when the producer is closed
   */
  public void purge() {
    state.requireOpen();
    KafkaException reason = new KafkaException(ErrorCode.NONE,
        "the record for " + settings.topic() + " was purged before it was sent");
    client.runOnLoop(() -> {
      unplaced.failAll(reason);
      sender.closing().purge(state, reason);
      client.cluster().waiters().signalAll();
    });
  }

  /** Sends what is there, waits up to 30 seconds for it, and closes; what is left then fails. */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /**
   * Sends what is there and closes; records that are not acknowledged in time fail, and their listeners are called. A
   * listener that calls it does not wait: records that are not acknowledged then have failed. If several threads close,
   * also by way of the client, each waits for the end, and the shortest of their time-outs counts.
   *
   * @param timeout how long to wait; with zero nothing more is sent
   */
  public void close(Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    if (finished) {
      return;
    }
    beginClose();
    try {
      if (!timeout.isZero() && !client.loop().isOwner()) { // a listener that waited would wait for itself
        flush(timeout);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    finishClose();
  }

  /** Takes no record from now on. */
  void beginClose() {
    state.close();
  }

  /**
   * Closes the producer if nothing was sent for so long and nothing is left of it: a record that a thread is about to
   * append is refused by a {@link RetiredException}, or keeps the producer open. Owner of the loop only.
   */
  boolean retireIfIdle(long idleNanos) {
    if (opening != null || state.isClosed() || !state.topic.isIdle(idleNanos, client.loop().nowNanos())) {
      return false;
    }
    PartitionQueue[] all = router.queues();
    int paused = 0;
    while (paused < all.length && all[paused].pauseIfIdle()) {
      paused++;
    }
    boolean retires = paused == all.length && unplaced.closeIfEmpty();
    if (retires) { // before the queues are closed: a sender looks for the reason then, and opens the topic again
      if (transaction != null) {
        transaction.leave();
      }
      state.retire();
    }
    for (int p = 0; p < paused; p++) {
      all[p].resumeOrClose(retires);
    }
    if (!retires) {
      return false;
    }
    end(new RetiredException(settings.topic()));
    return true;
  }

  /**
   * Fails what is left, and waits until it is told. Each thread that closes comes here when its time is over. The first
   * one fails the records, whereby the flushes of the others end.
   */
  void finishClose() {
    if (!finished) {
      client.runOnLoop(this::finishOnLoop);
    }
  }

  private void finishOnLoop() {
    if (finished) {
      return;
    }
    KafkaException reason = new KafkaException(ErrorCode.NONE, "the producer for " + settings.topic() + " was closed");
    end(reason);
    if (parts.directBytes() != ProducerMemory.SHARED) {
      client.removeDirectMemory(parts.directBytes());
    }
  }

  /** Owner of the loop only. */
  private void end(KafkaException reason) {
    client.pushSources().remove(labels);
    client.cluster().removeOnChange(metadataListener);
    stopPlacing(reason);
    router.close();
    sender.closing().shutDown(state, reason, this::ended);
    if (transaction != null) {
      transaction.leave();
    }
    finished = true;
    client.cluster().waiters().signalAll();
    memory.signalAll();
  }

  /** Every record was told. Owner of the loop only. */
  private void ended() {
    parts.release();
    client.unregister(this);
    client.cluster().waiters().signalAll();
  }
}
