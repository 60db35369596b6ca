package dev.decant.kafka.group;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Coordinator;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.cluster.TopicUser;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.internal.GroupMembers;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.telemetry.GroupEvents;
import dev.decant.loop.Timer;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A consumer's side of its group: the connection to the coordinator, commits and committed offsets, and a
 * {@link Membership} under one protocol or the other. With explicitly assigned partitions there is no membership, only
 * offsets. Owner of the loop only.
 */
public final class GroupMember {
  /** So long may commits of what was given up hold up word of that. */
  private static final long COMMITS_NANOS = 3_000_000_000L;

  /** What the application has done of {@link GroupApplication#reconcile}, with commits of what it gave up under way. */
  private record Done(int number, List<TopicPartition> givenUp, long sinceNanos) {}

  private final ClientInternals client;
  private final GroupSettings settings;
  private final GroupApplication application;
  private final GroupEvents events;
  private final MemberProblems problems;
  private final Membership membership;
  private final Coordinator coordinator;
  private final OffsetCommits commits;
  private final OffsetFetches offsetFetches;
  private final Timer timer = new Timer(this::work);
  /** The members of the client, which transactions report refused offsets to; this one is among them. */
  private final GroupMembers members;
  private final GroupMembers.Member verifies = this::verify;
  private Runnable onLeft = () -> {};
  /** Why the member takes no commits; the last loss, failure or departure. */
  private KafkaException refusal;
  private List<TopicPartition> revoking = List.of();
  /** Topics that brokers are to create, where the client lets them. */
  private Set<String> subscribed = Set.of();
  private final TopicUser topicUser = topics -> topics.addAll(subscribed);
  private @Nullable Done done;
  /** The member when it was last in the group; null before. */
  private @Nullable GroupMetadata lastIn;
  private boolean closed;
  private boolean rebalancing;
  private long rebalanceSinceNanos;
  /** The refusal of the coordinator's lookup that the application was told last: each one is told once. */
  private @Nullable KafkaException toldRefusal;

  /**
   * Does nothing yet.
   *
   * @param client the client
   * @param settings what the member says of itself
   * @param classic the same for the classic protocol; null for the consumer protocol
   * @param application gives up and takes partitions
   */
  public GroupMember(ClientInternals client, GroupSettings settings, @Nullable ClassicSettings classic,
      GroupApplication application) {
    this.client = client;
    this.settings = settings;
    this.application = application;
    this.events = client.telemetry().group();
    this.problems = new MemberProblems(client.telemetry().problems(), settings.groupId());
    this.refusal = wasClosed();
    this.membership = classic == null
        ? new ConsumerMembershipHost(client, settings, this)
        : new ClassicMembershipHost(client, settings, classic, this);
    this.coordinator = new Coordinator(client.cluster(), Coordinator.Kind.GROUP, settings.groupId(), this::work);
    this.members = client.shared(GroupMembers.class, GroupMembers::new);
    long now = client.loop().clock().nanoTime();
    this.commits = new OffsetCommits(this, now);
    this.offsetFetches = new OffsetFetches(this, now);
  }

  /**
   * Joins the group, or tells it of another subscription.
   *
   * @param wanted what to read
   */
  public void subscribe(Subscription wanted) {
    if (membership.isOutside()) {
      problems.notMember(null);
    }
    if (client.cluster().allowsAutoCreateTopics()) {
      subscribed = Set.copyOf(wanted.topics());
      client.cluster().removeTopicUser(topicUser);
      client.cluster().addTopicUser(topicUser);
      subscribed.forEach(client.cluster()::addTopic); // a broker creates what it is asked for
    }
    members.add(verifies);
    membership.subscribe(wanted, nowNanos());
    work();
  }

  /**
   * The application has given up and taken what it should.
   *
   * @param number of {@link GroupApplication#reconcile}
   */
  public void reconciled(int number) {
    done = new Done(number, revoking, nowNanos());
    work();
  }

  /**
   * The group hears what was given up once no commit of it is left: one that is sent again later would undo what the
   * next owner has committed.
   */
  private void acknowledge(long now) {
    Done over = done;
    if (over == null || (commits.concern(over.givenUp) && now - over.sinceNanos < COMMITS_NANOS)) {
      return;
    }
    done = null;
    commits.failThoseOf(over.givenUp, new KafkaException(ErrorCode.REBALANCE_IN_PROGRESS, "group "
        + settings.groupId() + ": partitions were given up before the commit was stored; commit in onRevoked, or"
        + " sooner"));
    membership.reconciled(over.number, now);
  }

  /**
   * Joins again, where members divide the partitions; else nothing.
   *
   * @param reason for the coordinator's log
   */
  public void rejoin(String reason) {
    membership.rejoin(reason, nowNanos());
    work();
  }

  /**
   * The topics that the member reads, as far as this client knows them. Any thread.
   *
   * @return those that a pattern has matched here, or that were named; empty for a pattern that brokers match
   */
  public Set<String> topics() {
    return membership.topics();
  }

  /** The application has heard of its loss. */
  public void lossHandled() {
    membership.lossHandled(nowNanos());
    work();
  }

  /**
   * The application has not polled for too long.
   *
   * @param cause says so
   */
  public void stalled(KafkaException cause) {
    membership.stalled(cause, nowNanos());
    work();
  }

  /**
   * Commits offsets. What waits is sent together with others that wait, and ends in its turn.
   *
   * @param offsets of the next record to read, by partition; with none it ends after those that were made before it
   * @param deadlineNanos until when to try
   * @param result is told
   */
  public void commit(Map<TopicPartition, OffsetAndMetadata> offsets, long deadlineNanos, CommitResult result) {
    if (closed) {
      result.onCommitted(wasClosed());
      wakeWaiters();
      return;
    }
    commits.add(new Commit(offsets, nowNanos(), deadlineNanos, result));
    work();
  }

  /**
   * Asks for committed offsets.
   *
   * @param partitions whose
   * @param query is told
   */
  public void query(Collection<TopicPartition> partitions, OffsetFetchListener query) {
    if (closed) {
      query.onRefused(wasClosed());
      wakeWaiters();
      return;
    }
    offsetFetches.ask(partitions, query);
    work();
  }

  /**
   * Why a closed consumer refuses what it is asked for. Any thread.
   *
   * @return the error of calls
   */
  public KafkaException wasClosed() {
    return new KafkaException(ErrorCode.CLIENT_CLOSED, "group " + settings.groupId() + ": the consumer was closed");
  }

  private KafkaException closedMeanwhile() {
    return new KafkaException(ErrorCode.CLIENT_CLOSED, "group " + settings.groupId()
        + ": the consumer was closed before the coordinator had answered; a commit that was sent may be stored");
  }

  /**
   * The identity of the member, for commits by others on its behalf. After a loss it is the last one: without a member
   * id the coordinator would fence nobody, though others have the partitions.
   *
   * @return as the coordinator knows it, or knew it last
   */
  public GroupMetadata metadata() {
    GroupMetadata last = lastIn;
    return last != null && memberId().isEmpty() ? last : present();
  }

  private GroupMetadata present() {
    return new GroupMetadata(settings.groupId(), epoch(), memberId(), settings.instanceId());
  }

  /**
   * Leaves the group.
   *
   * @param epoch {@link ConsumerMembership#LEAVE_EPOCH}, {@link ConsumerMembership#STATIC_LEAVE_EPOCH}, or 0 to go
   *     without a word
   * @param whenLeft run once the broker knows, or will not hear
   */
  public void leave(int epoch, Runnable whenLeft) {
    onLeft = whenLeft;
    refusal = closedMeanwhile();
    client.cluster().removeTopicUser(topicUser);
    membership.leave(epoch, nowNanos());
    work();
  }

  /** Ends what is left and closes the connection. */
  public void shutDown() {
    closed = true;
    client.loop().cancel(timer);
    client.cluster().removeTopicUser(topicUser);
    members.remove(verifies);
    membership.shutDown();
    coordinator.close();
    commits.close(closedMeanwhile());
    offsetFetches.refuseAll(wasClosed());
    problems.endAll();
  }

  /** Sends what is due, as far as there is a coordinator. */
  void work() {
    if (closed) {
      return;
    }
    long now = nowNanos();
    acknowledge(now);
    BrokerLink link = wantsCoordinator() ? coordinator.readyLink() : null;
    if (link == null) {
      lookAtCoordinatorError();
    }
    if (link != null || !wantsCoordinator()) {
      problems.coordinatorReached();
    }
    membership.work(link, now);
    if (membership.refusesCommits()) {
      commits.failAll(refusal);
    }
    commits.work(link, now);
    offsetFetches.work(link, now);
    scheduleNext(now);
  }

  private boolean wantsCoordinator() {
    return membership.isActive() || !commits.isEmpty() || !offsetFetches.isEmpty();
  }

  /** For who is in the middle of something: soon, but not now. */
  void workLater() {
    if (!closed) {
      client.loop().schedule(timer, nowNanos());
    }
  }

  private void scheduleNext(long now) {
    Done over = done;
    long next = nextAhead(now, membership.nextNanos(now), commits.nextNanos(now));
    next = nextAhead(now, next, offsetFetches.nextNanos(now));
    next = nextAhead(now, next, over == null ? Long.MAX_VALUE : over.sinceNanos + COMMITS_NANOS);
    if (next == Long.MAX_VALUE || closed) {
      client.loop().cancel(timer);
    } else if (next - now > 0) {
      client.loop().schedule(timer, next);
    } // else what is due waits for the coordinator, which tells when it is there
  }

  /** The first of two that is still to come, so that one that is due does not hide it; {@link Long#MAX_VALUE} never. */
  static long nextAhead(long now, long a, long b) {
    if (a == Long.MAX_VALUE || b == Long.MAX_VALUE) {
      return Math.min(a, b);
    }
    long first = a - b < 0 ? a : b;
    return first - now > 0 ? first : a - b < 0 ? b : a;
  }

  @SuppressWarnings("ReferenceEquality") // the very error of an attempt: it is told once
  private void lookAtCoordinatorError() {
    KafkaException error = coordinator.lastError();
    if (error != null && wantsCoordinator()) {
      problems.noCoordinator(error);
    }
    if (error != null && error.code() != ErrorCode.NONE && !error.code().isRetriable() && error != toldRefusal) {
      toldRefusal = error;
      if (!Membership.isForNow(error.code())) {
        membership.refuse(error);
      } else if (membership.isActive()) {
        refused(error);
      }
      commits.failAll(error);
      offsetFetches.refuse(error);
    }
  }

  // What the membership needs.

  /** The application is to give up and take partitions, or only to give up before the member joins again. */
  void reconcile(int number, List<TopicPartition> revoked, List<TopicPartition> added, boolean completes) {
    revoking = revoked;
    application.reconcile(number, revoked, added, completes);
  }

  /** Whether the application hears of rebalances that change nothing. */
  boolean wantsEveryRebalance() {
    return application.wantsEveryRebalance();
  }

  /** An assignor that runs within polls is asked. */
  void withinPoll(Runnable task) {
    application.withinPoll(task);
  }

  /** The assignor hears of the assignment when the application has given up what it should. */
  void beforeTaking(Runnable task) {
    application.beforeTaking(task);
  }

  /** All partitions are lost. */
  void lost(KafkaException cause) {
    problems.notMember(cause);
    refusal = cause;
    done = null;
    application.lost(cause); // before the commits end: one of them may be all that a revocation waits for
    commits.failAll(cause);
    events.membershipLost(settings.groupId(), cause);
  }

  /** The membership has ended for good. */
  void failed(KafkaException cause) {
    problems.notMember(cause);
    refusal = cause;
    commits.failAll(cause);
    offsetFetches.refuseAll(cause);
    events.failed(settings.groupId(), cause);
    application.failed(cause);
  }

  /** The member, or a topic of its subscription, is refused for now. */
  void refused(KafkaException cause) {
    application.refused(cause);
  }

  /** Something failed that is tried again. */
  void retried(KafkaException cause) {
    if (membership.isActive()) {
      problems.retried(cause);
    }
    events.retried(settings.groupId(), cause);
  }

  /** Another broker coordinates the group. */
  void coordinatorLost(KafkaException cause) {
    coordinator.moved(cause);
  }

  /** The member is in the group. */
  void joined() {
    events.joined(settings.groupId(), membership.memberId(), membership.epoch());
  }

  /** The coordinator counts the member in. */
  void isIn() {
    lastIn = present();
    problems.member();
  }

  /** The coordinator has taken a heartbeat, a join or a sync. */
  void heard() {
    problems.heard();
  }

  /** The group's partitions are being moved; again: it is the same rebalance. */
  void rebalanceBegan() {
    if (!rebalancing) {
      rebalancing = true;
      rebalanceSinceNanos = nowNanos();
    }
  }

  /** The member has what the group gives it. */
  void rebalanceCompleted() {
    if (rebalancing) {
      rebalancing = false;
      events.rebalanceCompleted(nowNanos() - rebalanceSinceNanos);
    }
  }

  /** The member was thrown out or refused. */
  void rebalanceFailed() {
    if (rebalancing) {
      rebalancing = false;
      events.rebalanceFailed();
    }
  }

  /** The member goes, and waits for no partitions. */
  void rebalanceAbandoned() {
    rebalancing = false;
  }

  /** The member is out of the group; told if the coordinator was. */
  void left(boolean told) {
    if (told) {
      events.left(settings.groupId(), membership.memberId());
    }
    onLeft.run();
  }

  boolean hasCommits() {
    return !commits.isEmpty();
  }

  /** What is committed but not sent yet could be another member's soon. */
  void failCommits(KafkaException cause) {
    commits.failAll(cause);
  }

  // What commits and offset fetches need.

  long nowNanos() {
    return client.loop().nowNanos();
  }

  /**
   * The group. Any thread.
   *
   * @return its id
   */
  public String groupId() {
    return settings.groupId();
  }

  @Nullable
  String instanceId() {
    return settings.instanceId();
  }

  /** Empty without a membership. */
  String memberId() {
    return membership.isOutside() ? "" : membership.memberId();
  }

  /** -1 without a membership. */
  int epoch() {
    return membership.isOutside() ? -1 : membership.epoch();
  }

  /** Whether the coordinator would take a commit: of a member, or where there is no membership at all. */
  boolean mayCommit() {
    return membership.isOutside() || membership.takesCommits();
  }

  /** Whether a commit that was refused with this code may be sent again. */
  boolean mayRepeatCommit(ErrorCode code, int epochSent) {
    return membership.mayRepeatCommit(code, epochSent);
  }

  /**
   * A commit of an epoch was refused as that of no member. A process that was frozen for longer than its session works
   * on records of others until it hears of that, so it asks now, and not when its next heartbeat is due.
   */
  void verifyMembership(int epochSent) {
    if (membership.isActive() && membership.epoch() == epochSent) {
      membership.verify(nowNanos());
    }
  }

  /** The same after the refusal of offsets in a transaction, which may be those of another member. */
  private void verify(GroupMetadata refused) {
    if (refused.groupId().equals(settings.groupId()) && refused.memberId().equals(memberId())) {
      verifyMembership(refused.generation());
      workLater();
    }
  }

  /** Whether the coordinator would answer a question for offsets. */
  boolean mayAsk() {
    return !membership.asksAsMember() || mayCommit();
  }

  /** Who asks for offsets; null for nobody in particular. */
  @Nullable
  String askingMemberId() {
    String id = memberId();
    return id.isEmpty() || !membership.asksAsMember() ? null : id;
  }

  /** The epoch that goes with it; -1 for nobody in particular. */
  int askingEpoch() {
    return membership.asksAsMember() ? epoch() : -1;
  }

  String coordinatorName() {
    return coordinator.name();
  }

  @Nullable
  KafkaException lastError() {
    return coordinator.lastError();
  }

  /**
   * Why the coordinator may not answer, for messages. Any thread.
   *
   * @return what ended the last attempt to find it or to connect to any broker; null if nothing has
   */
  public @Nullable Throwable lastFailure() {
    KafkaException own = coordinator.lastError();
    return own != null ? own : client.cluster().lastError();
  }

  /** The ids of the partitions' topics; null unless all are known. */
  @Nullable
  Map<String, Uuid> topicIds(Collection<TopicPartition> partitions) {
    Map<String, Uuid> ids = new HashMap<>();
    for (TopicPartition p : partitions) {
      TopicMetadata topic = client.cluster().snapshot().topic(p.topic());
      if (topic == null || topic.id().equals(Uuid.ZERO)) {
        return null;
      }
      ids.put(p.topic(), topic.id());
    }
    return ids;
  }

  void wakeWaiters() {
    client.cluster().waiters().signalAll();
  }

  void committed(Commit commit, @Nullable KafkaException error) {
    if (error == null) {
      problems.committed();
      events.committed(settings.groupId(), commit.partitions, nowNanos() - commit.startNanos);
    } else {
      problems.notCommitted(error);
      events.commitFailed(settings.groupId(), error);
    }
  }

  /** A commit is sent again. */
  void commitRetried(KafkaException cause) {
    problems.notCommitted(cause);
    offsetsRetried(cause);
  }

  /** A commit or a lookup of offsets is sent again. */
  void offsetsRetried(KafkaException cause) {
    learnFrom(cause);
    events.retried(settings.groupId(), cause);
  }

  private void learnFrom(KafkaException cause) {
    if (cause.kind() == ErrorCode.Kind.REFRESH_METADATA) {
      client.cluster().requestUpdate(); // a topic that was made again has another id
    }
    if (cause.code() == ErrorCode.NOT_COORDINATOR || cause.code() == ErrorCode.COORDINATOR_NOT_AVAILABLE) {
      coordinator.moved(cause);
    }
  }
}
