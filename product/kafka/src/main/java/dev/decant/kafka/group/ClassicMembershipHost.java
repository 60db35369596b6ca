package dev.decant.kafka.group;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.assignor.Subscriber;
import dev.decant.kafka.assignor.TopicLayout;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Call;
import dev.decant.kafka.cluster.Coordinator;
import dev.decant.kafka.cluster.RequestBody;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.HeartbeatResponse;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.JoinGroupResponse;
import dev.decant.kafka.protocol.message.LeaveGroupRequest;
import dev.decant.kafka.protocol.message.LeaveGroupResponse;
import dev.decant.kafka.protocol.message.SyncGroupRequest;
import dev.decant.kafka.protocol.message.SyncGroupResponse;
import dev.decant.kafka.telemetry.Metering;
import dev.decant.loop.EventLoop;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of a {@link ClassicMembership}, matches patterns, and computes the assignment as a leader. Joins
 * and syncs have a connection of their own, because their responses wait for other members. Heartbeats, commits and the
 * leave request use another one and are not held up. Owner of the loop only.
 */
final class ClassicMembershipHost implements Membership, ClassicMembership.Host, TopicWatch.Listener {
  private static final int JOIN_VERSION = 9;
  private static final int SYNC_VERSION = 5;
  private static final int HEARTBEAT_VERSION = 4;
  private static final int LEAVE_VERSION = 5;
  // First versions for static members (KIP-345); for others the first that Kafka 2.1 and all later brokers accept.
  private static final int STATIC_JOIN_VERSION = 5;
  private static final int STATIC_VERSION = 3;
  private static final int LEAST_JOIN_VERSION = 2;
  /** Below this version a leave request names one member, by its id. */
  private static final int FIRST_LEAVE_WITH_LISTS = 3;
  /** Grace after the rebalance timeout before the coordinator counts as dead. */
  private static final long GRACE_NANOS = 5_000_000_000L;
  /** How long pending commits of revoked partitions may delay the join that ends their generation. */
  private static final long COMMITS_NANOS = 3_000_000_000L;

  /** Handles a response. */
  private interface Reading {
    void read(ProtocolReader in, short version, long now);
  }

  private final EventLoop loop;
  private final GroupMember member;
  private final GroupSettings settings;
  private final ClassicMembership membership;
  /** Finds the coordinator for joins and syncs, on a connection of their own. */
  private final Coordinator joins;
  private final TopicWatch watch;
  /** Filter of a subscription by pattern; null for one by names. */
  private @Nullable TopicFilter filter;
  /** Topics that this client knows to be subscribed. Written by the owner of the loop, read by any thread. */
  private volatile Set<String> topics = Set.of();
  /** Work of the leader; null while another member leads. */
  private @Nullable Leadership leadership;
  /** False for a static leader that has come back: the former assignment is still in force. */
  private boolean mustAssign;
  /** True once the membership was reported as joined, until its next loss. */
  private boolean announced;
  /** True while a join waits for commits, since {@link #holdSinceNanos}. */
  private boolean holdsJoin;
  private long holdSinceNanos;

  private final Metering metering;
  private final MemberCall joinCall;
  private final MemberCall syncCall;
  private final MemberCall heartbeatCall;

  ClassicMembershipHost(ClientInternals client, GroupSettings settings, ClassicSettings classic, GroupMember member) {
    this.loop = client.loop();
    this.member = member;
    this.settings = settings;
    this.metering = client.telemetry().group().metering();
    this.membership = new ClassicMembership(settings, classic, this);
    boolean isStatic = settings.instanceId() != null;
    this.joinCall = new MemberCall(ApiKey.JOIN_GROUP, isStatic ? STATIC_JOIN_VERSION : LEAST_JOIN_VERSION, JOIN_VERSION,
        (in, version, now) -> onJoined(JoinGroupResponse.read(in, version), now));
    this.syncCall = new MemberCall(ApiKey.SYNC_GROUP, isStatic ? STATIC_VERSION : 0, SYNC_VERSION,
        (in, version, now) -> onSynced(SyncGroupResponse.read(in, version), now));
    this.heartbeatCall = new MemberCall(ApiKey.HEARTBEAT, isStatic ? STATIC_VERSION : 0, HEARTBEAT_VERSION,
        (in, version, now) -> onHeartbeat(HeartbeatResponse.read(in, version), now));
    long patience = TimeUnit.MILLISECONDS.toNanos(settings.revocationTimeoutMillis()) + GRACE_NANOS;
    this.joins = new Coordinator(client.cluster(), Coordinator.Kind.GROUP, settings.groupId(), member::work, patience);
    this.watch = new TopicWatch(client.loop(), client.cluster(),
        TimeUnit.MILLISECONDS.toNanos(classic.metadataMaxAgeMillis()), this);
  }

  @Override
  public void subscribe(Subscription wanted, long now) {
    String expression = wanted.pattern();
    TopicFilter given = wanted.filter();
    filter = given == null && expression != null ? new TopicFilter(Pattern.compile(expression), false) : given;
    if (filter == null) {
      subscribe(new HashSet<>(wanted.topics()), now);
    }
    updateWatch();
  }

  private void subscribe(Set<String> names, long now) {
    topics = Set.copyOf(names);
    membership.subscribe(names, now);
  }

  @Override
  public Set<String> topics() {
    return topics;
  }

  @Override
  public void rejoin(String reason, long now) {
    membership.rejoin(reason, now);
  }

  @Override
  public boolean wantsEveryRebalance() {
    return member.wantsEveryRebalance();
  }

  @Override
  public void assignmentReceived(Assignor assignor, Set<TopicPartition> all, ByteBuffer userData) {
    GroupMetadata self = member.metadata();
    List<TopicPartition> partitions = List.copyOf(all);
    member.beforeTaking(() -> assignor.onAssignment(partitions, userData, self));
  }

  private void updateWatch() {
    Leadership mine = leadership;
    TopicFilter chosen = filter;
    if (chosen != null) {
      watch.watch(mine == null ? Set.of() : mine.topics(), true, chosen.withInternal());
    } else if (mine != null && !mine.topics().isEmpty()) {
      watch.watch(mine.topics(), false);
    } else {
      watch.stop();
    }
  }

  @Override
  public void onRefused(String topic) {
    if (topics.contains(topic)) {
      member.refused(TopicException.of(ErrorCode.TOPIC_AUTHORIZATION_FAILED, topic,
          "metadata of topic " + topic + ", to which group " + member.groupId() + " subscribes: "
              + ErrorCode.TOPIC_AUTHORIZATION_FAILED));
    }
  }

  @Override
  public void onTopics(Map<String, TopicLayout> found) {
    long now = member.nowNanos();
    TopicFilter wanted = filter;
    if (wanted != null) {
      Set<String> matched = new HashSet<>(found.keySet());
      matched.removeIf(name -> !wanted.matches(name));
      subscribe(matched, now);
    }
    Leadership mine = leadership;
    if (mine != null && !mine.hasAssigned()) {
      if (mustAssign) {
        computeAssignment(mine, found);
      } else {
        mine.adopt(found);
      }
    } else if (mine != null) {
      String changed = mine.changedTopic(found);
      if (changed != null) {
        membership.rejoin("topic " + changed + " has another number of partitions", now);
      }
    }
    member.work();
  }

  private void computeAssignment(Leadership mine, Map<String, TopicLayout> found) {
    Map<String, TopicLayout> layouts = mine.adopt(found);
    Runnable compute = () -> {
      try {
        Map<String, ByteBuffer> assignment = mine.assign(layouts);
        onLoop(() -> membership.assigned(mine.generation(), assignment));
      } catch (KafkaException e) {
        onLoop(() -> assignmentFailed(mine, e));
      }
    };
    if (mine.runsWithinPoll()) {
      member.withinPoll(compute);
    } else {
      compute.run();
    }
  }

  private void assignmentFailed(Leadership of, KafkaException cause) {
    if (leadership == of) {
      membership.refuse(cause);
    }
  }

  /** Runs a task on the loop, at once if this thread owns it. */
  private void onLoop(Runnable task) {
    if (loop.isOwner()) {
      task.run();
    } else {
      loop.execute(() -> {
        task.run();
        member.work();
      });
    }
  }

  @Override
  public void computeUserData(int number, Set<String> ofTopics, int ownedGeneration) {
    member.withinPoll(() -> {
      try {
        Map<String, ByteBuffer> data = membership.computeUserData(ofTopics, ownedGeneration);
        loop.execute(() -> {
          membership.userData(number, data);
          member.work();
        });
      } catch (KafkaException e) {
        onLoop(() -> membership.refuse(e));
      }
    });
  }

  @Override
  public void reconciled(int number, long now) {
    membership.reconciled(number, now);
  }

  @Override
  public void lossHandled(long now) {
    membership.lossHandled(now);
  }

  @Override
  public void stalled(KafkaException cause, long now) {
    membership.stalled(cause);
  }

  @Override
  public void leave(int epoch, long now) {
    filter = null;
    leadership = null;
    watch.stop();
    membership.leave(epoch == ConsumerMembership.LEAVE_EPOCH);
  }

  @Override
  public void refuse(KafkaException cause) {
    membership.refuse(cause);
  }

  @Override
  public void shutDown() {
    watch.close();
    joins.close();
  }

  @Override
  public void work(@Nullable BrokerLink link, long now) {
    if (link != null) {
      LeaveGroupRequest leave = membership.leaveRequest();
      if (leave != null) {
        link.send(new LeaveCall(leave));
      }
      HeartbeatRequest heartbeat = membership.heartbeat(now);
      if (heartbeat != null) {
        heartbeatCall.send(link, heartbeat::write);
      }
    }
    watch.checkGone();
    if (membership.isJoining() && !holdsJoin(now)) {
      BrokerLink own = joins.readyLink();
      if (own != null) {
        workJoin(own, now);
      }
    }
  }

  private void workJoin(BrokerLink own, long now) {
    JoinGroupRequest join = membership.join(now);
    if (join != null) {
      holdsJoin = false;
      if (!membership.isCooperative()) {
        member.failCommits(new KafkaException(ErrorCode.REBALANCE_IN_PROGRESS, "group " + settings.groupId()
            + ": the partitions were given up before the commit was stored; commit in onRevoked, or sooner"));
      }
      joinCall.send(own, join::write);
    }
    SyncGroupRequest sync = membership.sync();
    if (sync != null) {
      syncCall.send(own, sync::write);
    }
  }

  /**
   * Returns true while a join waits for commits: offsets of partitions that an eager member has revoked can be stored
   * only until it joins again.
   */
  private boolean holdsJoin(long now) {
    boolean hold = membership.isAboutToJoin() && membership.takesCommits() && !membership.isCooperative()
        && member.hasCommits();
    if (hold && !holdsJoin) {
      holdSinceNanos = now;
    }
    holdsJoin = hold;
    return hold && now - holdSinceNanos < COMMITS_NANOS;
  }

  private void noteSuccess(short errorCode) {
    if (errorCode == 0) {
      member.requestSucceeded();
    }
  }

  private void onJoined(JoinGroupResponse response, long now) {
    noteSuccess(response.errorCode());
    membership.onJoined(response, now);
  }

  private void onSynced(SyncGroupResponse response, long now) {
    noteSuccess(response.errorCode());
    membership.onSynced(response, now);
  }

  private void onHeartbeat(HeartbeatResponse response, long now) {
    noteSuccess(response.errorCode());
    membership.onHeartbeat(response, now);
  }

  /** A request whose response, or failure, goes to the membership. */
  private final class MemberCall extends Call {
    private final Reading reading;
    private RequestBody body = (out, version) -> {};
    private long sentNanos;

    MemberCall(ApiKey api, int least, int last, Reading reading) {
      super(api, least, last);
      this.reading = reading;
    }

    void send(BrokerLink to, RequestBody request) {
      body = request;
      sentNanos = member.nowNanos();
      to.send(this);
    }

    @Override
    protected String remedy() {
      return settings.instanceId() == null
          ? ""
          : "; a static member needs a coordinator of Kafka 2.3 or later, others join without group.instance.id";
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      body.write(out, version);
    }

    @Override
    protected void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
      long now = member.nowNanos();
      ClassicMembership.State before = membership.state();
      reading.read(in, version, now);
      if (membership.state() != before) {
        measure(now - sentNanos);
      }
      member.work();
    }

    /** Measures a join or sync that the coordinator has accepted. */
    private void measure(long nanos) {
      ClassicMembership.State now = membership.state();
      if (api() == ApiKey.JOIN_GROUP && now == ClassicMembership.State.SYNCING) {
        metering.joined(nanos);
      } else if (api() == ApiKey.SYNC_GROUP
          && (now == ClassicMembership.State.RECONCILING || now == ClassicMembership.State.STABLE)) {
        metering.synced(nanos);
      }
    }

    @Override
    protected void onFailure(KafkaException cause) {
      if (api() != ApiKey.HEARTBEAT) {
        membership.onNoJoin(cause, member.nowNanos());
      } else {
        membership.onNoHeartbeat(cause, member.nowNanos());
      }
      member.workLater();
    }

    @Override
    protected void onUnsupported(KafkaException cause) {
      membership.refuse(cause);
    }
  }

  /** A leave request; without a response, the member counts as gone, too. */
  private final class LeaveCall extends Call {
    private final LeaveGroupRequest request;

    LeaveCall(LeaveGroupRequest request) {
      super(ApiKey.LEAVE_GROUP, settings.instanceId() == null ? 0 : FIRST_LEAVE_WITH_LISTS, LEAVE_VERSION);
      this.request = request;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      if (version < FIRST_LEAVE_WITH_LISTS) {
        new LeaveGroupRequest().groupId(request.groupId()).memberId(request.members().getFirst().memberId())
            .write(out, version);
      } else {
        request.write(out, version);
      }
    }

    @Override
    protected void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
      membership.onLeft(LeaveGroupResponse.read(in, version), member.nowNanos());
      member.work();
    }

    @Override
    protected void onFailure(KafkaException cause) {
      membership.onLeft(null, member.nowNanos());
      member.workLater();
    }

    @Override
    protected void onUnsupported(KafkaException cause) {
      membership.refuse(cause);
    }
  }

  @Override
  public long nextNanos(long now) {
    long next = membership.nextNanos(now);
    long held = holdSinceNanos + COMMITS_NANOS;
    return holdsJoin ? GroupMember.nextAhead(now, held, next) : next;
  }

  @Override
  public boolean isActive() {
    return membership.isActive();
  }

  @Override
  public boolean isOutside() {
    return membership.state() == ClassicMembership.State.OUTSIDE;
  }

  @Override
  public boolean takesCommits() {
    return membership.takesCommits();
  }

  @Override
  public boolean refusesCommits() {
    return membership.refusesCommits();
  }

  @Override
  public void verify(long now) {
    membership.verify(now);
  }

  /**
   * Returns true for a cooperative member, which still owns the partitions that it commits. An eager one has revoked
   * them since.
   */
  @Override
  public boolean mayRepeatCommit(ErrorCode code, int epochSent) {
    return membership.isCooperative() && (code == ErrorCode.REBALANCE_IN_PROGRESS
        || (code == ErrorCode.ILLEGAL_GENERATION && (membership.isJoining() || membership.generation() != epochSent)));
  }

  @Override
  public boolean namesMemberInLookups() {
    return false;
  }

  @Override
  public String memberId() {
    return membership.memberId();
  }

  @Override
  public int epoch() {
    return membership.generation();
  }

  // Methods of the membership's host.

  @Override
  public void reconcile(int number, Set<TopicPartition> revoked, Set<TopicPartition> added) {
    member.reconcile(number, List.copyOf(revoked), List.copyOf(added),
        membership.state() != ClassicMembership.State.PREPARING);
  }

  @Override
  public void lead(int generation, Assignor assignor, List<Subscriber> members, boolean assigns) {
    Leadership mine = new Leadership(settings.groupId(), generation, assignor, members);
    leadership = mine;
    mustAssign = assigns;
    if (assigns && mine.topics().isEmpty()) {
      computeAssignment(mine, Map.of());
    }
    updateWatch();
  }

  @Override
  public void follow() {
    leadership = null;
    updateWatch();
  }

  @Override
  public void lost(KafkaException cause) {
    announced = false;
    follow();
    member.lost(cause);
  }

  @Override
  public void failed(KafkaException cause) {
    filter = null;
    follow();
    member.failed(cause);
    member.workLater(); // it may have to leave
  }

  @Override
  public void refused(KafkaException cause) {
    member.refused(cause);
  }

  @Override
  public void retried(KafkaException cause) {
    member.retried(cause);
  }

  @Override
  public void coordinatorLost(KafkaException cause) {
    member.coordinatorLost(cause);
    joins.moved(cause);
  }

  @Override
  public void changed(ClassicMembership.State before, ClassicMembership.State now) {
    if (now == ClassicMembership.State.RECONCILING && !announced) {
      announced = true;
      member.joined();
    } else if (now == ClassicMembership.State.LEFT) {
      member.left(before == ClassicMembership.State.LEAVING);
    }
    switch (now) {
      case PREPARING, JOINING, SYNCING -> member.rebalanceBegan();
      case RECONCILING -> {
        member.memberConfirmed();
        member.rebalanceBegan();
      }
      case STABLE -> {
        member.memberConfirmed();
        member.rebalanceCompleted();
      }
      case LOST, FAILED -> member.rebalanceFailed();
      case OUTSIDE, LEAVING, LEFT -> member.rebalanceAbandoned();
    }
  }
}
