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
 * A consumer's side of its group: coordinator, commits, committed offsets, and a {@link Membership} under one of the
 * protocols. With explicitly assigned partitions there are only offsets. Owner of the loop only, except for methods
 * that name other threads.
 */
public final class GroupMember {
  /** How long pending commits of revoked partitions may delay the report of the revocation. */
  private static final long COMMITS_NANOS = 3_000_000_000L;

  /** A reconciliation that the application has completed, while commits of revoked partitions are pending. */
  private record Done(int number, List<TopicPartition> revoked, long sinceNanos) {}

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
  /** Members of the client, to which transactions report refused offsets; this one is among them. */
  private final GroupMembers members;
  private final GroupMembers.Member verifies = this::verify;
  /** Run once the member has left. */
  private Runnable onLeft = () -> {};
  /** Reason why the member takes no commits: the last loss, failure or departure. */
  private KafkaException refusal;
  /** Partitions that the reconciliation under way revokes. */
  private List<TopicPartition> revoking = List.of();
  /** Subscribed topics that brokers are to create, if the client allows that. */
  private Set<String> subscribed = Set.of();
  private final TopicUser topicUser = topics -> topics.addAll(subscribed);
  /** Reconciliation whose report waits for commits; null for none. */
  private @Nullable Done done;
  /** Identity of the member when it was last in the group; null before. */
  private @Nullable GroupMetadata lastIn;
  private boolean closed;
  /** True during a rebalance, since {@link #rebalanceSinceNanos}. */
  private boolean rebalancing;
  private long rebalanceSinceNanos;
  /** Refusal of the coordinator's lookup that was reported last, so that each is reported once. */
  private @Nullable KafkaException reportedRefusal;

  /**
   * Creates a member that does nothing yet.
   *
   * @param classic further settings of the classic protocol; null for the consumer protocol
   * @param application revokes and takes partitions
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

  /** Joins the group, or changes the subscription. */
  public void subscribe(Subscription wanted) {
    if (membership.isOutside()) {
      problems.notMember(null);
    }
    if (client.cluster().allowsAutoCreateTopics()) {
      subscribed = Set.copyOf(wanted.topics());
      client.cluster().removeTopicUser(topicUser);
      client.cluster().addTopicUser(topicUser);
      subscribed.forEach(client.cluster()::addTopic); // a broker creates a topic when it is requested
    }
    members.add(verifies);
    membership.subscribe(wanted, nowNanos());
    work();
  }

  /**
   * Ends a reconciliation, after the application has revoked and taken its partitions.
   *
   * @param number of {@link GroupApplication#reconcile}
   */
  public void reconciled(int number) {
    done = new Done(number, revoking, nowNanos());
    work();
  }

  /**
   * Reports a revocation after the last commit of its partitions has ended. A commit that is repeated after the report
   * would undo commits of the next owner.
   */
  private void acknowledge(long now) {
    Done over = done;
    if (over == null || (commits.hasAnyOf(over.revoked) && now - over.sinceNanos < COMMITS_NANOS)) {
      return;
    }
    done = null;
    commits.failAllOf(over.revoked, new KafkaException(ErrorCode.REBALANCE_IN_PROGRESS, "group "
        + settings.groupId() + ": partitions were given up before the commit was stored; commit in onRevoked, or"
        + " sooner"));
    membership.reconciled(over.number, now);
  }

  /**
   * Joins again, if members assign the partitions; else does nothing.
   *
   * @param reason for the coordinator's log
   */
  public void rejoin(String reason) {
    membership.rejoin(reason, nowNanos());
    work();
  }

  /**
   * Returns the topics that this client knows to be subscribed: named ones, or matches of a pattern; empty if brokers
   * match the pattern. Any thread.
   */
  public Set<String> topics() {
    return membership.topics();
  }

  /** Joins again, after the application has handled a loss. */
  public void lossHandled() {
    membership.lossHandled(nowNanos());
    work();
  }

  /** Leaves the group until the application polls again. */
  public void stalled(KafkaException cause) {
    membership.stalled(cause, nowNanos());
    work();
  }

  /**
   * Commits offsets. Commits that wait are sent together, and end in their order.
   *
   * @param offsets of the next record to read, by partition; without any, the commit ends after those before it
   * @param deadlineNanos until when to retry
   * @param result called at the end
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
   * Looks up committed offsets.
   *
   * @param query called at the end
   */
  public void query(Collection<TopicPartition> partitions, OffsetFetchListener query) {
    if (closed) {
      query.onRefused(wasClosed());
      wakeWaiters();
      return;
    }
    offsetFetches.add(partitions, query);
    work();
  }

  /** Returns the exception of a closed consumer. Any thread. */
  public KafkaException wasClosed() {
    return new KafkaException(ErrorCode.CLIENT_CLOSED, "group " + settings.groupId() + ": the consumer was closed");
  }

  private KafkaException closedMeanwhile() {
    return new KafkaException(ErrorCode.CLIENT_CLOSED, "group " + settings.groupId()
        + ": the consumer was closed before the coordinator had answered; a commit that was sent may be stored");
  }

  /**
   * Returns the member's identity, for commits by others on its behalf. After a loss it is the last one. A commit
   * without a member id would not be fenced, though other members own the partitions by then. An earlier version
   * returned none, which broke exactly-once processing.
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
   * @param epoch {@link ConsumerMembership#LEAVE_EPOCH}, {@link ConsumerMembership#STATIC_LEAVE_EPOCH}, or 0 to send
   *     nothing
   * @param whenLeft run after the response, or when none can come
   */
  public void leave(int epoch, Runnable whenLeft) {
    onLeft = whenLeft;
    refusal = closedMeanwhile();
    client.cluster().removeTopicUser(topicUser);
    membership.leave(epoch, nowNanos());
    work();
  }

  /** Ends all pending calls and closes the connection. */
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

  /** Sends the requests that are due, if there is a coordinator. */
  void work() {
    if (closed) {
      return;
    }
    long now = nowNanos();
    acknowledge(now);
    BrokerLink link = wantsCoordinator() ? coordinator.readyLink() : null;
    if (link == null) {
      checkCoordinatorError();
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

  /** Runs {@link #work} soon: the step of the caller must end first. */
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
    } // else the due request waits for the coordinator, whose arrival calls work()
  }

  /**
   * Returns the earlier one of two deadlines that are ahead, {@link Long#MAX_VALUE} meaning never. An overdue deadline,
   * which waits for the coordinator, must not hide a later one.
   */
  static long nextAhead(long now, long a, long b) {
    if (a == Long.MAX_VALUE || b == Long.MAX_VALUE) {
      return Math.min(a, b);
    }
    long first = a - b < 0 ? a : b;
    return first - now > 0 ? first : a - b < 0 ? b : a;
  }

  @SuppressWarnings("ReferenceEquality") // reference: each error is reported once
  private void checkCoordinatorError() {
    KafkaException error = coordinator.lastError();
    if (error != null && wantsCoordinator()) {
      problems.noCoordinator(error);
    }
    if (error != null && error.code() != ErrorCode.NONE && !error.code().isRetriable() && error != reportedRefusal) {
      reportedRefusal = error;
      if (!Membership.isForNow(error.code())) {
        membership.refuse(error);
      } else if (membership.isActive()) {
        refused(error);
      }
      commits.failAll(error);
      offsetFetches.refuse(error);
    }
  }

  // Methods for the membership.

  /** Makes the application revoke and take partitions, or only revoke them before the member joins again. */
  void reconcile(int number, List<TopicPartition> revoked, List<TopicPartition> added, boolean completes) {
    revoking = revoked;
    application.reconcile(number, revoked, added, completes);
  }

  /** Returns true if the application wants to hear of rebalances that change nothing. */
  boolean wantsEveryRebalance() {
    return application.wantsEveryRebalance();
  }

  /** Runs an assignor's task within a poll. */
  void withinPoll(Runnable task) {
    application.withinPoll(task);
  }

  /** Runs an assignor's task after the application has revoked partitions. */
  void beforeTaking(Runnable task) {
    application.beforeTaking(task);
  }

  /** Handles the loss of all partitions. */
  void lost(KafkaException cause) {
    problems.notMember(cause);
    refusal = cause;
    done = null;
    // before the commits end: the last one may complete a revocation, which must not be reported any more
    application.lost(cause);
    commits.failAll(cause);
    events.membershipLost(settings.groupId(), cause);
  }

  /** Handles the end of the membership. */
  void failed(KafkaException cause) {
    problems.notMember(cause);
    refusal = cause;
    commits.failAll(cause);
    offsetFetches.refuseAll(cause);
    events.failed(settings.groupId(), cause);
    application.failed(cause);
  }

  /** Reports that the member, or a topic of its subscription, is refused for now. */
  void refused(KafkaException cause) {
    application.refused(cause);
  }

  /** Reports a failure that is retried. */
  void retried(KafkaException cause) {
    if (membership.isActive()) {
      problems.retried(cause);
    }
    events.retried(settings.groupId(), cause);
  }

  /** Looks up the coordinator again. */
  void coordinatorLost(KafkaException cause) {
    coordinator.moved(cause);
  }

  /** Reports that the member has joined. */
  void joined() {
    events.joined(settings.groupId(), membership.memberId(), membership.epoch());
  }

  /** Remembers the identity, since the coordinator has confirmed it. */
  void memberConfirmed() {
    lastIn = present();
    problems.member();
  }

  /** Ends the problem of failed requests, since the coordinator has accepted one. */
  void requestSucceeded() {
    problems.requestSucceeded();
  }

  /** Starts the clock of a rebalance, unless it is the one under way. */
  void rebalanceBegan() {
    if (!rebalancing) {
      rebalancing = true;
      rebalanceSinceNanos = nowNanos();
    }
  }

  /** Reports the end of a rebalance. */
  void rebalanceCompleted() {
    if (rebalancing) {
      rebalancing = false;
      events.rebalanceCompleted(nowNanos() - rebalanceSinceNanos);
    }
  }

  /** Reports a rebalance that ended in a loss or a refusal. */
  void rebalanceFailed() {
    if (rebalancing) {
      rebalancing = false;
      events.rebalanceFailed();
    }
  }

  /** Drops the clock of a rebalance, because the member leaves. */
  void rebalanceAbandoned() {
    rebalancing = false;
  }

  /** Ends the departure, and reports it if a leave request was sent. */
  void left(boolean isReported) {
    if (isReported) {
      events.left(settings.groupId(), membership.memberId());
    }
    onLeft.run();
  }

  boolean hasCommits() {
    return !commits.isEmpty();
  }

  /** Fails the waiting commits: their partitions may soon belong to other members. */
  void failCommits(KafkaException cause) {
    commits.failAll(cause);
  }

  // Methods for commits and offset lookups.

  long nowNanos() {
    return client.loop().nowNanos();
  }

  /** Returns the group's id. Any thread. */
  public String groupId() {
    return settings.groupId();
  }

  @Nullable
  String instanceId() {
    return settings.instanceId();
  }

  /** Returns the member's id; empty without a membership. */
  String memberId() {
    return membership.isOutside() ? "" : membership.memberId();
  }

  /** Returns the member's epoch; -1 without a membership. */
  int epoch() {
    return membership.isOutside() ? -1 : membership.epoch();
  }

  /** Returns true if the coordinator would take a commit: from a member, or without any membership. */
  boolean mayCommit() {
    return membership.isOutside() || membership.takesCommits();
  }

  /** Returns true if a commit that was refused with this code may be sent again. */
  boolean mayRepeatCommit(ErrorCode code, int epochSent) {
    return membership.mayRepeatCommit(code, epochSent);
  }

  /**
   * Checks the membership by a heartbeat at once, since the coordinator refused a commit because it does not know the
   * member. A process that was frozen longer than its session works on other members' records until it hears of its
   * loss. It would wait for the next heartbeat otherwise.
   */
  void verifyMembership(int epochSent) {
    if (membership.isActive() && membership.epoch() == epochSent) {
      membership.verify(nowNanos());
    }
  }

  /** Does the same after the refusal of offsets in a transaction, which may be those of another member. */
  private void verify(GroupMetadata refused) {
    if (refused.groupId().equals(settings.groupId()) && refused.memberId().equals(memberId())) {
      verifyMembership(refused.generation());
      workLater();
    }
  }

  /** Returns true if the coordinator would respond to a lookup of offsets. */
  boolean mayLookUp() {
    return !membership.namesMemberInLookups() || mayCommit();
  }

  /** Returns the member id for lookups; null to name none. */
  @Nullable
  String lookupMemberId() {
    String id = memberId();
    return id.isEmpty() || !membership.namesMemberInLookups() ? null : id;
  }

  /** Returns the member epoch for lookups of offsets; -1 if they name no member. */
  int lookupEpoch() {
    return membership.namesMemberInLookups() ? epoch() : -1;
  }

  String coordinatorName() {
    return coordinator.name();
  }

  @Nullable
  KafkaException lastError() {
    return coordinator.lastError();
  }

  /** Returns the reason why the coordinator may not respond, for messages; null if nothing has failed. Any thread. */
  public @Nullable Throwable lastFailure() {
    KafkaException own = coordinator.lastError();
    return own != null ? own : client.cluster().lastError();
  }

  /** Returns the ids of the partitions' topics; null unless all are known. */
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

  /** Reports a commit that is sent again. */
  void commitRetried(KafkaException cause) {
    problems.notCommitted(cause);
    offsetsRetried(cause);
  }

  /** Reports a commit or lookup that is sent again. */
  void offsetsRetried(KafkaException cause) {
    refreshAfter(cause);
    events.retried(settings.groupId(), cause);
  }

  private void refreshAfter(KafkaException cause) {
    if (cause.kind() == ErrorCode.Kind.REFRESH_METADATA) {
      // The topic may have been created again under another id. Without this request, commits and lookups used the old
      // id until the next regular metadata, five minutes later.
      client.cluster().requestUpdate();
    }
    if (cause.code() == ErrorCode.NOT_COORDINATOR || cause.code() == ErrorCode.COORDINATOR_NOT_AVAILABLE) {
      coordinator.moved(cause);
    }
  }
}
