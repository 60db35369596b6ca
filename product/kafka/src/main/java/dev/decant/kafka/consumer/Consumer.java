package dev.decant.kafka.consumer;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.PartitionInfo;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.cluster.TopicName;
import dev.decant.kafka.fetch.FetchFailures;
import dev.decant.kafka.fetch.Fetcher;
import dev.decant.kafka.fetch.ListOffsetsCall;
import dev.decant.kafka.fetch.TopicListing;
import dev.decant.kafka.group.Subscription;
import dev.decant.kafka.group.TopicFilter;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.telemetry.LastError;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads records of partitions that its group assigns, or that the application assigns. It delivers only batches that
 * {@link IsolationLevel} lets readers see, and no control batches.
 *
 * <p>Call {@link #poll}, {@link #pollPartitions}, {@code assign}, {@link #unsubscribe} and {@link #paused} from one
 * thread at a time: the polling thread. All other methods, {@link #close(Duration, GroupMembershipOperation)} too, are
 * for any thread.
 * A call of another thread that concerns the polling thread takes effect in its waiting poll, else at its next poll.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class Consumer<K, V> implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

  private final ClientInternals client;
  private final ConsumerOptions settings;
  private final Fetcher fetcher;
  private final Runnable changeListener;
  private final PollThreadTasks tasks;
  private final Wakeups wakeups;
  private final AssignedPartitions assigned;
  private final @Nullable ConsumerGroup group;
  private final Polls<K, V> polls;
  private final ConsumerClosing closing;
  private final ConsumerLabels labels;

  Consumer(ClientInternals client, ConsumerOptions settings, @Nullable GroupOptions options, Decoder<? extends K> keys,
      Decoder<? extends V> values) {
    this.client = client;
    this.settings = settings;
    this.fetcher = new Fetcher(client, settings.fetch());
    this.changeListener = fetcher::onChange;
    this.tasks = new PollThreadTasks(client.loop(), client.cluster().waiters(), settings.exclusive());
    this.wakeups = new Wakeups(client.loop(), client.cluster(), settings.exclusive());
    this.assigned = new AssignedPartitions(client, fetcher, options == null ? "" : options.member().groupId());
    this.group = options == null
        ? null
        : new ConsumerGroup(client, options, fetcher, assigned, new ConsumerGroup.PollThread(tasks, wakeups),
            settings.reset());
    this.polls = new Polls<>(client, settings, fetcher, tasks, wakeups,
        new Polls.Consuming<>(assigned, group, keys, values));
    this.closing = new ConsumerClosing(client, polls, assigned, group, this::stop);
    ConsumerGroup g = group;
    labels = g == null
        ? new ConsumerLabels(settings.fetch().rack(), assigned, null, null)
        : new ConsumerLabels(settings.fetch().rack(), assigned, g.options().member(), g.member());
  }

  /** Registers with the client and its loop, and starts the group member. Called once, before any other method. */
  Consumer<K, V> started() {
    client.register(this);
    client.loop().execute(() -> {
      client.loop().add(fetcher);
      client.cluster().addTopicUser(fetcher);
      client.cluster().onChange(changeListener);
    });
    if (group != null) {
      group.start();
    }
    client.pushSources().add(labels);
    return this;
  }

  /**
   * Replaces the assignment. A partition that was assigned before keeps its position. A partition that is no longer
   * assigned loses its fetched records; its processed records are not committed. A new partition begins at the offset
   * that the group has committed; without a group or a commit, {@code offsetReset} decides. {@link #seek} overrides
   * both. A call between two polls takes effect in the next poll; a call within a poll takes effect at once.
   *
   * @param topic the topic
   * @param partitions their numbers
   * @throws IllegalArgumentException if a number is negative, or no broker would take the name
   * @throws IllegalStateException if the group assigns the partitions, or the consumer is closed
   */
  public void assign(String topic, int... partitions) {
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(partitions, "partitions");
    assign(IntStream.of(partitions).mapToObj(number -> new TopicPartition(topic, number)).toList());
  }

  /**
   * {@link #assign(String, int...)} for partitions of several topics.
   *
   * @param partitions all that are to be read from now on
   * @throws IllegalArgumentException if no broker would take a topic's name
   * @throws IllegalStateException if the group assigns the partitions, or the consumer is closed
   */
  public void assign(Collection<TopicPartition> partitions) {
    Set<TopicPartition> wanted = new LinkedHashSet<>();
    for (TopicPartition p : Objects.requireNonNull(partitions, "partitions")) {
      TopicName.requireLegal(Objects.requireNonNull(p, "partitions").topic());
      wanted.add(p);
    }
    polls.requireOpen();
    ConsumerGroup g = group;
    if (g != null && g.hasSubscription()) {
      throw new IllegalStateException("this consumer was opened with subscribe, so its group assigns the partitions");
    }
    List<AssignedPartition> next = new ArrayList<>();
    List<AssignedPartition> fresh = new ArrayList<>();
    for (TopicPartition name : wanted) {
      AssignedPartition kept = assigned.find(name.topic(), name.partition());
      AssignedPartition p = kept != null ? kept : new AssignedPartition(name.topic(), name.partition());
      next.add(p);
      if (kept == null) {
        fresh.add(p);
      }
    }
    tasks.isPoller(); // makes this thread the polling thread, if no thread is
    assigned.replace(next);
    if (g != null) {
      g.rebalancing().begin(fresh);
    } else if (!settings.reset().equals(OffsetReset.NONE)) {
      fresh.forEach(p -> assigned.seek(p, AssignedPartition.UNKNOWN, settings.reset().timestamp()));
    }
  }

  /**
   * Returns the partitions that are assigned now. Any thread.
   *
   * @return a copy
   */
  public List<TopicPartition> assignment() {
    return assigned.all().stream().map(AssignedPartition::name).toList();
  }

  /**
   * Replaces the subscription by these topics; the group then assigns their partitions. Any thread.
   *
   * @param topics their names
   * @throws IllegalArgumentException if no broker would take a name
   * @throws IllegalStateException if the consumer was opened without a subscription, or is closed
   */
  public void subscribe(String... topics) {
    List<String> names = TopicName.requireLegal("topics", topics);
    polls.requireOpen();
    requireGroup().subscribe(new Subscription(names, null));
  }

  /**
   * Revokes all partitions. With a subscription, the group revokes them, and the consumer stays a member without
   * partitions until the next {@link #subscribe}. Without one, they are dropped at once. Automatic commits store the
   * processed records first. Called by the polling thread.
   */
  public void unsubscribe() {
    ConsumerGroup g = group;
    if (g != null && g.hasSubscription()) {
      g.subscribe(new Subscription(List.of(), null));
      return;
    }
    if (g != null && g.committer().isAutomatic()) {
      g.committer().commitAsync(g.committer().changed(assigned.all()), apiDeadline(), null);
    }
    assigned.replace(List.of());
  }

  /**
   * Replaces the subscription by a pattern; the group then assigns partitions of all matching topics, also of topics
   * that are created later. Any thread.
   *
   * @param expression matched against whole names: by the broker, in RE2J's syntax; under the classic protocol by this
   *     client, as {@link java.util.regex.Pattern}
   * @throws IllegalStateException if the consumer was opened without a subscription, or is closed
   */
  public void subscribePattern(String expression) {
    Objects.requireNonNull(expression, "expression");
    polls.requireOpen();
    requireGroup().subscribe(new Subscription(List.of(), expression));
  }

  /**
   * Replaces the subscription by a pattern that this client matches, under both protocols. Any thread.
   *
   * @param pattern of whole names
   * @param withInternal whether topics that Kafka keeps for itself may match
   * @throws IllegalStateException if the consumer was opened without a subscription, or is closed
   */
  public void subscribePattern(Pattern pattern, boolean withInternal) {
    TopicFilter filter = new TopicFilter(Objects.requireNonNull(pattern, "pattern"), withInternal);
    polls.requireOpen();
    requireGroup().subscribe(new Subscription(List.of(), null, filter));
  }

  /**
   * Returns the topics of the subscription: those that were named, or those that this client has matched. Any thread.
   *
   * @return a copy; empty if brokers match a pattern, and without a subscription
   */
  public Set<String> subscription() {
    ConsumerGroup g = group;
    return g == null ? Set.of() : g.member().topics();
  }

  /**
   * Makes a group of the classic protocol rebalance as soon as the member may. Under the consumer protocol the broker
   * assigns partitions, and this call does nothing. Any thread.
   *
   * @param reason for the coordinator's log
   */
  public void enforceRebalance(String reason) {
    Objects.requireNonNull(reason, "reason");
    polls.requireNotEnded();
    ConsumerGroup g = requireGroup();
    client.loop().execute(() -> g.member().rejoin(reason));
  }

  private ConsumerGroup requireGroup() {
    ConsumerGroup g = group;
    if (g == null) {
      throw new IllegalStateException("this consumer has no group; name one before it is opened: group(id)");
    }
    return g;
  }

  /**
   * Moves the position to an offset and drops records that were fetched for another position. Between two polls,
   * fetching resumes with the next poll; within a poll, at once. Any thread: a call of another thread than the polling
   * one takes effect there.
   *
   * @param topic the topic
   * @param partition an assigned partition
   * @param offset of the record that the next poll begins with
   */
  public void seek(String topic, int partition, long offset) {
    seek(new TopicPartition(topic, partition), new OffsetAndMetadata(offset));
  }

  /**
   * Moves the position to an offset. With the leader epoch of the record before it, poll reports if the log has lost
   * that record (KIP-320). Any thread.
   *
   * @param partition an assigned partition
   * @param offset of the record that the next poll begins with
   */
  public void seek(TopicPartition partition, OffsetAndMetadata offset) {
    seekTo(assigned.require(partition.topic(), partition.partition()), offset.offset(), offset.leaderEpoch(), 0);
  }

  /** Moves the position of every assigned partition to its oldest record. Any thread. */
  public void seekToBeginning() {
    assigned.all().forEach(
        p -> seekTo(p, AssignedPartition.UNKNOWN, AssignedPartition.NO_EPOCH, OffsetReset.EARLIEST.timestamp()));
  }

  /** Moves the position of every assigned partition behind its newest record. Any thread. */
  public void seekToEnd() {
    assigned.all()
        .forEach(p -> seekTo(p, AssignedPartition.UNKNOWN, AssignedPartition.NO_EPOCH, OffsetReset.LATEST.timestamp()));
  }

  /**
   * Moves the position of some partitions to their oldest records. Any thread.
   *
   * @param partitions assigned partitions
   */
  public void seekToBeginning(Collection<TopicPartition> partitions) {
    assigned.require("partitions", partitions).forEach(
        p -> seekTo(p, AssignedPartition.UNKNOWN, AssignedPartition.NO_EPOCH, OffsetReset.EARLIEST.timestamp()));
  }

  /**
   * Moves the position of some partitions behind their newest records. Any thread.
   *
   * @param partitions assigned partitions
   */
  public void seekToEnd(Collection<TopicPartition> partitions) {
    assigned.require("partitions", partitions)
        .forEach(p -> seekTo(p, AssignedPartition.UNKNOWN, AssignedPartition.NO_EPOCH, OffsetReset.LATEST.timestamp()));
  }

  private void seekTo(AssignedPartition p, long offset, int epoch, long resetTimestamp) {
    if (tasks.isPoller()) {
      assigned.seek(p, offset, epoch, resetTimestamp);
      return;
    }
    p.request(offset);
    tasks.add(() -> {
      if (assigned.contains(p)) {
        assigned.seek(p, offset, epoch, resetTimestamp);
      }
      p.requestDone(offset);
    });
  }

  /**
   * Stops the delivery and the fetching of partitions until {@link #resume}. Records that were already fetched are kept
   * for that time, {@code fetch.max.bytes} at most. Any thread.
   *
   * @param topic the topic
   * @param partitions assigned partitions
   */
  public void pause(String topic, int... partitions) {
    List<AssignedPartition> chosen = assigned.require(topic, partitions);
    tasks.runOrAdd(() -> chosen.forEach(assigned::pause));
  }

  /**
   * Ends a {@link #pause}. Any thread.
   *
   * @param topic the topic
   * @param partitions assigned partitions
   */
  public void resume(String topic, int... partitions) {
    List<AssignedPartition> chosen = assigned.require(topic, partitions);
    tasks.runOrAdd(() -> chosen.forEach(assigned::resume));
  }

  /**
   * {@link #pause(String, int...)} for partitions of several topics.
   *
   * @param partitions assigned partitions
   */
  public void pause(Collection<TopicPartition> partitions) {
    List<AssignedPartition> chosen = assigned.require("partitions", partitions);
    tasks.runOrAdd(() -> chosen.forEach(assigned::pause));
  }

  /**
   * {@link #resume(String, int...)} for partitions of several topics.
   *
   * @param partitions assigned partitions
   */
  public void resume(Collection<TopicPartition> partitions) {
    List<AssignedPartition> chosen = assigned.require("partitions", partitions);
    tasks.runOrAdd(() -> chosen.forEach(assigned::resume));
  }

  /**
   * Returns the partitions that are paused. Called by the polling thread.
   *
   * @return a copy
   */
  public List<TopicPartition> paused() {
    return assigned.all().stream().filter(p -> p.paused).map(AssignedPartition::name).toList();
  }

  /**
   * Returns the offset of the next record to be delivered. Any thread.
   *
   * @param topic the topic
   * @param partition an assigned partition
   * @param timeout longest wait for the lookup of the position
   * @return the offset
   * @throws KafkaTimeoutException if the lookup does not end in time
   * @throws KafkaException if a fetch or the lookup has failed; the next poll throws the cause
   * @throws InterruptedException if the thread was interrupted
   */
  public long position(String topic, int partition, Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    AssignedPartition p = assigned.require(topic, partition);
    long known = p.known();
    if (known < 0) {
      ConsumerGroup g = group;
      if (g != null && tasks.isPoller()) {
        g.rebalancing().begin(List.of(p)); // within onAssigned, no lookup has begun yet
      }
      boolean inTime = wakeups.await(
          () -> p.known() >= 0 || (fetcher.failures().isPresent() && fetcher.hasMetadataOf(topic)),
          deadline(timeout));
      known = p.known();
      if (known >= 0) {
        return known;
      }
      FetchFailures.Failure failed = fetcher.failures().peek();
      KafkaException refused = fetcher.refusalOf(topic);
      Throwable last = refused != null ? refused : failed != null ? failed.cause() : fetcher.failures().last();
      String message = "the position of " + p + " is not known; " + LastError.words(last);
      throw inTime ? new KafkaException(ErrorCode.NONE, message, last) : new KafkaTimeoutException(message, last);
    }
    return known;
  }

  /**
   * Returns the number of offsets between the position and the end of a partition, by the last fetch response. With
   * {@link IsolationLevel#READ_COMMITTED} the end is that of the committed records. Sends no request. Any thread.
   *
   * @param topic the topic
   * @param partition an assigned partition
   * @return 0 or more, offsets without records included; -1 before the first response, and while the position is not
   *     known
   */
  public long currentLag(String topic, int partition) {
    return assigned.require(topic, partition).status().lag();
  }

  /**
   * Returns the partitions of this consumer with position, end and lag. Sends no request and does not wait. Any thread.
   *
   * @return a snapshot
   */
  public ConsumerStatus status() {
    return assigned.status(polls.nanosSincePoll());
  }

  /**
   * Returns the offset of the oldest record of each partition. Any thread. Takes at most {@code
   * default.api.timeout.ms}.
   *
   * @param partitions of any topics
   * @return the offset of the oldest record; in a partition without records, the offset of the next one
   * @throws KafkaException if a broker refuses the request, or does not respond in time
   * @throws InterruptedException if the thread was interrupted
   */
  public Map<TopicPartition, Long> beginningOffsets(TopicPartition... partitions) throws InterruptedException {
    return offsets(OffsetReset.EARLIEST, ConsumerBuilder.requireAll("partitions", partitions), apiDeadline());
  }

  /**
   * {@link #beginningOffsets(TopicPartition...)} with a timeout of its own.
   *
   * @param partitions of any topics
   * @param timeout for all responses
   * @return the offset of the oldest record there is, or will be
   * @throws InterruptedException if the thread was interrupted
   */
  public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions, Duration timeout)
      throws InterruptedException {
    return offsets(OffsetReset.EARLIEST, copyOf("partitions", partitions), deadline(timeout));
  }

  /**
   * Returns the end offset of each partition; with {@link IsolationLevel#READ_COMMITTED}, the end of the committed
   * records. Any thread. Takes at most {@code default.api.timeout.ms}.
   *
   * @param partitions of any topics
   * @return the offset behind the newest record
   * @throws KafkaException if a broker refuses the request, or does not respond in time
   * @throws InterruptedException if the thread was interrupted
   */
  public Map<TopicPartition, Long> endOffsets(TopicPartition... partitions) throws InterruptedException {
    return offsets(OffsetReset.LATEST, ConsumerBuilder.requireAll("partitions", partitions), apiDeadline());
  }

  /**
   * {@link #endOffsets(TopicPartition...)} with a timeout of its own.
   *
   * @param partitions of any topics
   * @param timeout for all responses
   * @return the offset behind the newest record
   * @throws InterruptedException if the thread was interrupted
   */
  public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions, Duration timeout)
      throws InterruptedException {
    return offsets(OffsetReset.LATEST, copyOf("partitions", partitions), deadline(timeout));
  }

  private static List<TopicPartition> copyOf(String parameter, Collection<TopicPartition> partitions) {
    return ConsumerBuilder.requireAll(parameter,
        Objects.requireNonNull(partitions, parameter).toArray(TopicPartition[]::new));
  }

  private Map<TopicPartition, Long> offsets(OffsetReset where, List<TopicPartition> partitions, long deadlineNanos)
      throws InterruptedException {
    Map<TopicPartition, Long> timestamps = new LinkedHashMap<>();
    partitions.forEach(p -> timestamps.put(p, where.timestamp()));
    Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
    find(timestamps, deadlineNanos).forEach((p, found) -> offsets.put(p, found.offset()));
    return offsets;
  }

  /**
   * Returns the first record of each partition that is not older than a time. Any thread. Takes at most {@code
   * default.api.timeout.ms}.
   *
   * @param times in epoch milliseconds, for partitions of any topics
   * @return offset and time of the records; without partitions whose records are all older
   * @throws KafkaException if a broker refuses the request, or does not respond in time
   * @throws IllegalArgumentException if a time is negative
   * @throws InterruptedException if the thread was interrupted
   */
  public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> times)
      throws InterruptedException {
    return find(legal(times), apiDeadline());
  }

  /**
   * {@link #offsetsForTimes(Map)} with a timeout of its own.
   *
   * @param times in epoch milliseconds, for partitions of any topics
   * @param timeout for all responses
   * @return offset and time of the records; without partitions whose records are all older
   * @throws InterruptedException if the thread was interrupted
   */
  public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> times, Duration timeout)
      throws InterruptedException {
    return find(legal(times), deadline(timeout));
  }

  private static Map<TopicPartition, Long> legal(Map<TopicPartition, Long> times) {
    Objects.requireNonNull(times, "times").forEach((p, time) -> {
      Objects.requireNonNull(p, "times: a partition");
      Objects.requireNonNull(time, "times: a time");
      if (time < 0) {
        throw new IllegalArgumentException("offsetsForTimes: the time " + time + " for " + p + " is negative");
      }
    });
    return times;
  }

  private Map<TopicPartition, OffsetAndTimestamp> find(Map<TopicPartition, Long> timestamps, long deadlineNanos)
      throws InterruptedException {
    Map<TopicPartition, OffsetAndTimestamp> offsets = new LinkedHashMap<>();
    new ListOffsetsCall(client, settings.fetch().readsCommitted(), timestamps)
        .await(polls.untilEnd(), deadlineNanos)
        .forEach((p, found) -> offsets.put(p,
            new OffsetAndTimestamp(found.offset(), found.timestamp(), found.leaderEpoch())));
    return offsets;
  }

  /**
   * Returns all topics that the client may describe, with Kafka's internal ones. Any thread.
   *
   * @param timeout for the response
   * @return partitions by topic
   * @throws KafkaException if a broker refuses the request, or does not respond in time
   * @throws InterruptedException if the thread was interrupted
   */
  public Map<String, List<PartitionInfo>> topics(Duration timeout) throws InterruptedException {
    return TopicListing.all(client).await(polls.untilEnd(), deadline(timeout));
  }

  /**
   * Returns the partitions of a topic. Any thread.
   *
   * @param topic its name
   * @param timeout for the response
   * @return the partitions; empty if the topic does not exist
   * @throws KafkaException if a broker refuses the request, or does not respond in time
   * @throws InterruptedException if the thread was interrupted
   */
  public List<PartitionInfo> partitionsFor(String topic, Duration timeout) throws InterruptedException {
    return TopicListing.of(client, Objects.requireNonNull(topic, "topic"))
        .await(polls.untilEnd(), deadline(timeout)).getOrDefault(topic, List.of());
  }

  private long apiDeadline() {
    return client.loop().clock().nanoTime() + settings.apiTimeoutNanos();
  }

  private long deadline(Duration timeout) {
    return Timeouts.deadline(client.loop().clock().nanoTime(), Objects.requireNonNull(timeout, "timeout"));
  }

  /**
   * Commits the position of every partition, and waits until the coordinator has stored them. A position is behind the
   * last record delivered, including the one being handled. Any thread. Takes at most {@code default.api.timeout.ms}.
   *
   * @throws KafkaException if the coordinator refuses the commit, or does not store it in time
   * @throws IllegalStateException if the consumer has no group
   * @throws InterruptedException if the thread was interrupted
   */
  public void commit() throws InterruptedException {
    commit(requireGroup().committer().positions());
  }

  /**
   * Commits these offsets, and waits until the coordinator has stored them. Any thread. Takes at most {@code
   * default.api.timeout.ms}.
   *
   * @param offsets of the next record to read, by partition
   * @throws KafkaException if the coordinator refuses the commit, or does not store it in time
   * @throws IllegalStateException if the consumer has no group
   * @throws InterruptedException if the thread was interrupted
   */
  public void commit(Map<TopicPartition, OffsetAndMetadata> offsets) throws InterruptedException {
    requireGroup().committer().commitAndWait(copyOf(offsets), apiDeadline());
  }

  /**
   * {@link #commit(Map)} with a timeout of its own.
   *
   * @param offsets of the next record to read, by partition
   * @param timeout until when the coordinator has to store them
   * @throws InterruptedException if the thread was interrupted
   */
  public void commit(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) throws InterruptedException {
    requireGroup().committer().commitAndWait(copyOf(offsets), deadline(timeout));
  }

  /**
   * Returns the positions that a commit without offsets would store, with leader epochs as far as they are known.
   *
   * @return the known positions, by partition
   * @throws IllegalStateException if the consumer has no group
   */
  public Map<TopicPartition, OffsetAndMetadata> positions() {
    return requireGroup().committer().positions();
  }

  /** Keeps the order of the map for the request; Map.copyOf has another order in each JVM. */
  private static Map<TopicPartition, OffsetAndMetadata> copyOf(Map<TopicPartition, OffsetAndMetadata> offsets) {
    Objects.requireNonNull(offsets, "offsets").forEach((partition, offset) -> {
      Objects.requireNonNull(partition, "offsets: a partition");
      Objects.requireNonNull(offset, "offsets: an offset");
    });
    return Collections.unmodifiableMap(new LinkedHashMap<>(offsets));
  }

  /**
   * Commits the position of every partition without waiting. Commits that wait for the response to an earlier one are
   * sent together, with the newest offset of each partition. Any thread.
   *
   * @param listener called by the polling thread; null for none
   */
  public void commitAsync(@Nullable CommitListener listener) {
    commitAsync(requireGroup().committer().positions(), listener);
  }

  /**
   * Commits these offsets without waiting. Any thread.
   *
   * @param offsets of the next record to read, by partition
   * @param listener called by the polling thread; null for none
   */
  public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable CommitListener listener) {
    requireGroup().committer().commitAsync(copyOf(offsets), apiDeadline(), listener);
  }

  /**
   * {@link #commitAsync(Map, CommitListener)} for a listener that the client's loop calls, also while no thread polls.
   * The listener must not block. Commits end in their order. On a closed consumer the listener is called at once.
   *
   * @param offsets of the next record to read, by partition
   * @param timeout until when the coordinator has to store them
   * @param listener called by the client's loop
   */
  public void commitInBackground(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout,
      CommitListener listener) {
    Objects.requireNonNull(listener, "listener");
    requireGroup().committer().commitInBackground(copyOf(offsets), deadline(timeout), listener);
  }

  /**
   * Returns the identity of this consumer in its group, for a transaction that commits its offsets. Any thread.
   *
   * @return the group, and the member as its coordinator knows it
   * @throws KafkaTimeoutException if the client's loop does not respond within five seconds
   * @throws IllegalStateException if the consumer has no group
   */
  public GroupMetadata groupMetadata() {
    polls.requireNotEnded();
    return requireGroup().metadata();
  }

  /**
   * Returns the committed offsets of the group. Any thread. Takes at most {@code default.api.timeout.ms}.
   *
   * @param partitions of any topics
   * @return the offsets; without the partitions that have none
   * @throws KafkaException if the coordinator refuses the request, or does not respond in time
   * @throws InterruptedException if the thread was interrupted
   */
  public Map<TopicPartition, OffsetAndMetadata> committed(TopicPartition... partitions) throws InterruptedException {
    return committed(ConsumerBuilder.requireAll("partitions", partitions), apiDeadline());
  }

  /**
   * {@link #committed(TopicPartition...)} with a timeout of its own.
   *
   * @param partitions of any topics
   * @param timeout for the response
   * @return the offsets; without the partitions that have none
   * @throws InterruptedException if the thread was interrupted
   */
  public Map<TopicPartition, OffsetAndMetadata> committed(Collection<TopicPartition> partitions, Duration timeout)
      throws InterruptedException {
    return committed(copyOf("partitions", partitions), deadline(timeout));
  }

  private Map<TopicPartition, OffsetAndMetadata> committed(List<TopicPartition> partitions, long deadlineNanos)
      throws InterruptedException {
    ConsumerGroup g = requireGroup();
    if (tasks.isPoller()) {
      g.rebalancing().requireNoLoss("committed");
    }
    return g.committer().committed(partitions, deadlineNanos);
  }

  /**
   * Delivers records that have arrived, and waits only if there are none.
   *
   * @param timeout how long to wait for the first record
   * @param handler called for each record, on this thread
   * @return number of records delivered, at most {@code maxPollRecords}; 0 after the timeout or {@link #wakeup()}
   * @throws KafkaException if a broker or the group has refused a request
   * @throws BadRecordException if the handler met a record that cannot be decoded, and {@link BadRecordPolicy} stops
   *     there
   * @throws UnreadableBatchException if fetched bytes are no records
   * @throws IllegalStateException if the consumer is closed; or if another poll has not ended, on another thread or
   *     further up the stack of this one
   * @throws InterruptedException if the thread was interrupted while this call or the handler waited
   */
  public int poll(Duration timeout, RecordHandler<K, V> handler) throws InterruptedException {
    return polls.poll(Objects.requireNonNull(timeout, "timeout"), Objects.requireNonNull(handler, "handler"));
  }

  /**
   * {@link #poll} for a handler that takes the records of one partition at a time.
   *
   * @param timeout how long to wait for the first record
   * @param handler called for each partition with records, on this thread
   * @return number of records the handler has moved to, at most {@code maxPollRecords}
   * @throws KafkaException if a broker or the group has refused a request
   * @throws BadRecordException as {@link #poll}
   * @throws UnreadableBatchException if fetched bytes are no records
   * @throws IllegalStateException if the consumer is closed; or if another poll has not ended, on another thread or
   *     further up the stack of this one
   * @throws InterruptedException if the thread was interrupted while this call or the handler waited
   */
  public int pollPartitions(Duration timeout, PartitionHandler<K, V> handler) throws InterruptedException {
    return polls.pollPartitions(Objects.requireNonNull(timeout, "timeout"), Objects.requireNonNull(handler, "handler"));
  }

  /**
   * Makes a waiting {@link #poll} return. If none waits, the next one that would wait returns. If the consumer is
   * {@link ConsumerBuilder#exclusive}, ends any other call that waits, too. Any thread.
   */
  public void wakeup() {
    wakeups.wakeup();
  }

  /** {@link #close(Duration, GroupMembershipOperation)} with 10 s and {@link GroupMembershipOperation#DEFAULT}. */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT, GroupMembershipOperation.DEFAULT);
  }

  /**
   * Commits the positions if commits are automatic, revokes the partitions, leaves the group, stops fetching and
   * returns all memory. Pending commits are stored first, and their listeners are called. Any thread.
   *
   * <p>A poll of another thread that waits ends with an {@link IllegalStateException}. A poll whose handler is being
   * called ends before the partitions are revoked. If another thread already closes the consumer, this call waits for
   * its end, and the shorter timeout of both counts.
   *
   * @param timeout for the end of another thread's poll, commits and the group's response together
   * @param departure whether the member leaves the group
   * @throws IllegalStateException if a listener of the client calls this, or another thread's poll has not ended in
   * time. In the latter case nothing is committed, the group notices by itself, and the poll returns the memory at its
   * end
   */
  public void close(Duration timeout, GroupMembershipOperation departure) {
    Objects.requireNonNull(timeout, "timeout");
    Objects.requireNonNull(departure, "departure");
    if (client.loop().isOwner()) {
      if (polls.isClosed()) {
        return;
      }
      throw new IllegalStateException(
          "close: not from within a listener of the client, it would wait for what listeners"
              + " hold up; close where the consumer is polled");
    }
    // the labels need the member's id: they go before the member leaves
    closing.close(timeout, departure, () -> client.loop().execute(() -> client.pushSources().remove(labels)));
  }

  private void stop() {
    client.runOnLoop(() -> {
      client.cluster().removeOnChange(changeListener);
      client.loop().remove(fetcher);
      fetcher.shutDown();
    });
    client.unregister(this);
  }
}
