package dev.decant.kafka.apache;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a consumer. It also polls and closes them. Caller's thread only (see {@link ThreadCheck}), but for
 * {@link #wakeup}.
 */
final class ConsumerCore<K, V> {
  private final ConsumerResources<K, V> resources;
  private final Duration apiTimeout;
  private final Duration requestTimeout;
  /** How the member leaves its group at close, unless the call of close decides. */
  private final GroupMembershipOperation atClose;
  private final WakeableCalls calls = new WakeableCalls();
  private final ConsumerErrors errors;
  private final SubscriptionState state = new SubscriptionState();
  private final AutoCommit autoCommit;
  private final AsyncCommits commits;
  private final UnderlyingConsumer underlying;
  private final ListenerAdapter listener;
  private final ConsumerOffsets offsets;
  private final SubscriptionCalls subscriptions;
  private final RecordCollector<K, V> collector;
  private final ClusterIdListeners clusterId;
  /** The failure of a poll that had records to return; the next poll throws it. An Error or a RuntimeException. */
  private @Nullable Throwable due;

  private ConsumerCore(ConsumerSettings settings, ConsumerResources<K, V> resources, KafkaClient client) {
    this.resources = resources;
    this.apiTimeout = settings.millis(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG);
    this.requestTimeout = settings.millis(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG);
    atClose = settings.departure();
    this.errors = new ConsumerErrors(settings.group());
    this.autoCommit = new AutoCommit(settings.isAutoCommit() && !settings.group().isEmpty(),
        settings.millis(ConsumerConfig.AUTO_COMMIT_INTERVAL_MS_CONFIG).toNanos(), System.nanoTime());
    this.listener = new ListenerAdapter(state::listener, this::commitBeforeChange, this::assigned,
        resources.metrics().group());
    List<Assignor> assignors = resources.assignors().stream().<Assignor>map(AssignorAdapter::new).toList();
    this.underlying = new UnderlyingConsumer(client, settings, assignors, listener);
    this.commits = new AsyncCommits(errors, resources.interceptors(), apiTimeout, underlying::wakeup);
    this.offsets = new ConsumerOffsets(settings, underlying, calls, errors, commits, resources);
    this.subscriptions = new SubscriptionCalls(settings, state, underlying, listener, autoCommit, offsets);
    this.collector = new RecordCollector<>(new PartDecoder<>(resources.keys(), true),
        new PartDecoder<>(resources.values(), false), resources.metrics().fetches());
    this.clusterId = new ClusterIdListeners(client, resources.plugins());
  }

  /**
   * Makes all parts of a consumer.
   *
   * @throws org.apache.kafka.common.KafkaException if a part cannot be made; the earlier parts are closed
   */
  static <K, V> ConsumerCore<K, V> open(ConsumerConfig config, @Nullable Deserializer<K> keys,
      @Nullable Deserializer<V> values) {
    ConsumerResources<K, V> resources = new ConsumerResources<>();
    try {
      ConsumerSettings settings = ConsumerSettings.of(config);
      KafkaClient client = resources.make(settings, keys, values);
      return new ConsumerCore<>(settings, resources, client);
    } catch (Throwable e) {
      resources.closeAfter(e);
      throw new org.apache.kafka.common.KafkaException("Failed to construct kafka consumer", e);
    }
  }

  Duration apiTimeout() {
    return apiTimeout;
  }

  UnderlyingConsumer underlying() {
    return underlying;
  }

  SubscriptionCalls subscriptions() {
    return subscriptions;
  }

  ConsumerOffsets offsets() {
    return offsets;
  }

  ConsumerMetrics metrics() {
    return resources.metrics();
  }

  /** Returns the consumer for a seek, and notes that positions have moved. */
  Consumer<byte[], byte[]> forSeek() {
    autoCommit.positionsMoved();
    return underlying.current();
  }

  /** Removes metrics and names of partitions that are no longer assigned. */
  void forgetMetricsOfOthers() {
    Set<TopicPartition> present = assignment();
    resources.metrics().fetches().retain(present);
    collector.retain(present);
  }

  Set<TopicPartition> assignment() {
    Consumer<?, ?> present = underlying.ifOpen();
    return present == null ? Set.of() : Set.copyOf(PartitionConversion.apache(present.assignment()));
  }

  // Polls.

  ConsumerRecords<K, V> poll(Duration timeout) {
    resources.metrics().pollBegins();
    boolean done = false;
    try {
      if (state.kind() == SubscriptionState.Kind.NONE) {
        throw new IllegalStateException("Consumer is not subscribed to any topics or assigned any partitions");
      }
      ConsumerRecords<K, V> records = pollUntil(Timeouts.deadline(System.nanoTime(), timeout), timeout);
      done = true;
      return records;
    } finally {
      if (!done && !collector.isEmpty()) {
        giveBack();
      }
      resources.metrics().pollEnds();
    }
  }

  /** Moves positions back before the records of a failed poll: the application has not seen these records. */
  private void giveBack() {
    Consumer<byte[], byte[]> present = underlying.ifOpen();
    Set<TopicPartition> assigned = assignment();
    collector.giveBack((partition, offset) -> {
      if (present != null && assigned.contains(partition)) {
        present.seek(PartitionConversion.decant(partition), new dev.decant.kafka.OffsetAndMetadata(offset));
      }
    });
  }

  private ConsumerRecords<K, V> pollUntil(long deadlineNanos, Duration timeout) {
    Duration left = timeout;
    while (true) {
      calls.throwIfWokenUp();
      commits.runCallbacks();
      Consumer<byte[], byte[]> consumer = subscriptions.forPoll();
      calls.throwIfWokenUp(); // a wake-up before this line may have found no consumer to wake
      throwDue();
      listener.callAgain();
      long now = System.nanoTime();
      if (autoCommit.take(now)) {
        offsets.commitPositionsAsync(autoCommit);
      }
      long most = autoCommit.nanosLeft(now);
      if (collector.isEmpty()) { // otherwise a failed poll has left its records here
        pollOnce(consumer, most < Timeouts.nanos(left) ? Duration.ofNanos(most) : left);
      }
      if (!collector.isEmpty()) {
        return collector.take(resources.interceptors());
      }
      long nanos = deadlineNanos - System.nanoTime();
      if (nanos <= 0) {
        calls.throwIfWokenUp();
        return ConsumerRecords.empty();
      }
      left = Duration.ofNanos(nanos);
    }
  }

  /** Polls Decant's consumer once. If it has records, a failure is kept for the next poll. */
  private void pollOnce(Consumer<byte[], byte[]> consumer, Duration timeout) {
    autoCommit.positionsMoved();
    commits.endsPoll(true);
    try {
      consumer.pollPartitions(commits.haveCallbacks() ? Duration.ZERO : timeout, collector);
      clusterId.update();
    } catch (InterruptedException e) {
      throw ApacheErrors.interrupted(e);
    } catch (KafkaException e) {
      fail(errors.of(e));
    } catch (Error e) { // a deserializer's, or an OutOfMemoryError for the next record
      fail(e);
    } finally {
      commits.endsPoll(false);
    }
    RecordDeserializationException undecodable = collector.takeUndecodable();
    if (undecodable != null && collector.isEmpty()) { // with records, the next poll calls the deserializer again
      throw undecodable;
    }
  }

  /** Throws a failure; if there are records, the next poll throws it. */
  private <E extends Throwable> void fail(E error) throws E {
    if (collector.isEmpty()) {
      throw error;
    }
    due = error;
  }

  private void throwDue() {
    Throwable error = due;
    due = null;
    switch (error) {
      case null -> {
      }
      case Error e -> throw e;
      case RuntimeException e -> throw e;
      default -> throw new IllegalStateException(error);
    }
  }

  // Rebalances.

  private void assigned() {
    autoCommit.restart(System.nanoTime());
    forgetMetricsOfOthers();
  }

  /**
   * Commits positions before partitions change. Records that were handed out count as processed, since the application
   * polls again.
   */
  private void commitBeforeChange() {
    if (autoCommit.hasWork() && !underlying.isLeaving()) {
      commitQuietly(apiTimeout);
    }
  }

  private void commitQuietly(Duration timeout) {
    Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
    try {
      Consumer<?, ?> present = underlying.ifOpen();
      if (present != null) {
        positions.putAll(PartitionConversion.apache(present.positions()));
      }
      if (!positions.isEmpty()) {
        offsets.commit(positions, timeout);
      }
    } catch (InterruptException | org.apache.kafka.common.errors.WakeupException e) {
      throw e;
    } catch (RuntimeException e) {
      AutoCommit.failed(positions, e);
    }
  }

  // The rest.

  Map<String, Object> tracedFields() {
    return TracedFields.of(resources.client());
  }

  KafkaClient client() {
    return resources.client();
  }

  Uuid clientInstanceId(Duration timeout) {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("The timeout cannot be negative.");
    }
    try {
      dev.decant.kafka.protocol.Uuid id = resources.client().clientInstanceId(timeout);
      return new Uuid(id.mostSignificantBits(), id.leastSignificantBits());
    } catch (InterruptedException e) {
      throw ApacheErrors.interrupted(e);
    } catch (KafkaException e) {
      throw errors.of(e);
    }
  }

  List<PartitionInfo> partitionsFor(String topic, Duration timeout) {
    return PartitionConversion
        .infos(calls.await(timeout, errors::of, left -> underlying.current().partitionsFor(topic, left)));
  }

  Map<String, List<PartitionInfo>> listTopics(Duration timeout) {
    Map<String, List<PartitionInfo>> all = new HashMap<>();
    calls.await(timeout, errors::of, left -> underlying.current().topics(left))
        .forEach((topic, partitions) -> all.put(topic, PartitionConversion.infos(partitions)));
    return all;
  }

  /** Ends a waiting call. Any thread. */
  void wakeup() {
    calls.wakeup();
    underlying.wakeup();
  }

  /**
   * Commits, leaves the group, and closes all parts, even if some fail; then throws the first failure. As with Apache's
   * consumer, this takes no longer than {@code request.timeout.ms}.
   */
  void close(Duration timeout, GroupMembershipOperation departure) {
    calls.disableWakeups();
    boolean interrupted = Thread.interrupted();
    long deadline = Timeouts.deadline(System.nanoTime(),
        timeout.compareTo(requestTimeout) < 0 ? timeout : requestTimeout);
    FirstFailure first = new FirstFailure();
    if (!interrupted) {
      first.attempt(() -> commitAtEnd(deadline));
    }
    commits.closing();
    listener.forgetError();
    first.attempt(
        () -> underlying.leave(left(deadline), departure == GroupMembershipOperation.DEFAULT ? atClose : departure));
    first.add(listener.takeError());
    do { // a callback that throws once dropped those behind it
      first.attempt(commits::runCallbacks);
    } while (commits.haveCallbacks());
    resources.close(first);
    if (interrupted || Thread.currentThread().isInterrupted()) {
      throw new InterruptException(new InterruptedException("interrupted while the consumer was closed"));
    }
    first.throwIfAny();
  }

  private void commitAtEnd(long deadline) throws InterruptedException {
    if (autoCommit.hasWork()) {
      commitQuietly(left(deadline));
    }
    if (commits.arePending()) {
      commits.awaitAll(deadline);
    }
  }

  private static Duration left(long deadline) {
    return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }
}
