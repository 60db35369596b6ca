package dev.decant.kafka.consumer;

import dev.decant.kafka.ClientInternals;
import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.group.Subscription;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.record.UnsupportedCompressionException;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.telemetry.ConsumerEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads records of partitions that its group gives it, or that the application assigns. Polled, assigned and closed by
 * one thread at a time; all other methods, any thread: what concerns the polling thread it does at the start of its
 * next poll, or at once in the poll in which it waits. Only batches that readers may see are handed out; control
 * batches are not records and are passed over.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class Consumer<K, V> implements AutoCloseable {
  /** Handing out so much takes longer than waking a thread. */
  private static final int BUSY_BYTES = 64 * 1024;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

  private final ClientInternals client;
  private final FetchSettings settings;
  private final ConsumerEvents events;
  private final Fetcher fetcher;
  private final Runnable changeListener;
  private final BatchDecompression decompression;
  private final RecordBatchReader reader;
  private final Errands errands;
  private final AssignedPartitions assigned;
  private final @Nullable ConsumerGroup group;
  private final ConsumerRecord<K, V> view;
  private final BooleanSupplier somethingToDo = this::hasSomethingToDo;
  /** What is being handed out now; its memory is given back when it is used up. */
  private @Nullable FetchedRecords current;
  private boolean inBatch;
  private boolean closed;

  private volatile boolean wokenUp;

  Consumer(ClientInternals client, FetchSettings settings, @Nullable GroupOptions options, Decoder<? extends K> keys,
      Decoder<? extends V> values) {
    this.client = client;
    this.settings = settings;
    this.events = client.telemetry().consumer();
    this.fetcher = new Fetcher(client, settings);
    this.decompression = new BatchDecompression(settings.maxDecompressedBytes());
    this.reader = new RecordBatchReader(decompression);
    this.view = new ConsumerRecord<>(reader, keys, values);
    this.changeListener = fetcher::onChange;
    this.errands = new Errands(client.loop(), client.cluster().waiters());
    this.assigned = new AssignedPartitions(client, fetcher);
    this.group = options == null
        ? null
        : new ConsumerGroup(client, options, fetcher, assigned, errands, settings.reset());
    client.loop().execute(() -> {
      client.loop().add(fetcher);
      client.cluster().onChange(changeListener);
    });
    if (group != null) {
      group.start();
    }
    client.register(this);
  }

  /**
   * Replaces the assignment. A partition that was assigned before keeps its position; a new one begins where the group
   * has committed, without a group or a commit where {@code offsetReset} says, unless {@link #seek} says otherwise.
   *
   * @param topic the topic
   * @param partitions their numbers
   * @throws IllegalStateException if the group assigns the partitions
   */
  public void assign(String topic, int... partitions) {
    ConsumerGroup g = group;
    if (g != null && g.hasSubscription()) {
      throw new IllegalStateException("this consumer was opened with subscribe, so its group assigns the partitions");
    }
    List<AssignedPartition> next = new ArrayList<>();
    List<AssignedPartition> fresh = new ArrayList<>();
    for (int number : partitions) {
      AssignedPartition kept = assigned.find(topic, number);
      AssignedPartition p = kept != null ? kept : new AssignedPartition(topic, number);
      next.add(p);
      if (kept == null) {
        fresh.add(p);
      }
    }
    errands.isPoller(); // claims the polls for this thread if nobody has yet
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
   * @throws IllegalStateException if the consumer was opened without a subscription
   */
  public void subscribe(String... topics) {
    requireGroup().subscribe(new Subscription(List.of(topics), null));
  }

  /**
   * Has the group assign partitions of all topics that match from now on, also of such as are created later. Any
   * thread.
   *
   * @param expression in RE2J's syntax, matched by the broker against whole names
   * @throws IllegalStateException if the consumer was opened without a subscription
   */
  public void subscribePattern(String expression) {
    requireGroup().subscribe(new Subscription(List.of(), expression));
  }

  private ConsumerGroup requireGroup() {
    ConsumerGroup g = group;
    if (g == null) {
      throw new IllegalStateException("this consumer has no group; name one before it is opened: group(id)");
    }
    return g;
  }

  /**
   * Goes on at an offset. What was fetched already for another position is dropped. Any thread.
   *
   * @param topic the topic
   * @param partition an assigned partition
   * @param offset of the record that the next poll begins with
   */
  public void seek(String topic, int partition, long offset) {
    if (offset < 0) {
      throw new IllegalArgumentException("offset " + offset + " is negative");
    }
    seekTo(assigned.require(topic, partition), offset, 0);
  }

  /** Goes on at the oldest record of every assigned partition. Any thread. */
  public void seekToBeginning() {
    assigned.all().forEach(p -> seekTo(p, AssignedPartition.UNKNOWN, OffsetReset.EARLIEST.timestamp()));
  }

  /** Goes on behind the newest record of every assigned partition. Any thread. */
  public void seekToEnd() {
    assigned.all().forEach(p -> seekTo(p, AssignedPartition.UNKNOWN, OffsetReset.LATEST.timestamp()));
  }

  private void seekTo(AssignedPartition p, long offset, long resetTimestamp) {
    if (errands.isPoller()) {
      assigned.seek(p, offset, resetTimestamp);
      return;
    }
    p.request(offset);
    errands.add(() -> {
      if (assigned.contains(p)) {
        assigned.seek(p, offset, resetTimestamp);
      }
      p.requestDone(offset);
    });
  }

  /**
   * Hands out no records of partitions until {@link #resume}, and fetches none. Any thread.
   *
   * @param topic the topic
   * @param partitions assigned partitions
   */
  public void pause(String topic, int... partitions) {
    List<AssignedPartition> chosen = assigned.require(topic, partitions);
    errands.runOrAdd(() -> chosen.forEach(assigned::pause));
  }

  /**
   * Ends what {@link #pause} began. Any thread.
   *
   * @param topic the topic
   * @param partitions assigned partitions
   */
  public void resume(String topic, int... partitions) {
    List<AssignedPartition> chosen = assigned.require(topic, partitions);
    errands.runOrAdd(() -> chosen.forEach(assigned::resume));
  }

  /**
   * The offset of the next record to be handed out. Any thread.
   *
   * @param topic the topic
   * @param partition an assigned partition
   * @param timeout how long to wait while the position is being looked up
   * @return the offset
   * @throws KafkaException when it is not known in time
   * @throws InterruptedException if the thread was interrupted
   */
  public long position(String topic, int partition, Duration timeout) throws InterruptedException {
    AssignedPartition p = assigned.require(topic, partition);
    if (p.known() < 0) {
      client.cluster().waiters().await(() -> p.known() >= 0 || fetcher.failures().isPresent(), deadline(timeout));
    }
    long known = p.known();
    if (known < 0) {
      throw new KafkaException(ErrorCode.NONE, "the position of " + p + " is not known; last error: "
          + fetcher.failures().last(), fetcher.failures().last());
    }
    return known;
  }

  private long deadline(Duration timeout) {
    return client.loop().clock().nanoTime() + timeout.toNanos();
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
    ConsumerGroup g = requireGroup();
    g.committer().commitAndWait(Map.copyOf(offsets), apiDeadline(g));
  }

  private long apiDeadline(ConsumerGroup g) {
    return client.loop().clock().nanoTime() + g.options().apiTimeoutNanos();
  }

  /**
   * Commits the position of every partition without waiting. Commits of one consumer are stored in their order. Any
   * thread.
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
    ConsumerGroup g = requireGroup();
    g.committer().commitAsync(Map.copyOf(offsets), apiDeadline(g), listener);
  }

  /**
   * Who this consumer is in its group now, for a transaction that commits its offsets. Any thread.
   *
   * @return the group, and the member as its coordinator knows it
   * @throws IllegalStateException if the consumer has no group
   */
  public GroupMetadata groupMetadata() {
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
    ConsumerGroup g = requireGroup();
    return g.committer().committed(List.of(partitions), apiDeadline(g));
  }

  /**
   * Hands out what has arrived, and waits only if nothing has.
   *
   * @param timeout how long to wait for the first record
   * @param handler called for each record, on this thread
   * @return number of records handed out, at most {@code maxPollRecords}; 0 after the time-out or {@link #wakeup()}
   * @throws KafkaException what a broker or the group has refused, or bytes that are no records
   * @throws InterruptedException if the thread was interrupted while waiting
   */
  public int poll(Duration timeout, RecordHandler<K, V> handler) throws InterruptedException {
    errands.enterPoll();
    int count = handOut(handler);
    if (count > 0) {
      events.polled(count);
      return count;
    }
    return pollSlowPath(timeout, handler);
  }

  private int pollSlowPath(Duration timeout, RecordHandler<K, V> handler) throws InterruptedException {
    requirePositions();
    long deadline = deadline(timeout);
    do {
      if (errands.areWaiting()) {
        errands.run();
      }
      throwFailure();
      int count = handOut(handler);
      if (count > 0) {
        leaveLoopBusy();
        events.polled(count);
        return count;
      }
      if (wokenUp) {
        wokenUp = false;
        return 0;
      }
    } while (client.cluster().waiters().await(somethingToDo, deadline));
    return 0;
  }

  private void throwFailure() {
    ConsumerGroup g = group;
    KafkaException failure = g == null ? null : g.rebalancing().failure();
    if (failure == null) {
      failure = fetcher.failures().take();
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void requirePositions() {
    for (AssignedPartition p : assigned.all()) {
      if (p.seeks == 0 || p.withoutOffset == p.seeks) {
        throw CommittedPositions.withoutPosition(p);
      }
    }
  }

  /**
   * This thread has driven the loop so far, and will be busy with records for a while: then the I/O thread should read
   * on meanwhile. A wake-up is worth it only for many records.
   */
  private void leaveLoopBusy() {
    FetchedRecords records = current;
    if (records != null && records.records().remaining() >= BUSY_BYTES) {
      client.loop().signal();
    }
  }

  private boolean hasSomethingToDo() {
    return fetcher.hasNews() || errands.areWaiting() || wokenUp;
  }

  private int handOut(RecordHandler<K, V> handler) {
    int most = settings.maxPollRecords();
    int count = 0;
    while (count < most) {
      FetchedRecords records = current;
      if (records == null && (records = takeNextSlowPath()) == null) {
        return count;
      }
      count += handOut(records, handler, most - count);
    }
    return count;
  }

  /** Hands out records of one partition; sets {@link #current} to null when they are used up. */
  private int handOut(FetchedRecords records, RecordHandler<K, V> handler, int most) {
    AssignedPartition p = records.partition();
    if (records.seeks() != p.seeks) {
      finishCurrent(records);
      return 0;
    }
    int count = 0;
    while (count < most) {
      if (!inBatch && !beginBatchSlowPath(records)) {
        return count;
      }
      if (!nextRecord(records)) {
        inBatch = false;
        p.position = Math.max(p.position, reader.lastOffset() + 1);
        continue;
      }
      long offset = reader.offset();
      if (offset >= p.position) {
        p.position = offset + 1;
        handler.onRecord(view);
        count++;
        if (records.seeks() != p.seeks) {
          finishCurrent(records);
          return count;
        }
      }
    }
    return count;
  }

  private boolean nextRecord(FetchedRecords records) {
    try {
      return reader.nextRecord();
    } catch (RuntimeException e) {
      throw unreadable(records, e);
    }
  }

  private boolean beginBatchSlowPath(FetchedRecords records) {
    try {
      while (reader.nextBatch()) {
        records.partition().epoch = reader.partitionLeaderEpoch();
        if (!isSkipped(records) && !reader.isControl()) {
          inBatch = true;
          return true;
        }
        records.partition().position = Math.max(records.partition().position, reader.lastOffset() + 1);
      }
    } catch (RuntimeException e) {
      throw unreadable(records, e);
    }
    finishCurrent(records);
    return false;
  }

  private boolean isSkipped(FetchedRecords records) {
    AbortedTransactions aborted = records.aborted();
    return aborted != null && aborted.contains(reader);
  }

  /** Drops the rest of the response and makes fetching begin anew behind the last record that was handed out. */
  private KafkaException unreadable(FetchedRecords records, RuntimeException cause) {
    AssignedPartition p = records.partition();
    finishCurrent(records);
    assigned.rewind(p);
    ErrorCode code = cause instanceof UnsupportedCompressionException
        ? ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
        : ErrorCode.CORRUPT_MESSAGE;
    return new KafkaException(code, "records of " + p + " at offset " + p.position + " from broker " + records.broker()
        + " cannot be read: " + cause.getMessage(), cause);
  }

  private void finishCurrent(FetchedRecords records) {
    current = null;
    inBatch = false;
    records.memory().release();
  }

  private @Nullable FetchedRecords takeNextSlowPath() {
    for (FetchedRecords next = fetcher.next(); next != null; next = fetcher.next()) {
      AssignedPartition p = next.partition();
      if (next.seeks() == p.seeks && assigned.contains(p)) {
        p.takeFound();
        if (next.isJump()) {
          p.position = next.fetchOffset();
          p.epoch = AssignedPartition.NO_EPOCH;
          continue;
        }
        if (p.position < 0) {
          p.position = next.fetchOffset();
        }
        if (p.paused) {
          next.memory().release();
          assigned.rewind(p);
          continue;
        }
        reader.wrap(next.records(), next.records().position(), next.records().limit());
        inBatch = false;
        current = next;
        view.in(p);
        return next;
      }
      next.memory().release();
    }
    return null;
  }

  /** Makes a waiting {@link #poll} return, or the next one that would wait. Any thread. */
  public void wakeup() {
    wokenUp = true;
    client.loop().execute(client.cluster().waiters()::lookAgain);
  }

  /** {@link #close(Duration, Departure)} within ten seconds, in the usual way. */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT, Departure.USUAL);
  }

  /**
   * Commits what was handed out, if that is automatic, gives up the partitions, leaves the group, stops fetching and
   * gives all memory back. The thread that polls.
   *
   * @param timeout for the commit and the group's answer together
   * @param departure what becomes of the membership
   */
  public void close(Duration timeout, Departure departure) {
    if (closed) {
      return;
    }
    closed = true;
    ConsumerGroup g = group;
    if (g != null) {
      g.close(assigned, deadline(timeout), departure);
    }
    client.runOnLoop(() -> {
      client.cluster().removeOnChange(changeListener);
      client.loop().remove(fetcher);
      fetcher.shutDown();
    });
    FetchedRecords records = current;
    if (records != null) {
      finishCurrent(records);
    }
    for (FetchedRecords next = fetcher.next(); next != null; next = fetcher.next()) {
      next.memory().release();
    }
    decompression.close();
    client.unregister(this);
  }
}
