package dev.decant.kafka.fetch;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.FetchLinks;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.cluster.TopicUser;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.loop.Agent;
import dev.decant.loop.Timer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps fetches going: finds positions, fetches from each leader or the follower that it names, and passes responses to
 * the polling thread. The next request leaves as soon as a response has arrived, so the broker works while the
 * application does. Owner of the loop only, except for methods that name other threads.
 */
public final class Fetcher implements Agent, TopicUser {
  private static final long RETRY_NANOS = 100_000_000L;
  /** Shortest time that a broker waits for records while partitions are paused. */
  private static final long LEAST_WAIT_MILLIS = 5;
  /**
   * Pause before records are fetched again that are too large, or found no free memory. Each attempt sends all of them
   * over the network, while other partitions of the connection wait.
   */
  private static final long TOO_LARGE_RETRY_NANOS = 10_000_000_000L;

  private final ClientInternals client;
  private final BufferPool memory;
  private final FetchSettings settings;
  private final FetchFailures failures;
  private final FetchResponseHandler responses;
  private final List<PartitionFetchState> partitions = new ArrayList<>();
  /** One session per broker that is read from. */
  private final Map<BrokerLink, FetchSession> sessions = new HashMap<>();
  /** Partitions to fetch, by the broker to fetch from. Filled by {@link #routeAll}. */
  private final Map<BrokerLink, List<PartitionFetchState>> byBroker = new HashMap<>();
  // Created once, since each round with something to do uses them.
  private final BiConsumer<BrokerLink, List<PartitionFetchState>> fetchFromBroker = this::fetch;
  private final Function<BrokerLink, FetchSession> newSession;
  private final ListOffsetsLookup lookup;
  private final EpochCheck check;
  private final Timer timer = new Timer(this::markDirty);
  /** True after a change of metadata, assignment, seeks or pauses: the next round visits all partitions. */
  private boolean changed;
  /** True if a partition was paused less than {@code fetch.max.wait.ms} ago. */
  private boolean hasPaused;
  /** Time of the last pause. */
  private long pausedNanos;
  /** Connections for fetches; null before the first fetch. */
  private @Nullable FetchLinks links;
  /** True after a response that moved only offsets: the next round visits only the partitions that it moved. */
  private boolean moved;
  /**
   * True if {@link #byBroker} has to be built again. The next round, whatever its cause, then visits all partitions.
   */
  private boolean stale;
  /** Number of visits of a partition by rounds, for tests. */
  private long visits;
  /** True if the polling thread has released a response while one was wanted. */
  private volatile boolean bufferReleased;
  /** True while a session could send a request but has no free response buffer. Written by the owner of the loop. */
  private volatile boolean bufferWanted;

  /**
   * True once any partition had no offset to begin at. Set by the owner of the loop, never cleared, read by any thread.
   */
  private volatile boolean lacksPositions;

  /** Filled by the owner of the loop, emptied by the polling thread. */
  private final FetchedQueue fetched = new FetchedQueue();

  /** Creates a fetcher on any thread. It is idle until the loop has it as an agent. */
  public Fetcher(ClientInternals client, FetchSettings settings) {
    this.client = client;
    this.memory = client.fetchMemory();
    this.settings = settings;
    this.failures = new FetchFailures(client);
    this.responses = new FetchResponseHandler(client, settings, failures, this);
    this.newSession = link -> new FetchSession(this, settings, link);
    this.lookup = new ListOffsetsLookup(this);
    this.check = new EpochCheck(this, responses);
  }

  /** Removes and returns the oldest records that were not taken yet; null if there are none. Polling thread. */
  public @Nullable FetchedRecords next() {
    return fetched.poll();
  }

  /**
   * Returns true if {@link #next()} or {@link FetchFailures#take()} may have a result. Any thread; exact for the
   * polling thread only.
   */
  public boolean needsWakeup() {
    return !fetched.isEmpty() || failures.isPresent();
  }

  /** Returns the errors of fetches and lookups. Any thread. */
  public FetchFailures failures() {
    return failures;
  }

  byte isolation() {
    return settings.isolation();
  }

  BufferPool memory() {
    return memory;
  }

  /** Replaces the partitions. One that was assigned before continues. */
  public void assign(List<PartitionFetchState> assigned) {
    for (PartitionFetchState p : partitions) {
      p.removed = true;
      p.awaitsPoll = false;
      endProblem(p);
    }
    partitions.clear();
    partitions.addAll(assigned);
    for (PartitionFetchState p : assigned) {
      p.removed = false;
      client.cluster().addTopic(p.topic);
    }
    markDirty();
  }

  /**
   * Stops fetching partitions that are being revoked, and drops responses on their way. Ignores names that are not
   * assigned.
   */
  public void stop(List<TopicPartition> revoked) {
    Set<TopicPartition> names = new HashSet<>(revoked);
    for (PartitionFetchState p : partitions) {
      p.removed |= names.contains(p.name());
      p.awaitsPoll &= !p.removed; // the same state may be assigned again
      endProblem(p);
    }
    partitions.removeIf(p -> p.removed);
    markDirty();
  }

  /** Stops fetching all partitions. */
  public void stopAll() {
    partitions.forEach(p -> {
      p.removed = true;
      endProblem(p);
    });
    partitions.clear();
    stale = true;
  }

  /**
   * Moves a partition to another offset.
   *
   * @param seeks the application's number of seeks
   * @param offset the offset; -1 to look it up
   * @param epoch of the leader that appended the record before the offset; -1 if not known
   * @param resetTimestamp timestamp of the lookup
   */
  public void seek(PartitionFetchState p, int seeks, long offset, int epoch, long resetTimestamp) {
    p.seek(seeks, offset, epoch, resetTimestamp);
    markDirty();
  }

  /**
   * Holds back fetches of a partition until {@link #polled}, because the application has sought or assigned it between
   * two polls. Positions are looked up meanwhile.
   */
  public void awaitPoll(PartitionFetchState p) {
    p.awaitsPoll = true;
    markDirty();
  }

  /** Ends {@link #awaitPoll} for all partitions, because the application polls. */
  public void polled() {
    for (int i = 0; i < partitions.size(); i++) {
      partitions.get(i).awaitsPoll = false;
    }
    markDirty();
  }

  /**
   * Holds back fetches and lookups of a partition while the group's committed offset is being looked up.
   *
   * @param seeks the application's number of seeks
   */
  public void awaitCommitted(PartitionFetchState p, int seeks) {
    seek(p, seeks, PartitionFetchState.UNKNOWN, PartitionFetchState.NO_EPOCH, 0);
    p.awaitsCommitted = true;
  }

  /**
   * Ends {@link #awaitCommitted} with a committed offset.
   *
   * @param epoch of the leader that appended the record before the offset; -1 if not known
   */
  public void committedFound(PartitionFetchState p, long offset, int epoch) {
    p.awaitsCommitted = false;
    p.foundAt(offset, epoch, true);
    positionFound(p);
  }

  /**
   * Ends {@link #awaitCommitted} without a committed offset: another one is looked up.
   *
   * @param resetTimestamp timestamp of the lookup
   */
  public void nothingCommitted(PartitionFetchState p, long resetTimestamp) {
    p.awaitsCommitted = false;
    p.resetTimestamp = resetTimestamp;
  }

  /**
   * Ends {@link #awaitCommitted} without any offset: the next poll throws, and the partition is not fetched until the
   * application seeks.
   *
   * @param cause exception for the next poll
   */
  public void nothingCommitted(PartitionFetchState p, KafkaException cause) {
    p.withoutOffset();
    lacksPositions = true;
    failures.fail(p, cause);
  }

  /**
   * Returns true if any partition ever was {@link PartitionFetchState#isWithoutOffset}. Any thread. While it is false,
   * a poll need not check each partition.
   */
  public boolean lacksPositions() {
    return lacksPositions;
  }

  /** Pauses or resumes the fetching of a partition. */
  public void pause(PartitionFetchState p, boolean paused) {
    p.paused = paused;
    if (paused) {
      hasPaused = true;
      pausedNanos = client.loop().nowNanos();
    }
    markDirty();
  }

  /**
   * Returns how long a broker may wait for records. The pending request does not name a resumed partition; the next one
   * does. During a pause a request therefore waits no longer than the pause has lasted. With the full wait, parallel
   * work that pauses partitions for moments ran in bursts of half a second.
   */
  int maxWaitMillis() {
    long most = settings.maxWaitMillis();
    if (!hasPaused) {
      return (int) most;
    }
    long pausedMillis = TimeUnit.NANOSECONDS.toMillis(client.loop().nowNanos() - pausedNanos);
    hasPaused = pausedMillis < most;
    return (int) Math.min(most, Math.max(pausedMillis, LEAST_WAIT_MILLIS));
  }

  /**
   * Makes the next poll throw, unless the application has left all these positions by then.
   *
   * @param partitions partitions whose committed offsets were refused
   */
  public void refused(List<PartitionFetchState> partitions, KafkaException cause) {
    failures.fail("committed offsets", partitions, cause);
  }

  @Override
  public void addTopics(Set<String> topics) {
    partitions.forEach(p -> topics.add(p.topic));
  }

  /** Makes the next round visit all partitions. */
  void markDirty() {
    changed = true;
  }

  /** Returns the number of visits, to assign a partition to a broker or a request. For tests. */
  long visits() {
    return visits;
  }

  void countVisits(int partitionCount) {
    visits += partitionCount;
  }

  @Override
  public int doWork() {
    if (!changed && !moved && !bufferReleased) {
      return 0;
    }
    moved = false;
    // Cleared before the sessions check their buffers: a buffer that is released from now on sets it again, if wanted.
    bufferReleased = false;
    bufferWanted = false;
    if (changed || stale) {
      routeAll();
    }
    byBroker.forEach(fetchFromBroker);
    return 1;
  }

  private void routeAll() {
    changed = false;
    stale = false;
    long now = client.loop().nowNanos();
    byBroker.values().forEach(List::clear);
    for (int i = 0; i < partitions.size(); i++) {
      route(partitions.get(i), now);
    }
    countVisits(partitions.size());
    sessions.values().forEach(FetchSession::rerouted);
    lookup.send();
  }

  private void route(PartitionFetchState p, long now) {
    if (p.backsOff(now)) {
      wakeAt(p.retryAtNanos());
      return;
    }
    TopicMetadata topic = client.cluster().snapshot().topic(p.topic);
    int leader = topic == null ? -1 : topic.leader(p.partition);
    BrokerLink link = client.cluster().link(leader);
    if (topic == null || link == null) {
      client.cluster().requestUpdate(p.topic);
      retryLater(p);
      reportTopicError(p);
      beginProblem(p, topic == null ? client.cluster().lastError() : noLeader(topic));
      return;
    }
    if (!p.topicId.equals(topic.id()) && !responses.acceptTopicId(topic.id(), p)) {
      return;
    }
    p.ledIn(topic.partitions().get(p.partition).leaderEpoch());
    if (p.fetchOffset < 0) {
      if (p.seeks > 0 && !p.awaitsCommitted) { // else neither the application nor the group has set a position yet
        lookup.want(p, link);
        backOffIfUnreachable(link, p);
      }
    } else if (!p.paused) {
      if (p.fetchedEpoch >= 0 && p.checkedEpoch != p.leaderEpoch && checksEpochs(leader)) {
        check.start(p, link);
        backOffIfUnreachable(link, p);
      } else if (!p.awaitsPoll) {
        fetchFrom(p, leader, now);
      }
    } else {
      endProblem(p); // paused: the application does not wait for it
    }
  }

  /**
   * Returns true if the client has to check epochs itself. With a rack it may read from a follower, and leaders before
   * Fetch v12 check none.
   */
  private boolean checksEpochs(int leader) {
    return !settings.rack().isEmpty() || EpochCheck.isNeededFor(links().to(leader));
  }

  private static KafkaException noLeader(TopicMetadata topic) {
    ErrorCode code = topic.error() == ErrorCode.NONE ? ErrorCode.LEADER_NOT_AVAILABLE : topic.error();
    return new KafkaException(code, "metadata of topic " + topic.name() + ": " + code);
  }

  /** Registers the problem that a partition cannot be read for now. */
  void beginProblem(PartitionFetchState p, @Nullable Throwable cause) {
    if (!p.removed) { // a response may arrive after the partition was removed
      client.telemetry().problems().begin(p, p + " cannot be read", cause);
    }
  }

  private void endProblem(PartitionFetchState p) {
    client.telemetry().problems().end(p);
  }

  private void fetchFrom(PartitionFetchState p, int leader, long now) {
    int follower = p.readReplica(now);
    BrokerLink link = links().to(follower >= 0 ? follower : leader);
    if (link == null || (follower >= 0 && isUnreachable(link))) {
      responses.leaderOnly(p);
      link = links().to(leader);
    }
    if (link != null) {
      byBroker.computeIfAbsent(link, key -> new ArrayList<>()).add(p);
    }
  }

  /** Returns the connections of these fetches. Opened here because another thread may have created this object. */
  FetchLinks links() {
    FetchLinks of = links;
    if (of == null) {
      of = client.cluster().openFetchLinks();
      links = of;
    }
    return of;
  }

  private static boolean isUnreachable(BrokerLink link) {
    return !link.isReady() && link.lastError() != null;
  }

  private void backOffIfUnreachable(BrokerLink link, PartitionFetchState p) {
    if (isUnreachable(link)) {
      client.cluster().requestUpdate();
      retryLater(p);
      beginProblem(p, link.lastError());
    }
  }

  /**
   * Reports a refused topic, once for each metadata response. A poll would otherwise throw the same refusal again, even
   * after the permission was granted.
   */
  private void reportTopicError(PartitionFetchState p) {
    KafkaException refused = refusalOf(p.topic);
    long version = client.cluster().snapshot().version();
    if (refused != null && p.refusedIn != version) {
      p.refusedIn = version;
      failures.fail(p, refused);
    }
  }

  /** Returns true if the metadata has the topic, with partitions or with an error. Any thread. */
  public boolean hasMetadataOf(String topic) {
    return client.cluster().snapshot().topic(topic) != null;
  }

  /**
   * Returns the error of a topic that retries do not cure, such as a missing permission or an illegal name; null if
   * there is none. Any thread.
   */
  public @Nullable KafkaException refusalOf(String topic) {
    TopicMetadata metadata = client.cluster().snapshot().topic(topic);
    return metadata == null || metadata.error() == ErrorCode.NONE || metadata.error().isRetriable()
        ? null
        : TopicException.of(metadata.error(), topic, "metadata of topic " + topic + ": " + metadata.error());
  }

  private void fetch(BrokerLink link, List<PartitionFetchState> chosen) {
    // A session without partitions sends nothing. A request without partitions would end it, and the next one would
    // have to open another.
    if (chosen.isEmpty()) {
      return;
    }
    if (link.isThrottled()) {
      wakeAt(link.throttledUntilNanos());
      return;
    }
    FetchSession session = sessions.computeIfAbsent(link, newSession);
    if (session.backsOff(client.loop().nowNanos())) {
      wakeAt(session.retryAtNanos());
    } else if (session.maySend() || maySendAfterAll(session)) {
      session.fetch(chosen, rackFor(chosen));
      for (int i = 0; i < chosen.size() && isUnreachable(link); i++) {
        backOffIfUnreachable(link, chosen.get(i));
      }
    }
  }

  /**
   * Checks the session again after announcing that it lacks a buffer. Either this check sees the buffer that the
   * polling thread has released, or the polling thread, which checks afterwards, sees the announcement. No wake-up is
   * lost.
   */
  private boolean maySendAfterAll(FetchSession session) {
    if (session.isInFlight()) {
      return false;
    }
    bufferWanted = true;
    return session.maySend();
  }

  private String rackFor(List<PartitionFetchState> chosen) {
    String rack = settings.rack();
    for (int i = 0; i < chosen.size() && !rack.isEmpty(); i++) {
      if (chosen.get(i).readsLeaderOnly(client.loop().nowNanos())) {
        return "";
      }
    }
    return rack;
  }

  /** Backs off from a partition for 100 ms. */
  void retryLater(PartitionFetchState p) {
    retryLater(p, RETRY_NANOS);
  }

  private void retryLater(PartitionFetchState p, long nanos) {
    long at = client.loop().nowNanos() + nanos;
    p.backOff(at);
    stale = true;
    wakeAt(at);
  }

  private void wakeAt(long deadlineNanos) {
    if (!timer.isScheduled() || timer.deadlineNanos() - deadlineNanos > 0) {
      client.loop().schedule(timer, deadlineNanos);
    }
  }

  /** Ends each back-off after new metadata, or after a connection was opened or closed. */
  public void onChange() {
    partitions.forEach(PartitionFetchState::resume);
    sessions.values().forEach(FetchSession::resume);
    sessions.keySet().removeIf(BrokerLink::isClosed);
    byBroker.keySet().removeIf(BrokerLink::isClosed);
    markDirty();
  }

  /** Opens another session with the next request, since the broker has forgotten this one. */
  void sessionLost() {
    markDirty();
    client.loop().signal();
  }

  void sessionFailed(FetchSession session, KafkaException cause, boolean retriable) {
    failures.remember(cause);
    failures.report(session.link().name(), cause, retriable);
    client.cluster().requestUpdate();
    long now = client.loop().nowNanos();
    session.backOff(now + RETRY_NANOS);
    wakeAt(now + RETRY_NANOS);
    List<PartitionFetchState> read = byBroker.get(session.link());
    if (read != null) {
      read.forEach(p -> beginProblem(p, cause));
    }
    for (PartitionFetchState p : partitions) {
      if (p.readsFollower() && session.link().equals(links().to(p.readReplica(now)))) {
        responses.leaderOnly(p);
      }
    }
  }

  /**
   * Signals the loop if a session waits for a buffer. Mostly it does not, because a request is in flight with the other
   * buffer. An unconditional signal woke the I/O thread, which the next waiting poll had to displace again: half of all
   * context switches. Polling thread.
   */
  void bufferReleased() {
    client.telemetry().consumer().metering().fetchConsumed();
    if (bufferWanted) {
      bufferReleased = true;
      client.loop().signal();
    }
  }

  void onFetched(FetchSession session, FetchResponseReader response, FetchBuffer buffer, int bytes) {
    int parts = handOver(session, response, buffer);
    if (!client.telemetry().problems().isEmpty()) {
      endProblems(session);
    }
    client.telemetry().consumer().fetched(session.link().name(), parts, bytes);
    if (parts > 0) {
      client.cluster().waiters().signalAll();
    }
    moved = true;
    if (!settings.rack().isEmpty()) {
      markDirty(); // the leader may have named a follower, or a follower has to be left; and epochs are checked
    }
    doWork();
  }

  /** Passes on the records of a response, all or none. Returns the number of partitions with records. */
  private int handOver(FetchSession session, FetchResponseReader response, FetchBuffer buffer) {
    boolean done = false;
    try {
      responses.takeNodes(response);
      while (response.nextTopic()) {
        while (response.nextPartition()) {
          take(session, response, buffer);
        }
      }
      int parts = buffer.count();
      buffer.handOver(fetched);
      done = true;
      return parts;
    } finally {
      if (!done) {
        buffer.takeBack();
      }
    }
  }

  /** Ends the problems of all partitions in a response, except those with an error. */
  private void endProblems(FetchSession session) {
    List<PartitionFetchState> read = byBroker.get(session.link());
    if (read != null) {
      long now = client.loop().nowNanos();
      read.stream().filter(p -> !p.backsOff(now)).forEach(this::endProblem);
    }
  }

  private void take(FetchSession session, FetchResponseReader response, FetchBuffer buffer) {
    SessionPartition requested = session.requested(response);
    if (requested == null || !requested.isCurrent()) {
      return; // not requested, named twice, or sought since the request
    }
    PartitionFetchState p = requested.partition;
    String broker = session.link().name();
    if (p.jumps) { // a jump that found no memory before
      queueJump(p);
    }
    if (responses.take(broker, p, response) && response.recordsTo() > response.recordsFrom()) {
      // First: if there is no memory for it, the fetch offset must not move, or the records would be skipped.
      buffer.add(requested, response);
      session.moved(requested);
      if (!responses.advance(p, buffer.memory(), response.recordsFrom(), response.recordsTo(), broker)) {
        buffer.removeLast();
      }
    }
  }

  /**
   * Makes the next poll throw for a partition whose batch is larger than all fetch memory. Other partitions continue.
   * An earlier version ended the connection and fetched the same batch for ever, while poll said nothing.
   */
  void oversized(FetchSession session, SessionPartition requested, OversizedBatch batch) {
    PartitionFetchState p = requested.partition;
    if (requested.isCurrent()) {
      long next = Math.max(batch.next(), p.fetchOffset + 1);
      KafkaException cause = settings.policy().tooLarge(p.name(), p.fetchOffset, next, "are a batch of " + batch.bytes()
          + " bytes in a response of " + batch.responseBytes() + " bytes from broker " + session.link().name()
          + "; the client's fetch memory (decant.fetch.memory.bytes) of " + memory().maxBytes()
          + " bytes has no room for that: raise it");
      failures.fail(p, cause);
      retryLater(p, TOO_LARGE_RETRY_NANOS);
      beginProblem(p, cause);
    }
    markDirty();
    doWork();
  }

  /**
   * Backs off from a partition whose response has waited too long for memory, because all other responses of the broker
   * wait behind it. The partition is null if the client does not know it.
   */
  void onMemoryExhausted(FetchSession session, @Nullable SessionPartition requested, long bytes) {
    PartitionFetchState p = requested == null || !requested.isCurrent() ? null : requested.partition;
    KafkaException cause = new KafkaException(ErrorCode.NONE, "fetch" + (p == null ? "" : " of " + p)
        + ": there is no room for a response of " + bytes + " bytes from broker " + session.link().name()
        + "; consumers of the client hold " + memory().leasedBytes() + " bytes of its fetch memory"
        + " (decant.fetch.memory.bytes) of " + memory().limit()
        + " bytes in records that they have not polled: poll them, or raise it");
    failures.remember(cause);
    failures.report(p == null ? session.link().name() : p.toString(), cause, true);
    if (p != null) {
      retryLater(p, TOO_LARGE_RETRY_NANOS);
      beginProblem(p, cause);
    }
    markDirty();
    doWork();
  }

  /** Sends the next request at once, because the last response had no use. */
  void fetchAgain() {
    moved = true;
    doWork();
  }

  void lookupFailed(PartitionFetchState p, KafkaException cause, boolean again) {
    failures.remember(cause);
    failures.report(p.toString(), cause, again);
    client.cluster().requestUpdate();
    retryLater(p);
    beginProblem(p, cause);
  }

  /**
   * Continues at {@link PartitionFetchState#fetchOffset}. If the loop has moved it by itself, the polling thread
   * follows.
   */
  void positionFound(PartitionFetchState p) {
    endProblem(p);
    client.telemetry().consumer().positionFound(p.topic, p.partition, p.fetchOffset);
    if (p.jumps) {
      queueJump(p);
    }
    client.cluster().waiters().signalAll();
    markDirty();
  }

  private void queueJump(PartitionFetchState p) {
    fetched.add(FetchedRecords.jump(p));
    p.jumps = false;
  }

  /** Ends this fetcher, after the loop has removed it. */
  public void shutDown() {
    client.cluster().removeTopicUser(this);
    stopAll(); // a response on its way then finds no partition for its records
    client.loop().cancel(timer);
    FetchLinks of = links;
    if (of != null) {
      of.close();
    }
  }
}
