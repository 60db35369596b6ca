package dev.decant.kafka.group;

import dev.decant.buffer.BytesReader;
import dev.decant.buffer.PooledBuffer;
import dev.decant.buffer.Uuid;
import dev.decant.kafka.ClientInternals;
import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Coordinator;
import dev.decant.kafka.cluster.ResponseHandler;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.kafka.telemetry.GroupEvents;
import dev.decant.loop.Timer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A consumer's side of its group: the connection to the coordinator, heartbeats, commits and committed offsets. With
 * explicitly assigned partitions there is no membership, only offsets. Owner of the loop only.
 */
public final class GroupMember implements ConsumerMembership.Host {
  private static final int LEAST_HEARTBEAT_VERSION = 0;
  private static final int LAST_HEARTBEAT_VERSION = 1;
  private static final int FIRST_VERSION_WITH_PATTERN = 1;
  /** Longer than the broker's usual session of 45 s. */
  private static final long UNRELEASED_PATIENCE_NANOS = 60_000_000_000L;

  private final ClientInternals client;
  private final GroupSettings settings;
  private final GroupApplication application;
  private final GroupEvents events;
  private final ConsumerMembership membership;
  private final Coordinator coordinator;
  private final OffsetCommits commits;
  private final OffsetQueries queries;
  private final TopicNames names;
  private final Timer timer = new Timer(this::work);
  private final HeartbeatAnswer heartbeatAnswer = new HeartbeatAnswer();
  private Runnable onLeft = () -> {};
  /** Why the member takes no commits; the last loss, failure or departure. */
  private KafkaException refusal;
  private boolean closed;

  /**
   * Does nothing yet.
   *
   * @param client the client
   * @param settings what the member says of itself
   * @param application gives up and takes partitions
   */
  public GroupMember(ClientInternals client, GroupSettings settings, GroupApplication application) {
    this.client = client;
    this.settings = settings;
    this.application = application;
    this.events = client.telemetry().group();
    this.refusal = new KafkaException(ErrorCode.NONE, "group " + settings.groupId() + ": the consumer has left it");
    this.membership = new ConsumerMembership(settings, this, UNRELEASED_PATIENCE_NANOS);
    this.coordinator = new Coordinator(client.cluster(), Coordinator.Kind.GROUP, settings.groupId(), this::work);
    this.names = new TopicNames(client.loop(), client.cluster(), membership::namesKnown);
    long now = client.loop().clock().nanoTime();
    this.commits = new OffsetCommits(this, now);
    this.queries = new OffsetQueries(this, now);
  }

  /**
   * Joins the group, or tells it of another subscription.
   *
   * @param wanted what to read
   */
  public void subscribe(Subscription wanted) {
    membership.subscribe(wanted, nowNanos());
    work();
  }

  /**
   * The application has given up and taken what it should.
   *
   * @param number of {@link GroupApplication#reconcile}
   */
  public void reconciled(int number) {
    membership.reconciled(number, nowNanos());
    work();
  }

  /** The application has heard of its loss. */
  public void lossTold() {
    membership.lossTold(nowNanos());
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
   * Commits offsets.
   *
   * @param offsets at least one
   * @param deadlineNanos until when to try
   * @param result is told
   */
  public void commit(Map<TopicPartition, OffsetAndMetadata> offsets, long deadlineNanos, CommitResult result) {
    commits.add(new Commit(offsets, nowNanos(), deadlineNanos, result));
    work();
  }

  /**
   * Asks for committed offsets.
   *
   * @param partitions whose
   * @param query is told
   */
  public void query(Collection<TopicPartition> partitions, OffsetQuery query) {
    queries.ask(partitions, query);
    work();
  }

  /**
   * Who the member is now, for commits by others on its behalf.
   *
   * @return as the coordinator knows it
   */
  public GroupMetadata metadata() {
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
    names.forgetWanted();
    membership.leave(epoch, nowNanos());
    work();
  }

  /** Ends what is left and closes the connection. */
  public void shutDown() {
    closed = true;
    client.loop().cancel(timer);
    names.forgetWanted();
    coordinator.close();
    commits.failAll(new KafkaException(ErrorCode.NONE, "group " + settings.groupId() + ": the consumer was closed"));
  }

  /** Sends what is due, as far as there is a coordinator. */
  void work() {
    if (closed) {
      return;
    }
    long now = nowNanos();
    BrokerLink link = wantsCoordinator() ? coordinator.readyLink() : null;
    if (link != null) {
      beat(link, now);
    } else {
      lookAtCoordinatorError();
    }
    if (membership.refusesCommits()) {
      commits.failAll(refusal);
    }
    commits.work(link, now);
    queries.work(link, now);
    scheduleNext(now);
  }

  private boolean wantsCoordinator() {
    return membership.beats() || !commits.isEmpty() || !queries.isEmpty();
  }

  /** For who is in the middle of something: soon, but not now. */
  void workLater() {
    if (!closed) {
      client.loop().schedule(timer, nowNanos());
    }
  }

  private void scheduleNext(long now) {
    long next = Math.min(commits.nextNanos(now), queries.nextNanos(now));
    if (membership.beats() && !membership.isInFlight()) {
      next = Math.min(next, membership.nextNanos());
    }
    if (next == Long.MAX_VALUE || closed) {
      client.loop().cancel(timer);
    } else if (next - now > 0) {
      client.loop().schedule(timer, next);
    } // else what is due waits for the coordinator, which tells when it is there
  }

  private void lookAtCoordinatorError() {
    KafkaException error = coordinator.lastError();
    if (error != null && error.code() != ErrorCode.NONE && !error.code().isRetriable()) {
      membership.refuse(error);
      commits.failAll(error);
      queries.refuseAll(error);
    }
  }

  private void beat(BrokerLink link, long now) {
    ConsumerGroupHeartbeatRequest request = membership.heartbeat(now);
    if (request == null) {
      return;
    }
    short version;
    try {
      int least = request.subscribedTopicRegex() == null ? LEAST_HEARTBEAT_VERSION : FIRST_VERSION_WITH_PATTERN;
      version = link.versions().choose(ConsumerGroupHeartbeatRequest.API_KEY, least, LAST_HEARTBEAT_VERSION,
          link.name());
    } catch (KafkaException e) {
      membership.refuse(e);
      return;
    }
    link.send(ConsumerGroupHeartbeatRequest.API_KEY, version, true, request::write, heartbeatAnswer);
  }

  /** Takes the answers to heartbeats. */
  private final class HeartbeatAnswer implements ResponseHandler {
    @Override
    public void onResponse(BytesReader in, short version, @Nullable PooledBuffer lease) {
      ConsumerGroupHeartbeatResponse answer = ConsumerGroupHeartbeatResponse.read(in, version);
      if (answer.assignment() != null) {
        names.forgetWanted(); // of topics that are not assigned any more
      }
      membership.onAnswer(answer, nowNanos());
      work();
    }

    @Override
    public void onFailure(KafkaException cause) {
      membership.onNoAnswer(cause, nowNanos());
      workLater();
    }
  }

  // What the membership needs.

  @Override
  public @Nullable String nameOf(Uuid topicId) {
    return names.nameOf(topicId);
  }

  @Override
  public void reconcile(int number, Set<TopicIdPartition> revoked, Set<TopicIdPartition> added) {
    application.reconcile(number, named(revoked), named(added));
  }

  private List<TopicPartition> named(Set<TopicIdPartition> partitions) {
    List<TopicPartition> named = new ArrayList<>();
    for (TopicIdPartition p : partitions) {
      String name = names.nameOf(p.topicId());
      if (name != null) {
        named.add(new TopicPartition(name, p.partition()));
      }
    }
    return named;
  }

  @Override
  public void lost(KafkaException cause) {
    names.forgetWanted();
    refusal = cause;
    commits.failAll(cause);
    events.membershipLost(settings.groupId(), cause);
    application.lost(cause);
  }

  @Override
  public void failed(KafkaException cause) {
    refusal = cause;
    commits.failAll(cause);
    queries.refuseAll(cause);
    events.failed(settings.groupId(), cause);
    application.failed(cause);
  }

  @Override
  public void retried(KafkaException cause) {
    events.retried(settings.groupId(), cause);
  }

  @Override
  public void coordinatorLost(KafkaException cause) {
    coordinator.lost(cause);
  }

  @Override
  public void changed(ConsumerMembership.State before, ConsumerMembership.State now) {
    if (now == ConsumerMembership.State.STABLE && before == ConsumerMembership.State.JOINING) {
      events.joined(settings.groupId(), membership.memberId(), membership.epoch());
    } else if (now == ConsumerMembership.State.LEFT) {
      if (before == ConsumerMembership.State.LEAVING) {
        events.left(settings.groupId(), membership.memberId());
      }
      onLeft.run();
    }
  }

  // What commits and queries need.

  long nowNanos() {
    return client.loop().nowNanos();
  }

  String groupId() {
    return settings.groupId();
  }

  @Nullable
  String instanceId() {
    return settings.instanceId();
  }

  /** Empty without a membership. */
  String memberId() {
    return membership.state() == ConsumerMembership.State.OUTSIDE ? "" : membership.memberId();
  }

  /** -1 without a membership. */
  int epoch() {
    return membership.state() == ConsumerMembership.State.OUTSIDE ? -1 : membership.epoch();
  }

  /** Whether the coordinator would take a commit: of a member, or where there is no membership at all. */
  boolean mayCommit() {
    return membership.state() == ConsumerMembership.State.OUTSIDE || membership.isMember();
  }

  String coordinatorName() {
    return coordinator.name();
  }

  @Nullable
  KafkaException lastError() {
    return coordinator.lastError();
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
    client.cluster().waiters().lookAgain();
  }

  void committed(Commit commit, @Nullable KafkaException error) {
    if (error == null) {
      events.committed(settings.groupId(), commit.partitions, nowNanos() - commit.startNanos);
    } else {
      events.commitFailed(settings.groupId(), error);
    }
  }

  void commitRetried(KafkaException cause) {
    loseCoordinatorAfter(cause);
    events.retried(settings.groupId(), cause);
  }

  void queryRetried(KafkaException cause) {
    loseCoordinatorAfter(cause);
    events.retried(settings.groupId(), cause);
  }

  private void loseCoordinatorAfter(KafkaException cause) {
    if (cause.code() == ErrorCode.NOT_COORDINATOR || cause.code() == ErrorCode.COORDINATOR_NOT_AVAILABLE) {
      coordinator.lost(cause);
    }
  }
}
