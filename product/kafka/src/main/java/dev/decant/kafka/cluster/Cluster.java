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
 * The brokers of one cluster, the links to them, and the metadata that says who leads what. Metadata is asked for when
 * somebody needs it (a new topic, an error that says it is stale) and by time; one request at a time. Which topics a
 * request names, and when it leaves, is up to {@link TopicInterest}.
 *
 * <p>Owner of the loop only, but for what says that any thread may call it.
 */
public final class Cluster {
  private static final long RETRY_NANOS = TopicInterest.RETRY_NANOS;
  /** After this time without a response another broker is asked too: the first one may be frozen. */
  private static final long SLOW_NANOS = 2_000_000_000L;

  private final EventLoop loop;
  private final FrameMemory memory;
  private final Telemetry telemetry;
  private final LinkSettings settings;
  private final long refreshNanos;
  private final List<BrokerLink> bootstrap = new ArrayList<>();
  private final Map<BrokerAddress, BrokerLink> links = new HashMap<>();
  private final Map<Integer, BrokerLink> leaders = new HashMap<>();
  /** Those of each consumer. Owner of the loop only. */
  private final List<FetchLinks> fetchLinks = new ArrayList<>();
  private final Function<BrokerAddress, BrokerLink> newLink = this::newLink;
  /** All of these, and those that one coordinator alone uses. Changed by the owner, read by any thread. */
  private final Set<BrokerLink> allLinks = new CopyOnWriteArraySet<>();
  private final TopicInterest interest;
  private final List<Runnable> changeListeners = new ArrayList<>();
  private final Waiters waiters;
  private final Timer refreshTimer;
  private final MetadataUpdate update;
  private int nextBootstrap;
  /** Only bootstrap addresses are asked for metadata. */
  private boolean rebootstrapping;

  // Written by the owner, read by any thread.
  private volatile ClusterSnapshot snapshot = ClusterSnapshot.EMPTY;
  private volatile @Nullable Throwable lastError;
  private volatile @Nullable KafkaException refusal;

  /**
   * Knows only the bootstrap addresses.
   *
   * @param loop the loop
   * @param memory for large responses
   * @param telemetry is told what happens
   * @param settings for all links
   * @param bootstrapAddresses at least one
   * @param refreshNanos how long metadata is used before it is asked for anew, if nobody finds it stale
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
   * Lets brokers create topics that are asked for and do not exist. Before the first request.
   *
   * @param value as the application has set it
   */
  public void allowAutoCreateTopics(boolean value) {
    interest.mayCreate(value);
  }

  /**
   * How long a topic stays after a producer's last use of it ({@code metadata.max.idle.ms}). Before the first request.
   *
   * @param nanos 5 minutes unless it is set
   */
  public void metadataMaxIdle(long nanos) {
    interest.idleNanos(nanos);
  }

  private BrokerLink newLink(BrokerAddress address) {
    BrokerLink link = new BrokerLink(loop, memory, telemetry.connection(), settings, address, this::onLinkChange);
    allLinks.add(link);
    return link;
  }

  /**
   * The newest metadata. Any thread.
   *
   * @return immutable
   */
  public ClusterSnapshot snapshot() {
    return snapshot;
  }

  /**
   * The error that the last attempt to get metadata met. Any thread.
   *
   * @return null after a success
   */
  public @Nullable Throwable lastError() {
    return lastError;
  }

  /**
   * Why there is no connection, and will be none before somebody does something: the brokers refuse this client, or all
   * bootstrap servers belong to another cluster. Any thread.
   *
   * @return an {@link AuthenticationException} or a {@link WrongClusterException}; null while one connection is ready,
   *     or none was refused
   */
  public @Nullable KafkaException refusal() {
    return refusal;
  }

  /**
   * A refusal once more, for a thread that was not there.
   *
   * @param refusal as {@link #refusal()} has given it
   * @return to be thrown; of the same class, with the refusal as its cause
   */
  public static KafkaException again(KafkaException refusal) {
    return switch (refusal) {
      case AuthenticationException refused -> refused.again();
      case WrongClusterException wrong -> wrong.again();
      default -> refusal;
    };
  }

  /** TLS keys were replaced: connections with the old ones are replaced, and no request fails. Owner only. */
  public void onKeysReplaced() {
    for (BrokerLink link : allLinks) {
      link.onKeysReplaced();
    }
  }

  private void lookForRefusal() {
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

  /** The error of the bootstrap servers if each of them belongs to another cluster: nobody else knows this one. */
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

  /**
   * Threads that wait for anything the loop does for this cluster.
   *
   * @return to wait on, and to wake
   */
  public Waiters waiters() {
    return waiters;
  }

  /**
   * Adds a listener of new metadata and of links that come and go.
   *
   * @param listener run on the owner
   */
  public void onChange(Runnable listener) {
    changeListeners.add(listener);
  }

  /**
   * Removes a listener.
   *
   * @param listener added before
   */
  public void removeOnChange(Runnable listener) {
    changeListeners.remove(listener);
  }

  private void onLinkChange() {
    lookForRefusal();
    refresh();
    changed();
  }

  private void changed() {
    allLinks.removeIf(BrokerLink::isClosed);
    for (int i = 0; i < changeListeners.size(); i++) {
      try {
        changeListeners.get(i).run();
      } catch (Throwable e) { // they belong to many producers and consumers
        EventLoop.logFailure("a listener of the cluster failed", e);
      }
    }
    waiters.signalAll();
  }

  /**
   * Waits until the cluster has said something of a topic. Any thread but the owner.
   *
   * @param topic the topic
   * @param deadlineNanos in monotonic nanoseconds
   * @return its metadata, without error
   * @throws InterruptedException if the thread was interrupted
   * @throws KafkaException when the topic does not exist or no broker answers in time; at once when the user may not
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
   * Asks for a topic, and tells when the cluster refuses it to this user. A refusal that was asked for earlier does not
   * count: the right may have been given meanwhile. A topic that does not exist is no refusal: it may be made. Any
   * thread.
   *
   * @param topic the topic
   * @param deadlineNanos until when it is asked for while it is not usable
   * @return whether a response that was asked for from now on has refused it; {@link #whyUnusable} says so in words
   */
  public BooleanSupplier deniedFromNow(String topic, long deadlineNanos) {
    BooleanSupplier told = toldFromNow(topic, 0, deadlineNanos);
    return () -> {
      boolean isNew = told.getAsBoolean();
      TopicMetadata metadata = snapshot.topic(topic);
      return isNew && metadata != null && metadata.error() == ErrorCode.TOPIC_AUTHORIZATION_FAILED;
    };
  }

  /**
   * Asks for a topic at once, unless it has so many partitions, and again and again until it has. Any thread.
   *
   * @param topic the topic
   * @param partitions how many somebody waits for; 0 for any
   * @param deadlineNanos until when it is asked for
   * @return whether a response that was asked for from now on has told of the topic
   */
  public BooleanSupplier toldFromNow(String topic, int partitions, long deadlineNanos) {
    AtomicLong begun = new AtomicLong(Long.MAX_VALUE);
    loop.execute(() -> {
      long now = loop.nowNanos();
      interest.use(topic, now);
      TopicMetadata known = snapshot.topic(topic);
      if (known == null || !isUsable(known) || known.partitions().size() < partitions) {
        interest.await(topic, partitions, deadlineNanos, now);
        interest.ask(topic, now);
        scheduleFor(topic);
      }
      begun.set(update.begun());
    });
    return () -> update.published() > begun.get();
  }

  /**
   * Why nothing can be sent to a topic or read from it. Any thread.
   *
   * @param topic of which nothing is known, or that it is in error
   * @return what the cluster said, or that it has not answered in time
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

  /**
   * How long a topic stays after a producer's last use of it. Any thread.
   *
   * @return nanoseconds
   */
  public long metadataMaxIdleNanos() {
    return interest.idleNanos();
  }

  /**
   * Records are sent to a topic, or a producer of it is opened: it stays for {@code metadata.max.idle.ms} from now.
   *
   * @param topic the topic
   */
  public void keepTopic(String topic) {
    interest.use(topic, loop.nowNanos());
  }

  /**
   * Asks for a topic, unless it is known. It stays known while a {@link TopicUser} needs it.
   *
   * @param topic the topic
   */
  public void addTopic(String topic) {
    interest.add(topic, snapshot.topic(topic), loop.nowNanos());
    scheduleFor(topic);
  }

  /**
   * Something waits for a topic or a leader, such as records to be sent: asks for the topic again and again.
   *
   * @param topic the topic
   * @param untilNanos until when it waits at least
   */
  public void requestTopicFor(String topic, long untilNanos) {
    interest.await(topic, 0, untilNanos, loop.nowNanos());
    scheduleFor(topic);
  }

  /**
   * A topic was found to have changed, or to be gone: asks for it alone, less and less often while nothing changes.
   *
   * @param topic the topic
   */
  public void requestUpdate(String topic) {
    interest.want(topic, loop.nowNanos());
    scheduleFor(topic);
  }

  /**
   * Asks for new metadata of everything soon: something was found to be stale. A response that is on its way serves as
   * well: who finds it stale too asks again.
   */
  public void requestUpdate() {
    interest.wantEverything(snapshot, loop.nowNanos());
    scheduleAt(interest.everythingDueNanos());
  }

  /**
   * Has a user be asked which topics are needed.
   *
   * @param user until {@link #removeTopicUser}
   */
  public void addTopicUser(TopicUser user) {
    interest.addUser(user);
  }

  /**
   * The user needs no topic any more.
   *
   * @param user added before
   */
  public void removeTopicUser(TopicUser user) {
    interest.removeUser(user);
  }

  private void scheduleFor(String topic) {
    scheduleAt(interest.dueNanos(topic, snapshot));
  }

  /** In the past means in this round, with all else that is wanted in it. */
  private void scheduleAt(long dueNanos) {
    long at = dueNanos - loop.nowNanos() > 0 ? dueNanos : loop.nowNanos();
    if (!refreshTimer.isScheduled() || refreshTimer.deadlineNanos() - at > 0) {
      loop.schedule(refreshTimer, at);
    }
  }

  private void refresh() {
    BrokerLink slow = update.asked();
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
      bootstrap.forEach(BrokerLink::ensureConnected); // the next in turn may be that of the slow broker
    }
    loop.schedule(refreshTimer, loop.nowNanos() + RETRY_NANOS);
  }

  /** Whether the broker that was asked is slow; if not yet, the refresh timer looks when it is. */
  private boolean isOverdue() {
    long due = update.askedNanos() + Math.min(SLOW_NANOS, settings.requestTimeoutNanos() / 2);
    if (due - loop.nowNanos() > 0) {
      loop.schedule(refreshTimer, due);
      return false;
    }
    return true;
  }

  /** Without another attempt nothing would be known of any topic any more. */
  private void startUpdate(BrokerLink link) {
    try {
      update.start(link, interest.question(snapshot, loop.nowNanos()));
      if (update.isInFlight()) {
        isOverdue(); // has the timer look
      }
    } catch (Throwable e) {
      update.failed(link, new KafkaException(ErrorCode.NETWORK_EXCEPTION, "broker " + link.name()
          + " could not be asked for metadata: " + e, e));
    }
  }

  /** Of those that the cluster has named, the one with the least in flight; else one of the bootstrap addresses. */
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
   * New metadata.
   *
   * @param fresh what is known with it
   * @param question what was asked for
   */
  void updated(ClusterSnapshot fresh, MetadataQuestion question) {
    lastError = null;
    rebootstrapping = false;
    telemetry.metadata().updated(fresh.brokers().size(), fresh.topics().size());
    interest.answered(question, snapshot, fresh, loop.nowNanos());
    long due = interest.dueNanos(fresh);
    loop.schedule(refreshTimer, due - loop.nowNanos() > 0 ? due : loop.nowNanos());
    publish(fresh);
  }

  private void publish(ClusterSnapshot fresh) {
    ClusterSnapshot before = snapshot;
    snapshot = fresh;
    if (telemetry.metadata().wantsLeaders()) {
      tellLeaders(before, fresh);
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

  /**
   * A broker has told, beside an error, where another one is (KIP-951).
   *
   * @param nodeId the other broker
   * @param address where it listens
   */
  public void brokerAt(int nodeId, BrokerAddress address) {
    if (!address.equals(snapshot.brokers().get(nodeId))) {
      publish(snapshot.withBroker(nodeId, address));
    }
  }

  /**
   * A broker has told, beside an error, who leads a partition (KIP-951). Old news is ignored.
   *
   * @param name the topic
   * @param partition of the topic
   * @param leader node id and epoch
   * @return whether this is news, and the leader is known
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

  /** A bootstrap link that turns out to be a broker of the cluster is used as such: one connection less. */
  private BrokerLink linkFor(BrokerAddress address) {
    for (BrokerLink link : bootstrap) {
      if (link.name().equals(address.toString())) {
        return link;
      }
    }
    return newLink(address);
  }

  /**
   * Forgets the addresses that the cluster has left, since others may listen there by now. Their links end with the
   * last response; those of bootstrap servers stay, for the application has named them.
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

  /** Makes a link that only the caller uses, and closes. Responses may take so long, or {@code request.timeout.ms}. */
  BrokerLink openLink(BrokerAddress address, long answerNanos, Runnable onStateChange) {
    LinkSettings own = settings.withRequestTimeout(Math.max(answerNanos, settings.requestTimeoutNanos()));
    BrokerLink link = new BrokerLink(loop, memory, telemetry.connection(), own, address, () -> {
      lookForRefusal();
      onStateChange.run();
    });
    allLinks.add(link);
    return link;
  }

  /** Ends a link for good; its requests in flight fail with the cause. */
  void closeLink(BrokerLink link, KafkaException cause) {
    allLinks.remove(link);
    link.shutDown(cause);
  }

  EventLoop loop() {
    return loop;
  }

  /**
   * How often the client has come to another cluster, which does not know its producer ids. Owner only.
   *
   * @return 0 unless {@code metadata.cluster.check.enable} is false
   */
  public int moves() {
    return settings.identity().moves();
  }

  ClusterIdentity identity() {
    return settings.identity();
  }

  private void tellLeaders(ClusterSnapshot before, ClusterSnapshot now) {
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
   * The brokers that are known are not to be asked any more (KIP-1102): the addresses given at the beginning are
   * resolved and connected to anew, and nobody else is asked until one of them has answered.
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

  /**
   * The link to a node.
   *
   * @param nodeId the node
   * @return null if the node is not known
   */
  public @Nullable BrokerLink link(int nodeId) {
    return leaders.get(nodeId);
  }

  /** Returns a link to a node that can take a request now; null while it has none, which is then being opened. */
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

  /**
   * Makes the links of a consumer's fetches.
   *
   * @return to be closed with the consumer
   */
  public FetchLinks openFetchLinks() {
    FetchLinks opened = new FetchLinks(this, newLink);
    fetchLinks.add(opened);
    return opened;
  }

  void forget(FetchLinks closed) {
    fetchLinks.remove(closed);
  }

  /**
   * Any link that can take a request now; where there is none, one is being opened.
   *
   * @return null for now
   */
  public @Nullable BrokerLink anyLink() {
    BrokerLink link = anyReadyLink(null);
    if (link == null) {
      requestUpdate();
    }
    return link;
  }

  /**
   * A connection that can take a request now and that the caller wants; none is opened.
   *
   * @param wanted tells whether it does
   * @return null if there is none
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

  /**
   * Connections that can take a request now.
   *
   * @return how many
   */
  public int readyConnections() {
    int ready = 0;
    for (BrokerLink link : allLinks) {
      ready += link.isReady() ? 1 : 0;
    }
    return ready;
  }

  /**
   * The level of a feature that the cluster has finalized (KIP-584). Brokers may differ for a moment: the newest word
   * counts, of those that were heard on a connection.
   *
   * @param name such as {@code transaction.version}
   * @return 0 if it is not in use, or no broker has been heard yet
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

  /**
   * How every link stands. Any thread.
   *
   * @return a copy
   */
  public List<ConnectionStatus> linkStatus() {
    return allLinks.stream().map(BrokerLink::status).toList();
  }

  /**
   * How old the metadata is. Any thread.
   *
   * @return null before the first response
   */
  public @Nullable Duration metadataAge() {
    return update.hasResponse() ? Duration.ofNanos(loop.clock().nanoTime() - update.lastResponseNanos()) : null;
  }

  /**
   * Tells whether brokers may create topics that are asked for. Owner of the loop.
   *
   * @return as {@link #allowAutoCreateTopics} was told
   */
  public boolean allowsAutoCreateTopics() {
    return interest.mayCreate();
  }

  /**
   * How long metadata is used before it is asked for anew, if nobody finds it stale. Any thread.
   *
   * @return nanoseconds
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
