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
 * Reads records of partitions that its group gives it, or that the application assigns. Polled and assigned by one
 * thread at a time; all other methods, {@link #close(Duration, Departure)} too, any thread: what concerns the polling
 * thread it does at the start of its next poll, or at once in the poll in which it waits. Only batches that readers may
 * see are handed out; control batches are not records and are passed over.
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

  /** Begins. Once, before anything else. */
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
   * Replaces the assignment. A partition that was assigned before keeps its position; what was fetched of one that is
   * not assigned any more is dropped, without a commit of what was processed of it; a new one begins where the group
   * has committed, without a group or a commit where {@code offsetReset} says, unless {@link #seek} says otherwise.
   * Between two polls it is fetched from the next one on, within a poll at once.
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
    tasks.isPoller(); // claims the polls for this thread if nobody has yet
    assigned.replace(next);
    if (g != null) {
      g.rebalancing().begin(fresh);
    } else if (!settings.reset().equals(OffsetReset.NONE)) {
      fresh.forEach(p -> assigned.seek(p, AssignedPartition.UNKNOWN, settings.reset().timestamp()));
    }
  }

  /**
   * The partitions that are read now. Any thread.
   *
   * @return a copy
   */
  public List<TopicPartition> assignment() {
    return assigned.all().stream().map(AssignedPartition::name).toList();
  }

  /**
   * Has the group assign partitions of other topics from now on. Any thread.
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
   * Gives up all partitions: with a subscription by way of the group, of which the consumer stays a member without
   * partitions until the next {@link #subscribe}; else at once. What was processed is committed first, if that is
   * automatic. The polling thread.
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
   * Has the group assign partitions of all topics that match from now on, also of such as are created later. Any
   * thread.
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
   * Has the group assign partitions of all topics that match from now on. This client matches, under both protocols.
   * Any thread.
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
   * The topics that the group is asked for: named, or matched by this client. Any thread.
   *
   * @return a copy; empty where brokers match a pattern, and without a subscription
   */
  public Set<String> subscription() {
    ConsumerGroup g = group;
    return g == null ? Set.of() : g.member().topics();
  }

  /**
   * Has a group of the classic protocol rebalance, as soon as the member may. Under the consumer protocol the broker
   * divides the partitions, and this does nothing. Any thread.
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
   * Goes on at an offset. What was fetched already for another position is dropped. Between two polls the partition is
   * fetched from the next one on, within a poll at once. Any thread; one that does not poll leaves this to the polling
   * thread.
   *
   * @param topic the topic
   * @param partition an assigned partition
   * @param offset of the record that the next poll begins with
   */
  public void seek(String topic, int partition, long offset) {
    seek(new TopicPartition(topic, partition), new OffsetAndMetadata(offset));
  }

  /**
   * Goes on at an offset. If the leader epoch of the record before it is given, poll notices when the log has lost that
   * record since. Any thread.
   *
   * @param partition an assigned partition
   * @param offset of the record that the next poll begins with
   */
  public void seek(TopicPartition partition, OffsetAndMetadata offset) {
    seekTo(assigned.require(partition.topic(), partition.partition()), offset.offset(), offset.leaderEpoch(), 0);
  }

  /** Goes on at the oldest record of every assigned partition. Any thread. */
  public void seekToBeginning() {
    assigned.all().forEach(
        p -> seekTo(p, AssignedPartition.UNKNOWN, AssignedPartition.NO_EPOCH, OffsetReset.EARLIEST.timestamp()));
  }

  /** Goes on behind the newest record of every assigned partition. Any thread. */
  public void seekToEnd() {
    assigned.all()
        .forEach(p -> seekTo(p, AssignedPartition.UNKNOWN, AssignedPartition.NO_EPOCH, OffsetReset.LATEST.timestamp()));
  }

  /**
   * Goes on at the oldest record of some partitions. Any thread.
   *
   * @param partitions assigned ones
   */
  public void seekToBeginning(Collection<TopicPartition> partitions) {
    assigned.require("partitions", partitions).forEach(
        p -> seekTo(p, AssignedPartition.UNKNOWN, AssignedPartition.NO_EPOCH, OffsetReset.EARLIEST.timestamp()));
  }

  /**
   * Goes on behind the newest record of some partitions. Any thread.
   *
   * @param partitions assigned ones
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
   * Hands out no records of partitions until {@link #resume}, and fetches none. What was fetched already is kept for
   * then, {@code fetch.max.bytes} at most. Any thread.
   *
   * @param topic the topic
   * @param partitions assigned partitions
   */
  public void pause(String topic, int... partitions) {
    List<AssignedPartition> chosen = assigned.require(topic, partitions);
    tasks.runOrAdd(() -> chosen.forEach(assigned::pause));
  }

  /**
   * Ends what {@link #pause} began. Any thread.
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
   * @param partitions assigned ones
   */
  public void pause(Collection<TopicPartition> partitions) {
    List<AssignedPartition> chosen = assigned.require("partitions", partitions);
    tasks.runOrAdd(() -> chosen.forEach(assigned::pause));
  }

  /**
   * {@link #resume(String, int...)} for partitions of several topics.
   *
   * @param partitions assigned ones
   */
  public void resume(Collection<TopicPartition> partitions) {
    List<AssignedPartition> chosen = assigned.require("partitions", partitions);
    tasks.runOrAdd(() -> chosen.forEach(assigned::resume));
  }

  /**
   * The partitions that are paused. The polling thread.
   *
   * @return a copy
   */
  public List<TopicPartition> paused() {
    return assigned.all().stream().filter(p -> p.paused).map(AssignedPartition::name).toList();
  }

  /**
   * The offset of the next record to be handed out. Any thread.
   *
   * @param topic the topic
   * @param partition an assigned partition
   * @param timeout how long to wait while the position is being looked up
   * @return the offset
   * @throws KafkaTimeoutException when it is not known in time
   * @throws KafkaException when a fetch or the look-up has failed; the next poll says why
   * @throws InterruptedException if the thread was interrupted
   */
  public long position(String topic, int partition, Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    AssignedPartition p = assigned.require(topic, partition);
    long known = p.known();
    if (known < 0) {
      ConsumerGroup g = group;
      if (g != null && tasks.isPoller()) {
        g.rebalancing().begin(List.of(p)); // in onAssigned nobody has asked yet
      }
      boolean inTime = wakeups.await(
          () -> p.known() >= 0 || (fetcher.failures().isPresent() && fetcher.hasHeardOf(topic)),
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
   * How many records are between the position and the end of a partition, as the last response of a broker said; with
   * {@link IsolationLevel#READ_COMMITTED} the end of what is committed. Asks nobody. Any thread.
   *
   * @param topic the topic
   * @param partition an assigned partition
   * @return 0 or more, offsets without records included; -1 if nothing was answered yet or the position is not known
   */
  public long currentLag(String topic, int partition) {
    return assigned.require(topic, partition).status().lag();
  }

  /**
   * How this consumer stands: its partitions with position, end and lag. Any thread; asks nobody and does not wait.
   *
   * @return a snapshot
   */
  public ConsumerStatus status() {
    return assigned.status(polls.nanosSincePoll());
  }

  /**
   * Where partitions begin. Any thread, for at most {@code default.api.timeout.ms}.
   *
   * @param partitions of any topics
   * @return the offset of the oldest record there is, or will be
   * @throws KafkaException what a broker has refused, or did not answer in time
   * @throws InterruptedException if the thread was interrupted
   */
  public Map<TopicPartition, Long> beginningOffsets(TopicPartition... partitions) throws InterruptedException {
    return offsets(OffsetReset.EARLIEST, ConsumerBuilder.requireAll("partitions", partitions), apiDeadline());
  }

  /**
   * {@link #beginningOffsets(TopicPartition...)} with a time-out of its own.
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
   * Where partitions end; with {@link IsolationLevel#READ_COMMITTED}, where what is committed ends. Any thread, for at
   * most {@code default.api.timeout.ms}.
   *
   * @param partitions of any topics
   * @return the offset behind the newest record
   * @throws KafkaException what a broker has refused, or did not answer in time
   * @throws InterruptedException if the thread was interrupted
   */
  public Map<TopicPartition, Long> endOffsets(TopicPartition... partitions) throws InterruptedException {
    return offsets(OffsetReset.LATEST, ConsumerBuilder.requireAll("partitions", partitions), apiDeadline());
  }

  /**
   * {@link #endOffsets(TopicPartition...)} with a time-out of its own.
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
    Map<TopicPartition, Long> asked = new LinkedHashMap<>();
    partitions.forEach(p -> asked.put(p, where.timestamp()));
    Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
    find(asked, deadlineNanos).forEach((p, found) -> offsets.put(p, found.offset()));
    return offsets;
  }

  /**
   * The first records that are not older than a time. Any thread, for at most {@code default.api.timeout.ms}.
   *
   * @param times in epoch milliseconds, for partitions of any topics
   * @return what was found; a partition whose records are all older is not there
   * @throws KafkaException what a broker has refused, or did not answer in time
   * @throws IllegalArgumentException if a time is negative
   * @throws InterruptedException if the thread was interrupted
   */
  public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> times)
      throws InterruptedException {
    return find(legal(times), apiDeadline());
  }

  /**
   * {@link #offsetsForTimes(Map)} with a time-out of its own.
   *
   * @param times in epoch milliseconds, for partitions of any topics
   * @param timeout for all responses
   * @return what was found; a partition whose records are all older is not there
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
   * All topics that the client may see, with those that Kafka keeps for itself. Any thread.
   *
   * @param timeout for the response
   * @return partitions by topic
   * @throws KafkaException what a broker has refused, or did not answer in time
   * @throws InterruptedException if the thread was interrupted
   */
  public Map<String, List<PartitionInfo>> topics(Duration timeout) throws InterruptedException {
    return TopicListing.all(client).await(polls.untilEnd(), deadline(timeout));
  }

  /**
   * The partitions of a topic. Any thread.
   *
   * @param topic its name
   * @param timeout for the response
   * @return empty if there is no such topic
   * @throws KafkaException what a broker has refused, or did not answer in time
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
   * Commits the position of every partition, and waits until that is stored: all records that were handed out, with
   * the one that is just being handled. Any thread, for at most {@code default.api.timeout.ms}.
   *
   * @throws KafkaException what the coordinator has refused, or did not store in time
   * @throws IllegalStateException if the consumer has no group
   * @throws InterruptedException if the thread was interrupted
   */
  public void commit() throws InterruptedException {
    commit(requireGroup().committer().positions());
  }

  /**
   * Commits these offsets, and waits until they are stored. Any thread, for at most {@code default.api.timeout.ms}.
   *
   * @param offsets of the next record to read, by partition
   * @throws KafkaException what the coordinator has refused, or did not store in time
   * @throws IllegalStateException if the consumer has no group
   * @throws InterruptedException if the thread was interrupted
   */
  public void commit(Map<TopicPartition, OffsetAndMetadata> offsets) throws InterruptedException {
    requireGroup().committer().commitAndWait(copyOf(offsets), apiDeadline());
  }

  /**
   * {@link #commit(Map)} with a time-out of its own.
   *
   * @param offsets of the next record to read, by partition
   * @param timeout until when the coordinator has to store them
   * @throws InterruptedException if the thread was interrupted
   */
  public void commit(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) throws InterruptedException {
    requireGroup().committer().commitAndWait(copyOf(offsets), deadline(timeout));
  }

  /**
   * The positions that a commit without offsets would store, with leader epochs as far as they are known.
   *
   * @return those that are known, by partition
   * @throws IllegalStateException if the consumer has no group
   */
  public Map<TopicPartition, OffsetAndMetadata> positions() {
    return requireGroup().committer().positions();
  }

  /** In the order of the map, which is the order of the request and of the stored offsets. */
  private static Map<TopicPartition, OffsetAndMetadata> copyOf(Map<TopicPartition, OffsetAndMetadata> offsets) {
    Objects.requireNonNull(offsets, "offsets").forEach((partition, offset) -> {
      Objects.requireNonNull(partition, "offsets: a partition");
      Objects.requireNonNull(offset, "offsets: an offset");
    });
    return Collections.unmodifiableMap(new LinkedHashMap<>(offsets));
  }

  /**
   * Commits the position of every partition without waiting. What waits for the response to an earlier commit is sent
   * together, with the newest offset of each partition. Any thread.
   *
   * @param listener told by the polling thread; null for nobody
   */
  public void commitAsync(@Nullable CommitListener listener) {
    commitAsync(requireGroup().committer().positions(), listener);
  }

  /**
   * Commits these offsets without waiting. Any thread.
   *
   * @param offsets of the next record to read, by partition
   * @param listener told by the polling thread; null for nobody
   */
  public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable CommitListener listener) {
    requireGroup().committer().commitAsync(copyOf(offsets), apiDeadline(), listener);
  }

  /**
   * {@link #commitAsync(Map, CommitListener)} for a listener that the client's loop calls: it must not block, and hears
   * the end of the commit though nobody polls. Commits end in their order. A closed consumer calls it at once.
   *
   * @param offsets of the next record to read, by partition
   * @param timeout until when the coordinator has to store them
   * @param listener of the client's loop
   */
  public void commitInBackground(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout,
      CommitListener listener) {
    Objects.requireNonNull(listener, "listener");
    requireGroup().committer().commitInBackground(copyOf(offsets), deadline(timeout), listener);
  }

  /**
   * Who this consumer is in its group now, for a transaction that commits its offsets. Any thread.
   *
   * @return the group, and the member as its coordinator knows it
   * @throws KafkaTimeoutException if the client's loop does not answer within five seconds
   * @throws IllegalStateException if the consumer has no group
   */
  public GroupMetadata groupMetadata() {
    polls.requireNotEnded();
    return requireGroup().metadata();
  }

  /**
   * What the group has committed. Any thread, for at most {@code default.api.timeout.ms}.
   *
   * @param partitions of any topics
   * @return what is committed; partitions without a committed offset are not there
   * @throws KafkaException what the coordinator has refused, or did not answer in time
   * @throws InterruptedException if the thread was interrupted
   */
  public Map<TopicPartition, OffsetAndMetadata> committed(TopicPartition... partitions) throws InterruptedException {
    return committed(ConsumerBuilder.requireAll("partitions", partitions), apiDeadline());
  }

  /**
   * {@link #committed(TopicPartition...)} with a time-out of its own.
   *
   * @param partitions of any topics
   * @param timeout for the response
   * @return what is committed; partitions without a committed offset are not there
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
   * Hands out what has arrived, and waits only if nothing has.
   *
   * @param timeout how long to wait for the first record
   * @param handler called for each record, on this thread
   * @return number of records handed out, at most {@code maxPollRecords}; 0 after the time-out or {@link #wakeup()}
   * @throws KafkaException what a broker or the group has refused
   * @throws BadRecordException if the handler met a record that cannot be decoded, and {@link BadRecordPolicy} says so
   * @throws UnreadableBatchException for bytes that are no records
   * @throws IllegalStateException if the consumer is closed, or another poll has not ended: of another thread, or the
   *     one that calls the handler or listener that this is called from
   * @throws InterruptedException if the thread was interrupted while this or the handler waited
   */
  public int poll(Duration timeout, RecordHandler<K, V> handler) throws InterruptedException {
    return polls.poll(Objects.requireNonNull(timeout, "timeout"), Objects.requireNonNull(handler, "handler"));
  }

  /**
   * {@link #poll} for a handler that takes the records of one partition at a time.
   *
   * @param timeout how long to wait for the first record
   * @param handler called for what has arrived of a partition, on this thread
   * @return number of records the handler has moved to, at most {@code maxPollRecords}
   * @throws KafkaException what a broker or the group has refused
   * @throws BadRecordException as {@link #poll}
   * @throws UnreadableBatchException for bytes that are no records
   * @throws IllegalStateException if the consumer is closed, or another poll has not ended: of another thread, or the
   *     one that calls the handler or listener that this is called from
   * @throws InterruptedException if the thread was interrupted while this or the handler waited
   */
  public int pollPartitions(Duration timeout, PartitionHandler<K, V> handler) throws InterruptedException {
    return polls.pollPartitions(Objects.requireNonNull(timeout, "timeout"), Objects.requireNonNull(handler, "handler"));
  }

  /**
   * Makes a waiting {@link #poll} return, or the next one that would wait; if the consumer is
   * {@link ConsumerBuilder#exclusive}, any call that waits. Any thread.
   */
  public void wakeup() {
    wakeups.wakeup();
  }

  /** {@link #close(Duration, Departure)} within ten seconds, in the default way. */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT, Departure.DEFAULT);
  }

  /**
   * Commits what was handed out, if that is automatic, gives up the partitions, leaves the group, stops fetching and
   * gives all memory back. The thread that polls, or another one: a poll that waits then ends with an
   * {@link IllegalStateException}, and one whose handler is being called ends before the partitions are given up.
   * Commits that wait are stored first, and their listeners told. Where another thread closes already, this waits for
   * its end, and the shorter time-out of both counts.
   *
   * @param timeout for the end of another thread's poll, commits and the group's response together
   * @param departure what becomes of the membership
   * @throws IllegalStateException if another thread's poll has not ended in time: nothing is committed then, the group
   *     notices by itself, and the memory is given back when the poll ends. Also from within a listener of the client
   */
  public void close(Duration timeout, Departure departure) {
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
    // the labels go while the member still has its id
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
