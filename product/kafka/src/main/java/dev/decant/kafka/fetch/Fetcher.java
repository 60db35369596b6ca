package dev.decant.kafka.fetch;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.cluster.BrokerLink;
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
 * Keeps fetches going: finds positions, asks each leader, or the follower that it has named, through a session, and
 * hands what arrives to the polling thread. The next request leaves as soon as a response is here, so the broker works
 * while the application does. Owner of the loop only, but for {@link #next()} and {@link #needsWakeup()}.
 */
public final class Fetcher implements Agent, TopicUser {
  private static final long RETRY_NANOS = 100_000_000L;
  /** How long a broker waits at least for records while partitions are paused. */
  private static final long LEAST_WAIT_MILLIS = 5;
  /**
   * How long records that are too large, or that there was no room for, are not fetched again. All of them come over
   * the network each time, and others on the connection wait for them.
   */
  private static final long TOO_LARGE_RETRY_NANOS = 10_000_000_000L;

  private final ClientInternals client;
  private final BufferPool memory;
  private final FetchSettings settings;
  private final FetchFailures failures;
  private final FetchResponseHandler responses;
  private final List<PartitionFetchState> partitions = new ArrayList<>();
  private final Map<BrokerLink, FetchSession> sessions = new HashMap<>();
  private final Map<BrokerLink, List<PartitionFetchState>> byBroker = new HashMap<>();
  // Made once: each round that has something to do uses them.
  private final BiConsumer<BrokerLink, List<PartitionFetchState>> askBroker = this::ask;
  private final Function<BrokerLink, FetchSession> newSession;
  private final ListOffsetsLookup lookup;
  private final EpochCheck check;
  private final Timer timer = new Timer(this::markDirty);
  /** Something has changed: the next round looks at all partitions. */
  private boolean changed;
  /** Whether a partition was paused so recently that requests wait less for it, and when that was. */
  private boolean hasPaused;
  private long pausedNanos;
  /** A response was taken, and no more than offsets have changed: the next round looks at what has moved. */
  private boolean moved;
  /** What {@link #byBroker} has is not true any more; the next round that there is looks at all partitions. */
  private boolean stale;
  /** How often a round has looked at a partition. */
  private long looks;
  /** The same, said by the polling thread: it has used up a response, and one is wanted. */
  private volatile boolean bufferReleased;
  /** A session could ask, but the polling thread has all its responses. Written by the owner of the loop. */
  private volatile boolean bufferWanted;

  /** Set by the owner of the loop, never cleared, and read by any thread. */
  private volatile boolean lacksPositions;

  /** Filled by the owner of the loop, emptied by the polling thread. */
  private final FetchedQueue fetched = new FetchedQueue();

  /**
   * Made by any thread, and idle until the loop has it as an agent.
   *
   * @param client the client
   * @param settings how to fetch
   */
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

  /**
   * The oldest records not handed over yet. Polling thread.
   *
   * @return null if there are none
   */
  public @Nullable FetchedRecords next() {
    return fetched.poll();
  }

  /**
   * Tells whether {@link #next()} or {@link FetchFailures#take()} has something. Any thread.
   *
   * @return a hint to all threads but the polling one
   */
  public boolean needsWakeup() {
    return !fetched.isEmpty() || failures.isPresent();
  }

  /**
   * What has gone wrong. Any thread.
   *
   * @return always the same object
   */
  public FetchFailures failures() {
    return failures;
  }

  byte isolation() {
    return settings.isolation();
  }

  BufferPool memory() {
    return memory;
  }

  /**
   * Replaces the partitions. Owner of the loop.
   *
   * @param assigned what is to be fetched; one that was there before goes on
   */
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
   * Partitions are being given up: fetches them no more, and drops what is on its way. Owner of the loop.
   *
   * @param revoked their names; others that are not there are passed over
   */
  public void stop(List<TopicPartition> revoked) {
    Set<TopicPartition> names = new HashSet<>(revoked);
    for (PartitionFetchState p : partitions) {
      p.removed |= names.contains(p.name());
      p.awaitsPoll &= !p.removed; // the state may be assigned again
      endProblem(p);
    }
    partitions.removeIf(p -> p.removed);
    markDirty();
  }

  /** As {@link #stop}, all of them. Owner of the loop. */
  public void stopAll() {
    partitions.forEach(p -> {
      p.removed = true;
      endProblem(p);
    });
    partitions.clear();
    stale = true;
  }

  /**
   * The application goes elsewhere. Owner of the loop.
   *
   * @param p the partition
   * @param seeks the application's number of seeks
   * @param offset to go on at; -1 if it has to be looked up
   * @param epoch of the leader that has appended the record before; -1 if not known
   * @param resetTimestamp what to look up
   */
  public void seek(PartitionFetchState p, int seeks, long offset, int epoch, long resetTimestamp) {
    p.seek(seeks, offset, epoch, resetTimestamp);
    markDirty();
  }

  /**
   * Fetches nothing of a partition before {@link #polled}: the application has sought between two polls, or has just
   * assigned it. Positions are looked up meanwhile. Owner of the loop.
   *
   * @param p the partition
   */
  public void awaitPoll(PartitionFetchState p) {
    p.awaitsPoll = true;
    markDirty();
  }

  /** The application polls: ends {@link #awaitPoll} of all partitions. Owner of the loop. */
  public void polled() {
    for (int i = 0; i < partitions.size(); i++) {
      partitions.get(i).awaitsPoll = false;
    }
    markDirty();
  }

  /**
   * The group's committed offset is being asked for: until it is known, nothing is fetched or looked up. Owner of the
   * loop.
   *
   * @param p the partition
   * @param seeks the application's number of seeks
   */
  public void awaitCommitted(PartitionFetchState p, int seeks) {
    seek(p, seeks, PartitionFetchState.UNKNOWN, PartitionFetchState.NO_EPOCH, 0);
    p.awaitsCommitted = true;
  }

  /**
   * Ends {@link #awaitCommitted}: the group has committed an offset. Owner of the loop.
   *
   * @param p the partition
   * @param offset to go on at
   * @param epoch of the leader that has appended the record before; -1 if not known
   */
  public void committedFound(PartitionFetchState p, long offset, int epoch) {
    p.awaitsCommitted = false;
    p.foundAt(offset, epoch, true);
    positionFound(p);
  }

  /**
   * Ends {@link #awaitCommitted}: the group has committed nothing, and another offset is looked up. Owner of the loop.
   *
   * @param p the partition
   * @param resetTimestamp what to look up
   */
  public void nothingCommitted(PartitionFetchState p, long resetTimestamp) {
    p.awaitsCommitted = false;
    p.resetTimestamp = resetTimestamp;
  }

  /**
   * The group has committed nothing, and none is to be looked up: the next poll throws, and nothing is fetched until
   * the application seeks. Owner of the loop.
   *
   * @param p the partition
   * @param cause what the next poll throws
   */
  public void nothingCommitted(PartitionFetchState p, KafkaException cause) {
    p.withoutOffset();
    lacksPositions = true;
    failures.fail(p, cause);
  }

  /**
   * Tells whether there ever was a partition {@link PartitionFetchState#isWithoutOffset}. Any thread.
   *
   * @return mostly false: then none need be looked at
   */
  public boolean lacksPositions() {
    return lacksPositions;
  }

  /**
   * Fetches nothing of a partition, or fetches it again. Owner of the loop.
   *
   * @param p the partition
   * @param paused whether it is paused
   */
  public void pause(PartitionFetchState p, boolean paused) {
    p.paused = paused;
    if (paused) {
      hasPaused = true;
      pausedNanos = client.loop().nowNanos();
    }
    markDirty();
  }

  /**
   * How long a broker may wait for records. A partition that is resumed is asked for when the response to the request
   * before has come. A request that is sent during a pause therefore waits no longer than the pause has lasted: pauses
   * of a moment cost a moment, and during long ones brokers wait as they are asked to.
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
   * Has the next poll throw, unless the application has left all the positions by then. Owner of the loop.
   *
   * @param partitions of which the committed offsets are refused
   * @param cause why
   */
  public void refused(List<PartitionFetchState> partitions, KafkaException cause) {
    failures.fail("committed offsets", partitions, cause);
  }

  @Override
  public void addTopics(Set<String> topics) {
    partitions.forEach(p -> topics.add(p.topic));
  }

  /** Has the next round look at all partitions. */
  void markDirty() {
    changed = true;
  }

  /** How often a round has looked at a partition, to assign it to a broker or to a request. */
  long looks() {
    return looks;
  }

  void looked(int partitionCount) {
    looks += partitionCount;
  }

  @Override
  public int doWork() {
    if (!changed && !moved && !bufferReleased) {
      return 0;
    }
    moved = false;
    // Before the look at the responses: who uses up another one from now on says so again, if it is wanted.
    bufferReleased = false;
    bufferWanted = false;
    if (changed || stale) {
      routeAll();
    }
    byBroker.forEach(askBroker);
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
    looked(partitions.size());
    sessions.values().forEach(FetchSession::rerouted);
    lookup.ask();
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
      note(p, topic == null ? client.cluster().lastError() : noLeader(topic));
      return;
    }
    if (!p.topicId.equals(topic.id()) && !responses.goesOnIn(topic.id(), p)) {
      return;
    }
    p.ledIn(topic.partitions().get(p.partition).leaderEpoch());
    if (p.fetchOffset < 0) {
      if (p.seeks > 0 && !p.awaitsCommitted) { // else nobody has said yet where to begin
        lookup.want(p, link);
        noteUnreachable(link, p);
      }
    } else if (!p.paused) {
      if (p.fetchedEpoch >= 0 && p.checkedEpoch != p.leaderEpoch && checksEpochs(leader)) {
        check.ask(p, link);
        noteUnreachable(link, p);
      } else if (!p.awaitsPoll) {
        fetchFrom(p, leader, now);
      }
    } else {
      endProblem(p); // nobody wants to read it
    }
  }

  /** With a rack a follower may be read, and an older leader makes no check by itself. */
  private boolean checksEpochs(int leader) {
    return !settings.rack().isEmpty() || EpochCheck.isLeftTo(client.cluster().fetchLink(leader));
  }

  private static KafkaException noLeader(TopicMetadata topic) {
    ErrorCode code = topic.error() == ErrorCode.NONE ? ErrorCode.LEADER_NOT_AVAILABLE : topic.error();
    return new KafkaException(code, "metadata of topic " + topic.name() + ": " + code);
  }

  /** Nothing can be read of the partition at the moment. */
  void note(PartitionFetchState p, @Nullable Throwable cause) {
    if (!p.removed) { // a response may be still to come
      client.telemetry().problems().begin(p, p + " cannot be read", cause);
    }
  }

  private void endProblem(PartitionFetchState p) {
    client.telemetry().problems().end(p);
  }

  private void fetchFrom(PartitionFetchState p, int leader, long now) {
    int follower = p.readReplica(now);
    BrokerLink link = client.cluster().fetchLink(follower >= 0 ? follower : leader);
    if (link == null || (follower >= 0 && isUnreachable(link))) {
      responses.leaderOnly(p);
      link = client.cluster().fetchLink(leader);
    }
    if (link != null) {
      byBroker.computeIfAbsent(link, key -> new ArrayList<>()).add(p);
    }
  }

  private static boolean isUnreachable(BrokerLink link) {
    return !link.isReady() && link.lastError() != null;
  }

  private void noteUnreachable(BrokerLink link, PartitionFetchState p) {
    if (isUnreachable(link)) {
      client.cluster().requestUpdate();
      retryLater(p);
      note(p, link.lastError());
    }
  }

  /** Once for each response of the cluster. */
  private void reportTopicError(PartitionFetchState p) {
    KafkaException refused = refusalOf(p.topic);
    long version = client.cluster().snapshot().version();
    if (refused != null && p.refusedIn != version) {
      p.refusedIn = version;
      failures.fail(p, refused);
    }
  }

  /**
   * Tells whether the cluster has said anything of a topic. Any thread.
   *
   * @param topic its name
   * @return true also if it has refused it
   */
  public boolean hasHeardOf(String topic) {
    return client.cluster().snapshot().topic(topic) != null;
  }

  /**
   * What the cluster has against a topic and what does not pass by itself: no right to read, an impossible name. Any
   * thread.
   *
   * @param topic its name
   * @return null if there is nothing
   */
  public @Nullable KafkaException refusalOf(String topic) {
    TopicMetadata metadata = client.cluster().snapshot().topic(topic);
    return metadata == null || metadata.error() == ErrorCode.NONE || metadata.error().isRetriable()
        ? null
        : TopicException.of(metadata.error(), topic, "metadata of topic " + topic + ": " + metadata.error());
  }

  private void ask(BrokerLink link, List<PartitionFetchState> chosen) {
    if (chosen.isEmpty()) {
      return; // The session rests. To empty it would end it, and soon it is needed again.
    }
    if (link.isThrottled()) {
      wakeAt(link.throttledUntilNanos());
      return;
    }
    FetchSession session = sessions.computeIfAbsent(link, newSession);
    if (session.backsOff(client.loop().nowNanos())) {
      wakeAt(session.retryAtNanos());
    } else if (session.mayAsk() || mayAskAfterAll(session)) {
      session.ask(chosen, rackFor(chosen));
      for (int i = 0; i < chosen.size() && isUnreachable(link); i++) {
        noteUnreachable(link, chosen.get(i));
      }
    }
  }

  /**
   * A look at a session that says what it lacks. Either this second look sees that the polling thread has used up an
   * response, or the polling thread, which looks afterwards, sees that one is wanted.
   */
  private boolean mayAskAfterAll(FetchSession session) {
    if (session.isInFlight()) {
      return false;
    }
    bufferWanted = true;
    return session.mayAsk();
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

  /** Asks nothing for the partition for a moment. */
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

  /** New metadata, or a connection that came or went: ends each back-off. Owner of the loop. */
  public void onChange() {
    partitions.forEach(PartitionFetchState::resume);
    sessions.values().forEach(FetchSession::resume);
    sessions.keySet().removeIf(BrokerLink::isClosed);
    byBroker.keySet().removeIf(BrokerLink::isClosed);
    markDirty();
  }

  /** The broker has forgotten the session; the next request opens another. */
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
      read.forEach(p -> note(p, cause));
    }
    for (PartitionFetchState p : partitions) {
      if (p.readsFollower() && session.link().equals(client.cluster().fetchLink(p.readReplica(now)))) {
        responses.leaderOnly(p);
      }
    }
  }

  /**
   * There is room for another buffer. Mostly a request is under way for which there was room already: then the loop is
   * left alone, since its I/O thread would only come to be sent away by the next poll that waits. Polling thread.
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
      markDirty(); // a follower may have been named, or has to be left, and epochs are checked
    }
    doWork();
  }

  /** Hands the records of a response over, all or none; returns of how many partitions it has some. */
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

  /** A response is good for all partitions that it has no error of. */
  private void endProblems(FetchSession session) {
    List<PartitionFetchState> read = byBroker.get(session.link());
    if (read != null) {
      long now = client.loop().nowNanos();
      read.stream().filter(p -> !p.backsOff(now)).forEach(this::endProblem);
    }
  }

  private void take(FetchSession session, FetchResponseReader response, FetchBuffer buffer) {
    SessionPartition asked = session.asked(response);
    if (asked == null || !asked.isCurrent()) {
      return; // not asked for, named before, or the application has gone elsewhere
    }
    PartitionFetchState p = asked.partition;
    String broker = session.link().name();
    if (p.jumps) { // there was no memory to say so before
      tellJump(p);
    }
    if (responses.take(broker, p, response) && response.recordsTo() > response.recordsFrom()) {
      buffer.add(asked, response); // first: without memory for it the fetch offset must not move
      session.moved(asked);
      if (!responses.advance(p, buffer.memory(), response.recordsFrom(), response.recordsTo(), broker)) {
        buffer.removeLast();
      }
    }
  }

  /** A partition has a batch that there is never memory enough for: the next poll throws, and the others go on. */
  void oversized(FetchSession session, SessionPartition asked, OversizedBatch batch) {
    PartitionFetchState p = asked.partition;
    if (asked.isCurrent()) {
      long next = Math.max(batch.next(), p.fetchOffset + 1);
      KafkaException cause = settings.policy().tooLarge(p.name(), p.fetchOffset, next, "are a batch of " + batch.bytes()
          + " bytes in a response of " + batch.responseBytes() + " bytes from broker " + session.link().name()
          + "; the client's fetch memory (decant.fetch.memory.bytes) of " + memory().maxBytes()
          + " bytes has no room for that: raise it");
      failures.fail(p, cause);
      retryLater(p, TOO_LARGE_RETRY_NANOS);
      note(p, cause);
    }
    markDirty();
    doWork();
  }

  /**
   * A response has waited too long for memory, and all others of the broker with it: they go on, and the partition that
   * needs so much is tried again later. Null if it is not known which one that is.
   */
  void crowded(FetchSession session, @Nullable SessionPartition asked, long bytes) {
    PartitionFetchState p = asked == null || !asked.isCurrent() ? null : asked.partition;
    KafkaException cause = new KafkaException(ErrorCode.NONE, "fetch" + (p == null ? "" : " of " + p)
        + ": there is no room for a response of " + bytes + " bytes from broker " + session.link().name()
        + "; consumers of the client hold " + memory().leasedBytes() + " bytes of its fetch memory"
        + " (decant.fetch.memory.bytes) of " + memory().limit()
        + " bytes in records that they have not polled: poll them, or raise it");
    failures.remember(cause);
    failures.report(p == null ? session.link().name() : p.toString(), cause, true);
    if (p != null) {
      retryLater(p, TOO_LARGE_RETRY_NANOS);
      note(p, cause);
    }
    markDirty();
    doWork();
  }

  /** A response was of no use; the next request leaves at once. */
  void askAgain() {
    moved = true;
    doWork();
  }

  void lookupFailed(PartitionFetchState p, KafkaException cause, boolean again) {
    failures.remember(cause);
    failures.report(p.toString(), cause, again);
    client.cluster().requestUpdate();
    retryLater(p);
    note(p, cause);
  }

  /** Reading goes on at {@link PartitionFetchState#fetchOffset}; the polling thread follows if it was elsewhere. */
  void positionFound(PartitionFetchState p) {
    endProblem(p);
    client.telemetry().consumer().positionFound(p.topic, p.partition, p.fetchOffset);
    if (p.jumps) {
      tellJump(p);
    }
    client.cluster().waiters().signalAll();
    markDirty();
  }

  private void tellJump(PartitionFetchState p) {
    fetched.add(FetchedRecords.jump(p));
    p.jumps = false;
  }

  /** Ends it, after it was taken from the loop. Owner of the loop. */
  public void shutDown() {
    client.cluster().removeTopicUser(this);
    stopAll(); // a response that is still to come finds nobody to wait for it
    client.loop().cancel(timer);
  }
}
