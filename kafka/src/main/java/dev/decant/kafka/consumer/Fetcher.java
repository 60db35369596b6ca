package dev.decant.kafka.consumer;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.Uuid;
import dev.decant.kafka.ClientInternals;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.loop.Agent;
import dev.decant.loop.Timer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps fetches going: finds positions, asks each leader through its session, and hands what arrives to the polling
 * thread.
 * The next request leaves as soon as an answer is here, so the broker works while the application does. Owner of the
 * loop only, but for {@link #next()} and {@link #takeFailure()}.
 */
final class Fetcher implements Agent {
  private static final long RETRY_NANOS = 100_000_000L;
  private static final int BASE_OFFSET = 0;
  private static final int BATCH_LENGTH = 8;
  private static final int LAST_OFFSET_DELTA = 23;
  private static final int BATCH_OVERHEAD = 12;
  private static final int BATCH_HEADER = 61;

  private final ClientInternals client;
  private final FetchSettings settings;
  private final List<AssignedPartition> partitions = new ArrayList<>();
  private final Map<BrokerLink, FetchSession> sessions = new HashMap<>();
  private final Map<BrokerLink, List<AssignedPartition>> byLeader = new HashMap<>();
  // Made once: each round of the loop uses them.
  private final BiConsumer<BrokerLink, List<AssignedPartition>> askLeader = this::ask;
  private final Function<BrokerLink, FetchSession> newSession;
  private final OffsetLookup lookup;
  private final Timer timer = new Timer(() -> {});
  private long retryAtNanos;

  /** Filled by the owner of the loop, emptied by the polling thread. */
  private final ConcurrentLinkedQueue<FetchedRecords> fetched = new ConcurrentLinkedQueue<>();
  /** Set by the owner of the loop, taken by the polling thread. */
  private volatile @Nullable Failure failure;
  /** What made the last fetch or lookup that failed fail. Written by the owner of the loop, read by any thread. */
  private volatile @Nullable Throwable lastError;

  Fetcher(ClientInternals client, FetchSettings settings) {
    this.client = client;
    this.settings = settings;
    this.newSession = link -> new FetchSession(this, settings, link);
    this.lookup = new OffsetLookup(this);
    this.retryAtNanos = client.loop().clock().nanoTime();
  }

  /** The oldest records not handed over yet; polling thread. */
  @Nullable
  FetchedRecords next() {
    return fetched.poll();
  }

  /** Whether {@link #next()} or {@link #takeFailure()} has something; any thread. */
  boolean hasNews() {
    return !fetched.isEmpty() || failure != null;
  }

  /** Whether {@link #takeFailure()} has something; any thread. */
  boolean hasFailed() {
    return failure != null;
  }

  /** An error that the application has to know, once; polling thread. */
  @Nullable
  KafkaException takeFailure() {
    Failure taken = failure;
    if (taken == null) {
      return null;
    }
    failure = null;
    return taken.isOver() ? null : taken.cause();
  }

  /**
   * An error and, if it is that of one position, the partition and the number of seeks that the position belongs to.
   */
  private record Failure(KafkaException cause, @Nullable AssignedPartition partition, int seeks) {
    /** Whether the application has gone elsewhere meanwhile, so that it is of no interest. Polling thread. */
    boolean isOver() {
      return partition != null && partition.seeks != seeks;
    }
  }

  /** Why a position may not be known yet, for messages; any thread. */
  @Nullable
  Throwable lastError() {
    Throwable own = lastError;
    return own != null ? own : client.cluster().lastError();
  }

  IsolationLevel isolation() {
    return settings.isolation();
  }

  BufferPool memory() {
    return client.fetchMemory();
  }

  void assign(List<AssignedPartition> assigned) {
    for (AssignedPartition p : partitions) {
      p.removed = !assigned.contains(p);
    }
    partitions.clear();
    partitions.addAll(assigned);
    for (AssignedPartition p : assigned) {
      client.cluster().addTopic(p.topic);
    }
  }

  /** Partitions are being given up: fetches them no more, and drops what is on its way. */
  void stop(List<TopicPartition> revoked) {
    for (AssignedPartition p : partitions) {
      p.removed |= revoked.contains(p.name());
    }
    partitions.removeIf(p -> p.removed);
  }

  /** All partitions are lost. */
  void stopAll() {
    partitions.forEach(p -> p.removed = true);
    partitions.clear();
  }

  void seek(AssignedPartition p, int seeks, long offset, long resetTimestamp) {
    p.fetchSeeks = seeks;
    p.fetchOffset = offset;
    p.resetTimestamp = resetTimestamp;
    p.asking = false;
    p.asksCommitted = false;
    p.foundCommitted = false;
  }

  /** For good: the next poll throws. */
  void fail(String where, KafkaException cause) {
    fail(where, new Failure(cause, null, 0));
  }

  /** For good as long as the application does not seek: the next poll throws. */
  private void fail(AssignedPartition p, KafkaException cause) {
    fail(p.toString(), new Failure(cause, p, p.fetchSeeks));
  }

  private void fail(String where, Failure failed) {
    client.telemetry().consumer().failed(where, false, failed.cause());
    failure = failed;
    client.cluster().waiters().lookAgain();
  }

  @Override
  public void doWork() {
    if (partitions.isEmpty()) {
      return;
    }
    long now = client.loop().nowNanos();
    if (retryAtNanos - now > 0) {
      client.loop().schedule(timer, retryAtNanos);
      return;
    }
    byLeader.values().forEach(List::clear);
    boolean leaderless = false;
    for (int i = 0; i < partitions.size(); i++) {
      AssignedPartition p = partitions.get(i);
      TopicMetadata topic = client.cluster().snapshot().topic(p.topic);
      int leader = topic == null ? -1 : topic.leader(p.partition);
      BrokerLink link = p.fetchOffset < 0 ? client.cluster().link(leader) : client.cluster().fetchLink(leader);
      if (topic == null || link == null) {
        leaderless = true;
        reportTopicError(topic);
      } else if (p.fetchOffset < 0) {
        if (p.fetchSeeks > 0 && !p.asksCommitted) { // else nobody has said yet where to begin
          lookup.ask(p, link);
        }
      } else if (!p.fetchPaused) {
        p.topicId = topic.id();
        byLeader.computeIfAbsent(link, _ -> new ArrayList<>()).add(p);
      }
    }
    if (leaderless) {
      client.cluster().requestUpdate();
      retryLater();
    }
    byLeader.forEach(askLeader);
  }

  /** What does not pass by itself (no right to read, an impossible name) is for the application. */
  private void reportTopicError(@Nullable TopicMetadata topic) {
    if (topic != null && topic.error() != ErrorCode.NONE && !topic.error().isRetriable()) {
      fail(topic.name(), new KafkaException(topic.error(), "metadata of topic " + topic.name() + ": " + topic.error()));
    }
  }

  private void ask(BrokerLink link, List<AssignedPartition> led) {
    if (link.isThrottled()) {
      wakeAt(link.throttledUntilNanos());
      return;
    }
    FetchSession session = sessions.computeIfAbsent(link, newSession);
    // With nothing to ask for the session rests. To empty it would end it, and soon it is needed again.
    if (session.mayAsk() && !led.isEmpty()) {
      session.ask(led);
      if (!link.isReady() && link.lastError() != null) {
        client.cluster().requestUpdate();
        retryLater();
      }
    }
  }

  private void retryLater() {
    retryAtNanos = client.loop().nowNanos() + RETRY_NANOS;
    client.loop().schedule(timer, retryAtNanos);
  }

  private void wakeAt(long deadlineNanos) {
    if (!timer.isScheduled() || timer.deadlineNanos() - deadlineNanos > 0) {
      client.loop().schedule(timer, deadlineNanos);
    }
  }

  /** New metadata, or a link that came or went: what was put off may go on. */
  void onChange() {
    retryAtNanos = client.loop().nowNanos();
  }

  /** The broker has forgotten the session; the next request opens another. */
  void sessionLost() {
    client.loop().signal();
  }

  void sessionFailed(BrokerLink link, KafkaException cause, boolean retriable) {
    lastError = cause;
    report(link.name(), cause, retriable);
    client.cluster().requestUpdate();
    retryLater();
  }

  private void report(String where, KafkaException cause, boolean again) {
    if (again) {
      client.telemetry().consumer().failed(where, true, cause);
    } else {
      fail(where, cause);
    }
  }

  void onFetched(FetchSession session, FetchResponse response, Map<Uuid, Map<Integer, AskedPartition>> asked,
      FetchBody body) {
    List<FetchedRecords> arrived = new ArrayList<>();
    String broker = session.link().name();
    ResponseMemory memory = new ResponseMemory(body.lease(), () -> client.loop().execute(session::delivered));
    for (FetchResponse.FetchableTopicResponse topic : response.responses()) {
      Map<Integer, AskedPartition> led = asked.getOrDefault(topic.topicId(), Map.of());
      for (FetchResponse.PartitionData data : topic.partitions()) {
        AskedPartition a = led.get(data.partitionIndex());
        ByteBuffer records = data.records();
        if (a == null || !a.isCurrent()) {
          continue; // not asked for, named before, or the application has gone elsewhere
        }
        if (data.errorCode() != 0) {
          onPartitionError(session, a.partition(), ErrorCode.of(data.errorCode()));
        } else if (records != null && records.hasRemaining() && advance(a.partition(), records, broker)) {
          arrived.add(new FetchedRecords(broker, a.partition(), a.seeks(), a.fetchOffset(), records,
              AbortedTransactions.of(data.abortedTransactions()), memory));
        }
      }
    }
    client.telemetry().consumer().fetched(broker, arrived.size(), body.bytes());
    if (arrived.isEmpty()) {
      body.release();
    } else {
      memory.usedBy(arrived.size());
      session.handedOver();
      fetched.addAll(arrived);
      client.cluster().waiters().lookAgain();
    }
    doWork();
  }

  /** Moves the fetch offset behind the records; without a whole batch it would stay, and be asked for for ever. */
  private boolean advance(AssignedPartition p, ByteBuffer records, String broker) {
    long end = endOf(records);
    if (end > p.fetchOffset) {
      p.fetchOffset = end;
      return true;
    }
    fail(p, new KafkaException(ErrorCode.CORRUPT_MESSAGE, "records of " + p + " at offset " + p.fetchOffset
        + " from broker " + broker + " cannot be read: no whole batch reaches that offset"));
    retryLater();
    return false;
  }

  /** The offset behind the last whole batch, by the batch headers alone; -1 if there is none. */
  private static long endOf(ByteBuffer records) {
    long end = -1;
    int at = records.position();
    while (records.limit() - at >= BATCH_HEADER) {
      int length = records.getInt(at + BATCH_LENGTH);
      if (length < BATCH_HEADER - BATCH_OVERHEAD || length > records.limit() - at - BATCH_OVERHEAD) {
        break;
      }
      end = records.getLong(at + BASE_OFFSET) + records.getInt(at + LAST_OFFSET_DELTA) + 1;
      at += BATCH_OVERHEAD + length;
    }
    return end;
  }

  private void onPartitionError(FetchSession session, AssignedPartition p, ErrorCode code) {
    if (code == ErrorCode.OFFSET_OUT_OF_RANGE) {
      if (settings.reset().equals(OffsetReset.NONE)) {
        fail(p, new KafkaException(code, "fetch of " + p + ": offset " + p.fetchOffset
            + " is out of range, said broker " + session.link().name() + ", and there is no offsetReset"));
        retryLater();
      } else {
        p.fetchOffset = AssignedPartition.UNKNOWN;
        p.resetTimestamp = settings.reset().timestamp();
      }
    } else {
      report(p.toString(),
          new KafkaException(code, "fetch of " + p + ": broker " + session.link().name() + " answered " + code),
          code.isRetriable());
      client.cluster().requestUpdate();
      retryLater();
    }
  }

  void lookupFailed(AssignedPartition p, KafkaException cause, boolean again) {
    lastError = cause;
    report(p.toString(), cause, again);
    client.cluster().requestUpdate();
    retryLater();
  }

  void positionFound(AssignedPartition p, long offset) {
    client.telemetry().consumer().positionFound(p.topic, p.partition, offset);
    client.cluster().waiters().lookAgain();
    doWork();
  }

  void shutDown() {
    stopAll(); // an answer that is still to come finds nobody to wait for it
    client.loop().cancel(timer);
  }
}
