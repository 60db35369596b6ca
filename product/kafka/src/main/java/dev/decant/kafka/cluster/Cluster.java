package dev.decant.kafka.cluster;

import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.WrongClusterException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.telemetry.ClosedInGoodOrderException;
import dev.decant.kafka.telemetry.LastError;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import dev.decant.net.FrameMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The brokers of one cluster, the links to them, and the metadata with the leader of each partition. The client
 * requests metadata when a user needs it (a new topic, an error of stale metadata) and by age; one request at a time.
 * {@link TopicInterest} decides which topics a request names and when it leaves.
 *
 * <p>Owner of the loop only, except methods that name any thread.
 */
public final class Cluster {
  private static final long RETRY_NANOS = TopicInterest.RETRY_NANOS;
  /**
   * After this time without a response another broker is asked, too: the first one may be frozen. A frozen leader once
   * cost its request timeout before anybody had new metadata.
   */
  private static final long SLOW_NANOS = 2_000_000_000L;

  private final EventLoop loop;
  private final FrameMemory memory;
  private final Telemetry telemetry;
  private final LinkSettings settings;
  private final long refreshNanos;
  private final List<BrokerLink> bootstrap = new ArrayList<>();
  private final Map<BrokerAddress, BrokerLink> links = new HashMap<>();
  private final Map<Integer, BrokerLink> leaders = new HashMap<>();
  /** The fetch links of each open consumer. */
  private final List<FetchLinks> fetchLinks = new ArrayList<>();
  private final Function<BrokerAddress, BrokerLink> newLink = this::newLink;
  /** All links, with those that only one coordinator uses. Changed by the owner of the loop, read by any thread. */
  private final Set<BrokerLink> allLinks = new CopyOnWriteArraySet<>();
  private final TopicInterest interest;
  private final List<Runnable> changeListeners = new ArrayList<>();
  private final Waiters waiters;
  private final Timer refreshTimer;
  private final MetadataUpdate update;
  private int nextBootstrap;
  /** True while only bootstrap addresses are asked for metadata (KIP-1102). */
  private boolean rebootstrapping;

  // Written by the owner, read by any thread.
  private volatile ClusterSnapshot snapshot = ClusterSnapshot.EMPTY;
  private volatile @Nullable Throwable lastError;
  private volatile @Nullable KafkaException refusal;

  /**
   * Makes a cluster that knows only its bootstrap addresses.
   *
   * @param memory for responses that do not fit into the receive buffer
   * @param settings for all links
   * @param bootstrapAddresses at least one
   * @param refreshNanos the age at which metadata is requested again; stale metadata is requested sooner
   */
  public Cluster(EventLoop loop, FrameMemory memory, Telemetry telemetry, LinkSettings settings,
      List<BrokerAddress> bootstrapAddresses, long refreshNanos) {
    this.loop = loop;
    this.refreshNanos = refreshNanos;
    this.telemetry = telemetry;
    this.memory = memory;
    this.settings = settings;
    this.waiters = new Waiters(loop);
    this.update = new MetadataUpdate(this);
    this.interest = new TopicInterest(loop.nowNanos(), refreshNanos);
    this.refreshTimer = new Timer(this::refresh);
    settings.identity().onMismatch(this::requestUpdate);
    for (BrokerAddress address : bootstrapAddresses) {
      bootstrap.add(newLink(address));
    }
  }

  /**
   * Sets whether brokers may create topics that a request names and that do not exist. Call it before the first
   * request.
   */
  public void allowAutoCreateTopics(boolean value) {
    interest.mayCreate(value);
  }

  /**
   * Sets how long a topic stays after a producer's last use ({@code metadata.max.idle.ms}); 5 minutes by default. Call
   * it before the first request.
   */
  public void metadataMaxIdle(long nanos) {
    interest.idleNanos(nanos);
  }

  private BrokerLink newLink(BrokerAddress address) {
    BrokerLink link = new BrokerLink(loop, memory, telemetry.connection(), settings, address, this::onLinkChange);
    allLinks.add(link);
    return link;
  }

  /** Returns the newest metadata, which is immutable. Any thread. */
  public ClusterSnapshot snapshot() {
    return snapshot;
  }

  /** Returns the error of the last attempt to get metadata; null after a success. Any thread. */
  public @Nullable Throwable lastError() {
    return lastError;
  }

  /**
   * Returns why there will be no connection until an operator acts: the brokers refuse this client, or all bootstrap
   * servers belong to another cluster. Any thread.
   *
   * @return an {@link AuthenticationException} or a {@link WrongClusterException}; null while one connection is ready,
   *     or if none was refused
   */
  public @Nullable KafkaException refusal() {
    return refusal;
  }

  /**
   * Returns a copy of a refusal for another thread to throw, with the refusal as its cause. The original has the stack
   * trace of the loop.
   *
   * @param refusal as {@link #refusal()} returned it
   */
  public static KafkaException again(KafkaException refusal) {
    return switch (refusal) {
      case AuthenticationException refused -> refused.again();
      case WrongClusterException wrong -> wrong.again();
      default -> refusal;
    };
  }

  /** Replaces the connections that have old TLS keys. No request fails. Owner only. */
  public void onKeysReplaced() {
    for (BrokerLink link : allLinks) {
      link.onKeysReplaced();
    }
  }

  private void findRefusal() {
    KafkaException found = null;
    for (BrokerLink link : allLinks) {
      if (link.isReady()) {
        refusal = null;
        return;
      }
      if (found == null && link.lastError() instanceof AuthenticationException refused) {
        found = refused;
      }
    }
    refusal = found == null ? wrongCluster() : found;
  }

  /**
   * Returns the error of the bootstrap servers if all of them belong to another cluster: no other address is known
   * then.
   */
  private @Nullable KafkaException wrongCluster() {
    KafkaException found = null;
    for (BrokerLink link : bootstrap) {
      if (!(link.lastError() instanceof WrongClusterException wrong)) {
        return null;
      }
      found = wrong;
    }
    return found;
  }

  /** Returns the threads that wait for a change by the owner of the loop. */
  public Waiters waiters() {
    return waiters;
  }

  /** Adds a listener of new metadata, and of links that become ready or end. It runs on the owner. */
  public void onChange(Runnable listener) {
    changeListeners.add(listener);
  }

  /** Removes a listener. */
  public void removeOnChange(Runnable listener) {
    changeListeners.remove(listener);
  }

  private void onLinkChange() {
    findRefusal();
    refresh();
    changed();
  }

  private void changed() {
    allLinks.removeIf(BrokerLink::isClosed);
    for (int i = 0; i < changeListeners.size(); i++) {
      try {
        changeListeners.get(i).run();
      } catch (Throwable e) {
        // Listeners belong to many producers and consumers. The failure of one must not keep the others from their
        // calls.
        EventLoop.logFailure("a listener of the cluster failed", e);
      }
    }
    waiters.signalAll();
  }

  /**
   * Waits until the cluster has reported a topic. Any thread but the owner.
   *
   * @param deadlineNanos in monotonic nanoseconds
   * @return its metadata, without error
   * @throws InterruptedException if the thread was interrupted
   * @throws KafkaException if the topic does not exist or no broker responds in time; at once if the user may not
   *     describe it
   */
  public TopicMetadata awaitTopic(String topic, long deadlineNanos) throws InterruptedException {
    BooleanSupplier denied = deniedFromNow(topic, deadlineNanos);
    waiters.await(() -> refusal != null || isUsable(snapshot.topic(topic)) || denied.getAsBoolean(), deadlineNanos);
    TopicMetadata metadata = snapshot.topic(topic);
    if (metadata == null || !isUsable(metadata)) {
      throw whyUnusable(topic);
    }
    return metadata;
  }

  /**
   * Requests a topic, and reports whether the cluster refuses it to this user. Only a response to a request from now on
   * counts: the right may have been granted since the last one. A missing topic is no refusal, because it may still be
   * created. Any thread.
   *
   * @param deadlineNanos until when the topic is requested while it is not usable
   * @return true once a response has refused the topic; {@link #whyUnusable} has the error
   */
  public BooleanSupplier deniedFromNow(String topic, long deadlineNanos) {
    BooleanSupplier reported = responseFromNow(topic, 0, deadlineNanos);
    return () -> {
      boolean isNew = reported.getAsBoolean();
      TopicMetadata metadata = snapshot.topic(topic);
      return isNew && metadata != null && metadata.error() == ErrorCode.TOPIC_AUTHORIZATION_FAILED;
    };
  }

  /**
   * Requests a topic at once, unless it has enough partitions, and repeatedly until it has. Any thread.
   *
   * @param partitions the number that the caller waits for; 0 for any
   * @param deadlineNanos until when the topic is requested
   * @return true once a response to a request from now on has reported the topic
   */
  public BooleanSupplier responseFromNow(String topic, int partitions, long deadlineNanos) {
    AtomicLong begun = new AtomicLong(Long.MAX_VALUE);
    loop.execute(() -> {
      long now = loop.nowNanos();
      interest.use(topic, now);
      TopicMetadata known = snapshot.topic(topic);
      if (known == null || !isUsable(known) || known.partitions().size() < partitions) {
        interest.await(topic, partitions, deadlineNanos, now);
        interest.request(topic, now);
        scheduleFor(topic);
      }
      begun.set(update.begun());
    });
    return () -> update.published() > begun.get();
  }

  /**
   * Returns the error for a topic that cannot be sent to or read from. Any thread.
   *
   * @param topic a topic without metadata, or with an error in it
   * @return the cluster's error, or a timeout if there was no response
   */
  public KafkaException whyUnusable(String topic) {
    KafkaException refused = refusal;
    if (refused != null) {
      return again(refused);
    }
    TopicMetadata metadata = snapshot.topic(topic);
    if (metadata == null) {
      return new KafkaTimeoutException("no metadata of topic " + topic + " in time from " + bootstrapNames()
          + "; " + LastError.words(lastError), lastError);
    }
    return new KafkaException(metadata.error(), "topic " + topic + ": " + metadata.error()
        + ", said the cluster at " + bootstrapNames());
  }

  private static boolean isUsable(@Nullable TopicMetadata metadata) {
    return metadata != null && metadata.error() == ErrorCode.NONE;
  }

  private String bootstrapNames() {
    List<String> names = new ArrayList<>();
    bootstrap.forEach(link -> names.add(link.name()));
    return String.join(",", names);
  }

  /** Returns how many nanoseconds a topic stays after a producer's last use. Any thread. */
  public long metadataMaxIdleNanos() {
    return interest.idleNanos();
  }

  /** Keeps a topic for {@code metadata.max.idle.ms} from now: records are sent to it, or a producer of it is opened. */
  public void keepTopic(String topic) {
    interest.use(topic, loop.nowNanos());
  }

  /** Requests a topic unless it is known. It stays known while a {@link TopicUser} needs it. */
  public void addTopic(String topic) {
    interest.add(topic, snapshot.topic(topic), loop.nowNanos());
    scheduleFor(topic);
  }

  /**
   * Requests a topic repeatedly while records or a caller wait for it or for a leader.
   *
   * @param untilNanos the end of the wait, at least
   */
  public void requestTopicFor(String topic, long untilNanos) {
    interest.await(topic, 0, untilNanos, loop.nowNanos());
    scheduleFor(topic);
  }

  /** Requests one topic that was found changed or gone, with growing pauses while nothing changes. */
  public void requestUpdate(String topic) {
    interest.want(topic, loop.nowNanos());
    scheduleFor(topic);
  }

  /**
   * Requests new metadata of all topics soon, because something was found stale. A response on its way is enough: a
   * user that finds it stale, too, asks again.
   */
  public void requestUpdate() {
    interest.wantEverything(snapshot, loop.nowNanos());
    scheduleAt(interest.everythingDueNanos());
  }

  /**
   * Adds a user, which is asked for its topics before each request for all topics.
   *
   * @param user until {@link #removeTopicUser}
   */
  public void addTopicUser(TopicUser user) {
    interest.addUser(user);
  }

  /** Removes a user: its topics stay only if another user needs them. */
  public void removeTopicUser(TopicUser user) {
    interest.removeUser(user);
  }

  private void scheduleFor(String topic) {
    scheduleAt(interest.dueNanos(topic, snapshot));
  }

  /**
   * Schedules a refresh. A time in the past means this round of the loop, together with everything else that is due.
   */
  private void scheduleAt(long dueNanos) {
    long at = dueNanos - loop.nowNanos() > 0 ? dueNanos : loop.nowNanos();
    if (!refreshTimer.isScheduled() || refreshTimer.deadlineNanos() - at > 0) {
      loop.schedule(refreshTimer, at);
    }
  }

  private void refresh() {
    BrokerLink slow = update.inFlightLink();
    if (slow != null && !isOverdue()) {
      return;
    }
    long due = interest.dueNanos(snapshot);
    if (due - loop.nowNanos() > 0) {
      loop.schedule(refreshTimer, due);
      return;
    }
    BrokerLink link = anyReadyLink(slow);
    if (link != null) {
      startUpdate(link);
      return;
    }
    BrokerLink next = bootstrap.get(Math.floorMod(nextBootstrap, bootstrap.size()));
    if (next.lastError() != null) {
      lastError = next.lastError();
      nextBootstrap++;
    }
    next.ensureConnected();
    links.values().forEach(BrokerLink::ensureConnected);
    if (slow != null) {
      bootstrap.forEach(BrokerLink::ensureConnected); // the next address in turn may be that of the slow broker
    }
    loop.schedule(refreshTimer, loop.nowNanos() + RETRY_NANOS);
  }

  /**
   * Returns true if the broker with the request is slow. Otherwise schedules the refresh timer for the time at which it
   * would be.
   */
  private boolean isOverdue() {
    long due = update.startedNanos() + Math.min(SLOW_NANOS, settings.requestTimeoutNanos() / 2);
    if (due - loop.nowNanos() > 0) {
      loop.schedule(refreshTimer, due);
      return false;
    }
    return true;
  }

  /**
   * Sends a request for metadata. An exception counts as a failed attempt: without another attempt the metadata would
   * never change again.
   */
  private void startUpdate(BrokerLink link) {
    try {
      update.start(link, interest.nextRequest(snapshot, loop.nowNanos()));
      if (update.isInFlight()) {
        isOverdue(); // schedules the timer for a slow broker
      }
    } catch (Throwable e) {
      update.failed(link, new KafkaException(ErrorCode.NETWORK_EXCEPTION, "broker " + link.name()
          + " could not be asked for metadata: " + e, e));
    }
  }

  /**
   * Returns the link with the fewest requests in flight among those that the cluster has named; otherwise a bootstrap
   * link.
   */
  private @Nullable BrokerLink anyReadyLink(@Nullable BrokerLink butNot) {
    BrokerLink best = rebootstrapping ? null : leastLoaded(links.values(), butNot);
    return best == null ? leastLoaded(bootstrap, butNot) : best;
  }

  private static @Nullable BrokerLink leastLoaded(Collection<BrokerLink> among, @Nullable BrokerLink butNot) {
    BrokerLink best = null;
    for (BrokerLink link : among) {
      if (link.isReady() && !link.equals(butNot) && (best == null || link.inFlight() < best.inFlight())) {
        best = link;
      }
    }
    return best;
  }

  /**
   * Takes new metadata.
   *
   * @param fresh all that is known with it
   * @param requested the topics that were requested
   */
  void updated(ClusterSnapshot fresh, RequestedTopics requested) {
    lastError = null;
    rebootstrapping = false;
    telemetry.metadata().updated(fresh.brokers().size(), fresh.topics().size());
    interest.responded(requested, snapshot, fresh, loop.nowNanos());
    long due = interest.dueNanos(fresh);
    loop.schedule(refreshTimer, due - loop.nowNanos() > 0 ? due : loop.nowNanos());
    publish(fresh);
  }

  private void publish(ClusterSnapshot fresh) {
    ClusterSnapshot before = snapshot;
    snapshot = fresh;
    if (telemetry.metadata().wantsLeaders()) {
      reportLeaders(before, fresh);
    }
    for (Map.Entry<Integer, BrokerAddress> broker : fresh.brokers().entrySet()) {
      leaders.put(broker.getKey(), links.computeIfAbsent(broker.getValue(), this::linkFor));
    }
    leaders.keySet().retainAll(fresh.brokers().keySet());
    settings.identity().nodes(fresh.brokers());
    if (!fresh.brokers().equals(before.brokers())) {
      leaveAllBut(new HashSet<>(fresh.brokers().values()));
    }
    changed();
  }

  /** Takes over the address of a broker from a response with an error (KIP-951). */
  public void brokerAt(int nodeId, BrokerAddress address) {
    if (!address.equals(snapshot.brokers().get(nodeId))) {
      publish(snapshot.withBroker(nodeId, address));
    }
  }

  /**
   * Takes over the leader of a partition from a response with an error (KIP-951). An old epoch is ignored.
   *
   * @param leader node id and epoch
   * @return true if the leader has changed, and its address is known
   */
  public boolean leaderMoved(String name, int partition, PartitionMetadata leader) {
    TopicMetadata topic = snapshot.topic(name);
    if (topic == null || partition >= topic.partitions().size() || !leaders.containsKey(leader.leaderId())
        || topic.partitions().get(partition).leaderEpoch() >= leader.leaderEpoch()) {
      return false;
    }
    publish(snapshot.withLeader(topic, partition, leader));
    return true;
  }

  /**
   * Returns the link to an address. A bootstrap link that turns out to be a broker of the cluster serves as its link,
   * which saves a connection.
   */
  private BrokerLink linkFor(BrokerAddress address) {
    for (BrokerLink link : bootstrap) {
      if (link.name().equals(address.toString())) {
        return link;
      }
    }
    return newLink(address);
  }

  /**
   * Forgets the addresses that the cluster has left. Another cluster may use them now, and one once acknowledged this
   * client's records. The links end with their last response. Bootstrap links stay, because the application has named
   * them.
   */
  private void leaveAllBut(Set<BrokerAddress> named) {
    leaveAllBut(named, links);
    fetchLinks.forEach(of -> leaveAllBut(named, of.byAddress()));
  }

  private void leaveAllBut(Set<BrokerAddress> named, Map<BrokerAddress, BrokerLink> known) {
    for (Iterator<Map.Entry<BrokerAddress, BrokerLink>> i = known.entrySet().iterator(); i.hasNext();) {
      Map.Entry<BrokerAddress, BrokerLink> link = i.next();
      if (!named.contains(link.getKey())) {
        i.remove();
        if (!bootstrap.contains(link.getValue())) {
          link.getValue().leave("the cluster does not name broker " + link.getValue().name() + " any more");
        }
      }
    }
  }

  /**
   * Makes a link for one caller, which closes it. A response may take this time, or {@code request.timeout.ms} if that
   * is longer.
   */
  BrokerLink openLink(BrokerAddress address, long responseNanos, Runnable onStateChange) {
    LinkSettings own = settings.withRequestTimeout(Math.max(responseNanos, settings.requestTimeoutNanos()));
    BrokerLink link = new BrokerLink(loop, memory, telemetry.connection(), own, address, () -> {
      findRefusal();
      onStateChange.run();
    });
    allLinks.add(link);
    return link;
  }

  /** Ends a link for good. Its requests in flight fail with the cause. */
  void closeLink(BrokerLink link, KafkaException cause) {
    allLinks.remove(link);
    link.shutDown(cause);
  }

  EventLoop loop() {
    return loop;
  }

  /**
   * Returns how many times the client has come to another cluster, which does not know its producer ids. Always 0
   * unless {@code metadata.cluster.check.enable} is false. Owner only.
   */
  public int moves() {
    return settings.identity().moves();
  }

  ClusterIdentity identity() {
    return settings.identity();
  }

  private void reportLeaders(ClusterSnapshot before, ClusterSnapshot now) {
    now.topics().forEach((name, topic) -> {
      TopicMetadata known = before.topic(name);
      for (int p = 0; p < topic.partitions().size(); p++) {
        int leaderBefore = known == null ? -1 : known.leader(p);
        if (leaderBefore != topic.leader(p)) {
          telemetry.metadata().leaderChanged(name, p, leaderBefore, topic.leader(p));
        }
      }
    });
  }

  /**
   * Asks only bootstrap servers from now on, until one of them has responded (KIP-1102). The known brokers no longer
   * serve, so the bootstrap addresses are resolved again and connected to.
   */
  void rebootstrap(KafkaException cause) {
    rebootstrapping = true;
    interest.wantEverything(snapshot, loop.nowNanos());
    bootstrap.forEach(link -> link.close(cause));
  }

  void updateFailed(String broker, Throwable cause) {
    lastError = cause;
    telemetry.metadata().failed(broker, cause);
    loop.schedule(refreshTimer, loop.nowNanos() + RETRY_NANOS);
    waiters.signalAll();
  }

  long nowNanos() {
    return loop.nowNanos();
  }

  /** Returns the link to a node; null if the node is not known. */
  public @Nullable BrokerLink link(int nodeId) {
    return leaders.get(nodeId);
  }

  /** Returns a link to a node that takes a request now; otherwise starts a connection and returns null. */
  @Nullable
  BrokerLink readyLink(int nodeId) {
    BrokerLink link = leaders.get(nodeId);
    if (link == null) {
      requestUpdate();
      return null;
    }
    if (link.isReady()) {
      return link;
    }
    link.ensureConnected();
    return null;
  }

  /** Opens the links for the fetches of one consumer, which closes them. */
  public FetchLinks openFetchLinks() {
    FetchLinks opened = new FetchLinks(this, newLink);
    fetchLinks.add(opened);
    return opened;
  }

  void forget(FetchLinks closed) {
    fetchLinks.remove(closed);
  }

  /**
   * Returns any link that takes a request now. If there is none, it requests metadata, which opens one, and returns
   * null.
   */
  public @Nullable BrokerLink anyLink() {
    BrokerLink link = anyReadyLink(null);
    if (link == null) {
      requestUpdate();
    }
    return link;
  }

  /**
   * Returns a link that takes a request now and that the caller accepts; null if there is none. No connection is
   * opened.
   */
  public @Nullable BrokerLink readyLink(Predicate<BrokerLink> wanted) {
    for (BrokerLink link : links.values()) {
      if (link.isReady() && wanted.test(link)) {
        return link;
      }
    }
    for (BrokerLink link : bootstrap) {
      if (link.isReady() && wanted.test(link)) {
        return link;
      }
    }
    return null;
  }

  /** Returns the number of links that take a request now. */
  public int readyConnections() {
    int ready = 0;
    for (BrokerLink link : allLinks) {
      ready += link.isReady() ? 1 : 0;
    }
    return ready;
  }

  /**
   * Returns the level of a feature that the cluster has finalized (KIP-584). Brokers may differ for a moment, so the
   * connection with the highest epoch decides.
   *
   * @param name such as {@code transaction.version}
   * @return 0 if the feature is not in use, or no broker has reported it yet
   */
  public short feature(String name) {
    ApiVersionTable newest = ApiVersionTable.EMPTY;
    for (BrokerLink link : allLinks) {
      if (link.versions().featuresEpoch() > newest.featuresEpoch()) {
        newest = link.versions();
      }
    }
    return newest.feature(name);
  }

  /** Returns a copy of the state of every link. Any thread. */
  public List<ConnectionStatus> linkStatus() {
    return allLinks.stream().map(BrokerLink::status).toList();
  }

  /** Returns the age of the metadata; null before the first response. Any thread. */
  public @Nullable Duration metadataAge() {
    return update.hasResponse() ? Duration.ofNanos(loop.clock().nanoTime() - update.lastResponseNanos()) : null;
  }

  /** Returns true if brokers may create topics that a request names. Owner of the loop. */
  public boolean allowsAutoCreateTopics() {
    return interest.mayCreate();
  }

  /**
   * Returns the age, in nanoseconds, at which metadata is requested again unless it is found stale before. Any thread.
   */
  public long metadataMaxAgeNanos() {
    return refreshNanos;
  }

  /** Closes every link. */
  public void shutDown() {
    loop.cancel(refreshTimer);
    changeListeners.clear();
    KafkaException cause = new ClosedInGoodOrderException("the client was closed");
    allLinks.forEach(link -> link.shutDown(cause));
    loop.cancel(refreshTimer);
  }
}
