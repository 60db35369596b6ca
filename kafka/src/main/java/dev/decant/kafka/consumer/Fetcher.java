package dev.decant.kafka.consumer;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.ClientInternals;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.loop.Agent;
import dev.decant.loop.Timer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps fetches going: finds positions, asks each leader, or the follower that it has named, through a session, and
 * hands what arrives to the polling thread. The next request leaves as soon as an answer is here, so the broker works
 * while the application does. Owner of the loop only, but for {@link #next()} and {@link #hasNews()}.
 */
final class Fetcher implements Agent {
  private static final long RETRY_NANOS = 100_000_000L;

  private final ClientInternals client;
  private final FetchSettings settings;
  private final FetchFailures failures;
  private final FetchAnswers answers;
  private final List<AssignedPartition> partitions = new ArrayList<>();
  private final Map<BrokerLink, FetchSession> sessions = new HashMap<>();
  private final Map<BrokerLink, List<AssignedPartition>> byBroker = new HashMap<>();
  // Made once: each round that has something to do uses them.
  private final BiConsumer<BrokerLink, List<AssignedPartition>> askBroker = this::ask;
  private final Function<BrokerLink, FetchSession> newSession;
  private final OffsetLookup lookup;
  private final EpochCheck check;
  private final Timer timer = new Timer(this::goOn);
  /** Something has changed since the last look at all partitions. */
  private boolean changed;
  /** The same, said by the polling thread: it has used up an answer, and one is wanted. */
  private volatile boolean answerUsedUp;
  /** A session could ask, but the polling thread has all its answers. Written by the owner of the loop. */
  private volatile boolean answerWanted;

  /** Filled by the owner of the loop, emptied by the polling thread. */
  private final FetchedQueue fetched = new FetchedQueue();

  Fetcher(ClientInternals client, FetchSettings settings) {
    this.client = client;
    this.settings = settings;
    this.failures = new FetchFailures(client);
    this.answers = new FetchAnswers(client, settings, failures, this);
    this.newSession = link -> new FetchSession(this, settings, link);
    this.lookup = new OffsetLookup(this);
    this.check = new EpochCheck(this, answers);
  }

  /** The oldest records not handed over yet; polling thread. */
  @Nullable
  FetchedRecords next() {
    return fetched.poll();
  }

  /** Whether {@link #next()} or {@link FetchFailures#take()} has something; any thread. */
  boolean hasNews() {
    return !fetched.isEmpty() || failures.isPresent();
  }

  FetchFailures failures() {
    return failures;
  }

  IsolationLevel isolation() {
    return settings.isolation();
  }

  BufferPool memory() {
    return client.fetchMemory();
  }

  void assign(List<AssignedPartition> assigned) {
    for (AssignedPartition p : partitions) {
      p.removed = true;
      endProblem(p);
    }
    partitions.clear();
    partitions.addAll(assigned);
    for (AssignedPartition p : assigned) {
      p.removed = false;
      client.cluster().addTopic(p.topic);
    }
    goOn();
  }

  /** Partitions are being given up: fetches them no more, and drops what is on its way. */
  void stop(List<TopicPartition> revoked) {
    Set<TopicPartition> names = new HashSet<>(revoked);
    for (AssignedPartition p : partitions) {
      p.removed |= names.contains(p.name());
      endProblem(p);
    }
    partitions.removeIf(p -> p.removed);
    goOn();
  }

  /** All partitions are lost. */
  void stopAll() {
    partitions.forEach(p -> {
      p.removed = true;
      endProblem(p);
    });
    partitions.clear();
  }

  /** {@link #seek(AssignedPartition, int, long, int, long)} without an epoch. */
  void seek(AssignedPartition p, int seeks, long offset, long resetTimestamp) {
    seek(p, seeks, offset, AssignedPartition.NO_EPOCH, resetTimestamp);
  }

  void seek(AssignedPartition p, int seeks, long offset, int epoch, long resetTimestamp) {
    p.fetchSeeks = seeks;
    p.moveTo(offset, epoch);
    p.topicId = Uuid.ZERO; // the position is one of the topic that is there now
    p.resetTimestamp = resetTimestamp;
    p.asking = false;
    p.asksCommitted = false;
    p.foundCommitted = false;
    p.jumps = false;
    p.goOn();
    goOn();
  }

  void pause(AssignedPartition p, boolean paused) {
    p.fetchPaused = paused;
    goOn();
  }

  /** For good: the next poll throws. */
  void fail(String where, KafkaException cause) {
    failures.fail(where, cause);
  }

  /** Has the next round look at all partitions. */
  void goOn() {
    changed = true;
  }

  @Override
  public int doWork() {
    if (!changed && !answerUsedUp) {
      return 0;
    }
    changed = false;
    // Before the look at the answers: who uses up another one from now on says so again, if it is wanted.
    answerUsedUp = false;
    answerWanted = false;
    long now = client.loop().nowNanos();
    byBroker.values().forEach(List::clear);
    for (int i = 0; i < partitions.size(); i++) {
      route(partitions.get(i), now);
    }
    lookup.ask();
    byBroker.forEach(askBroker);
    return 1;
  }

  private void route(AssignedPartition p, long now) {
    if (p.backsOff(now)) {
      wakeAt(p.retryAtNanos());
      return;
    }
    TopicMetadata topic = client.cluster().snapshot().topic(p.topic);
    int leader = topic == null ? -1 : topic.leader(p.partition);
    BrokerLink link = client.cluster().link(leader);
    if (topic == null || link == null) {
      client.cluster().requestUpdate();
      retryLater(p);
      reportTopicError(topic);
      note(p, topic == null ? client.cluster().lastError() : noLeader(topic));
      return;
    }
    if (!p.topicId.equals(topic.id()) && !answers.goesOnIn(topic.id(), p)) {
      return;
    }
    p.ledIn(topic.partitions().get(p.partition).leaderEpoch());
    if (p.fetchOffset < 0) {
      if (p.fetchSeeks > 0 && !p.asksCommitted) { // else nobody has said yet where to begin
        lookup.want(p, link);
        noteUnreachable(link, p);
      }
    } else if (!p.fetchPaused) {
      if (!settings.rack().isEmpty() && p.fetchedEpoch >= 0 && p.checkedEpoch != p.leaderEpoch) {
        check.ask(p, link);
        noteUnreachable(link, p);
      } else {
        fetchFrom(p, leader, now);
      }
    } else {
      endProblem(p); // nobody wants to read it
    }
  }

  private static KafkaException noLeader(TopicMetadata topic) {
    ErrorCode code = topic.error() == ErrorCode.NONE ? ErrorCode.LEADER_NOT_AVAILABLE : topic.error();
    return new KafkaException(code, "metadata of topic " + topic.name() + ": " + code);
  }

  /** Nothing can be read of the partition at the moment. */
  void note(AssignedPartition p, @Nullable Throwable cause) {
    if (!p.removed) { // an answer may be still to come
      client.telemetry().problems().begin(p, p + " cannot be read", cause);
    }
  }

  private void endProblem(AssignedPartition p) {
    client.telemetry().problems().end(p);
  }

  private void fetchFrom(AssignedPartition p, int leader, long now) {
    int follower = p.readReplica(now);
    BrokerLink link = client.cluster().fetchLink(follower >= 0 ? follower : leader);
    if (link == null || (follower >= 0 && isUnreachable(link))) {
      answers.leaderOnly(p);
      link = client.cluster().fetchLink(leader);
    }
    if (link != null) {
      byBroker.computeIfAbsent(link, _ -> new ArrayList<>()).add(p);
    }
  }

  private static boolean isUnreachable(BrokerLink link) {
    return !link.isReady() && link.lastError() != null;
  }

  private void noteUnreachable(BrokerLink link, AssignedPartition p) {
    if (isUnreachable(link)) {
      client.cluster().requestUpdate();
      retryLater(p);
      note(p, link.lastError());
    }
  }

  /** What does not pass by itself (no right to read, an impossible name) is for the application. */
  private void reportTopicError(@Nullable TopicMetadata topic) {
    if (topic != null && topic.error() != ErrorCode.NONE && !topic.error().isRetriable()) {
      fail(topic.name(), new KafkaException(topic.error(), "metadata of topic " + topic.name() + ": " + topic.error()));
    }
  }

  private void ask(BrokerLink link, List<AssignedPartition> chosen) {
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
      for (int i = 0; i < chosen.size(); i++) {
        noteUnreachable(link, chosen.get(i));
      }
    }
  }

  /**
   * A look at a session that says what it lacks. Either this second look sees that the polling thread has used up an
   * answer, or the polling thread, which looks afterwards, sees that one is wanted.
   */
  private boolean mayAskAfterAll(FetchSession session) {
    if (session.isInFlight()) {
      return false;
    }
    answerWanted = true;
    return session.mayAsk();
  }

  private String rackFor(List<AssignedPartition> chosen) {
    String rack = settings.rack();
    for (int i = 0; i < chosen.size() && !rack.isEmpty(); i++) {
      if (chosen.get(i).readsLeaderOnly(client.loop().nowNanos())) {
        return "";
      }
    }
    return rack;
  }

  /** Asks nothing for the partition for a moment. */
  void retryLater(AssignedPartition p) {
    long at = client.loop().nowNanos() + RETRY_NANOS;
    p.backOff(at);
    wakeAt(at);
  }

  private void wakeAt(long deadlineNanos) {
    if (!timer.isScheduled() || timer.deadlineNanos() - deadlineNanos > 0) {
      client.loop().schedule(timer, deadlineNanos);
    }
  }

  /** New metadata, or a link that came or went: what was put off may go on. */
  void onChange() {
    partitions.forEach(AssignedPartition::goOn);
    sessions.values().forEach(FetchSession::goOn);
    goOn();
  }

  /** The broker has forgotten the session; the next request opens another. */
  void sessionLost() {
    goOn();
    client.loop().signal();
  }

  void sessionFailed(FetchSession session, KafkaException cause, boolean retriable) {
    failures.remember(cause);
    failures.report(session.link().name(), cause, retriable);
    client.cluster().requestUpdate();
    long now = client.loop().nowNanos();
    session.backOff(now + RETRY_NANOS);
    wakeAt(now + RETRY_NANOS);
    List<AssignedPartition> read = byBroker.get(session.link());
    if (read != null) {
      read.forEach(p -> note(p, cause));
    }
    for (AssignedPartition p : partitions) {
      if (p.readsFollower() && session.link().equals(client.cluster().fetchLink(p.readReplica(now)))) {
        answers.leaderOnly(p);
      }
    }
  }

  /**
   * There is room for another answer. Mostly a request is under way for which there was room already: then the loop is
   * left alone, since its I/O thread would only come to be sent away by the next poll that waits. Polling thread.
   */
  void answerUsedUp() {
    if (answerWanted) {
      answerUsedUp = true;
      client.loop().signal();
    }
  }

  void onFetched(FetchSession session, FetchResponseReader response, FetchedAnswer answer, int bytes) {
    answers.takeNodes(response);
    while (response.nextTopic()) {
      while (response.nextPartition()) {
        take(session, response, answer);
      }
    }
    if (!client.telemetry().problems().isEmpty()) {
      endProblems(session);
    }
    boolean hasRecords = answer.count() > 0;
    client.telemetry().consumer().fetched(session.link().name(), answer.count(), bytes);
    answer.handOver(fetched);
    if (hasRecords) {
      client.cluster().waiters().lookAgain();
    }
    goOn();
    doWork();
  }

  /** A response is good for all partitions that it has no error of. */
  private void endProblems(FetchSession session) {
    List<AssignedPartition> read = byBroker.get(session.link());
    if (read != null) {
      long now = client.loop().nowNanos();
      read.stream().filter(p -> !p.backsOff(now)).forEach(this::endProblem);
    }
  }

  private void take(FetchSession session, FetchResponseReader response, FetchedAnswer answer) {
    SessionPartition asked = session.asked(response);
    if (asked == null || !asked.isCurrent()) {
      return; // not asked for, named before, or the application has gone elsewhere
    }
    AssignedPartition p = asked.partition;
    String broker = session.link().name();
    if (answers.take(broker, p, response) && response.recordsTo() > response.recordsFrom()
        && answers.advance(p, answer.memory(), response.recordsFrom(), response.recordsTo(), broker)) {
      answer.add(asked, response);
    }
  }

  void lookupFailed(AssignedPartition p, KafkaException cause, boolean again) {
    failures.remember(cause);
    failures.report(p.toString(), cause, again);
    client.cluster().requestUpdate();
    retryLater(p);
    note(p, cause);
  }

  /** Reading goes on at {@link AssignedPartition#fetchOffset}; the polling thread follows if it was elsewhere. */
  void positionFound(AssignedPartition p) {
    endProblem(p);
    client.telemetry().consumer().positionFound(p.topic, p.partition, p.fetchOffset);
    if (p.jumps) {
      p.jumps = false;
      fetched.add(FetchedRecords.jump(p));
    }
    client.cluster().waiters().lookAgain();
    goOn();
  }

  void shutDown() {
    stopAll(); // an answer that is still to come finds nobody to wait for it
    client.loop().cancel(timer);
  }
}
