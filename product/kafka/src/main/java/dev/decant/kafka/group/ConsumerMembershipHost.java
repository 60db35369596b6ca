package dev.decant.kafka.group;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.TopicLayout;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Call;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Sends the heartbeats of a {@link ConsumerMembership}, and looks up the names of its topics. Owner of the loop only.
 */
final class ConsumerMembershipHost implements Membership, ConsumerMembership.Host, TopicNames.Listener {
  private static final int LEAST_HEARTBEAT_VERSION = 0;
  private static final int LAST_HEARTBEAT_VERSION = 1;
  private static final int FIRST_VERSION_WITH_PATTERN = 1;
  /** Longer than the broker's default session timeout of 45 s. */
  private static final long UNRELEASED_PATIENCE_NANOS = 60_000_000_000L;
  /** Bound of the names kept for topics that were ever assigned. */
  private static final int MOST_NAMES = 10_000;

  private final GroupMember member;
  private final ConsumerMembership membership;
  /** Shared by all members of the client. */
  private final TopicNames names;
  /**
   * Names that were assigned while the subscription included them. A partition is revoked under the name under which it
   * was assigned.
   */
  private final Map<Uuid, String> taken = new HashMap<>();
  /** Watches topics for {@link #filter}. */
  private final TopicWatch watch;
  /** Filter of a subscription that this client matches; null if there is none. */
  private @Nullable TopicFilter filter;
  /** Topics that this client knows to be subscribed. Written by the owner of the loop, read by any thread. */
  private volatile Set<String> topics = Set.of();
  private final HeartbeatCall call = new HeartbeatCall();

  ConsumerMembershipHost(ClientInternals client, GroupSettings settings, GroupMember member) {
    this.member = member;
    this.membership = new ConsumerMembership(settings, this, UNRELEASED_PATIENCE_NANOS);
    this.names = client.shared(TopicNames.class, () -> new TopicNames(client.loop(), client.cluster()));
    this.watch = new TopicWatch(client.loop(), client.cluster(), client.cluster().metadataMaxAgeNanos(),
        this::onTopics);
  }

  @Override
  public void subscribe(Subscription wanted, long now) {
    filter = wanted.filter();
    if (filter == null) {
      watch.stop();
      topics = Set.copyOf(wanted.topics());
      membership.subscribe(wanted, now);
    } else {
      watch.watch(filter);
    }
  }

  private void onTopics(Map<String, TopicLayout> found) {
    TopicFilter wanted = filter;
    if (wanted == null) {
      return;
    }
    Set<String> matched = new TreeSet<>(found.keySet());
    matched.removeIf(name -> !wanted.matches(name));
    if (isOutside() || !matched.equals(topics)) {
      topics = Set.copyOf(matched);
      membership.subscribe(new Subscription(List.copyOf(matched), null), member.nowNanos());
      member.work();
    }
  }

  @Override
  public Set<String> topics() {
    return topics;
  }

  @Override
  public void rejoin(String reason, long now) {} // the broker assigns the partitions

  @Override
  public boolean wantsEveryRebalance() {
    return member.wantsEveryRebalance();
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
    membership.stalled(cause, now);
  }

  @Override
  public void leave(int epoch, long now) {
    names.forget(this);
    filter = null;
    watch.stop();
    membership.leave(epoch, now);
  }

  @Override
  public void refuse(KafkaException cause) {
    membership.refuse(cause);
  }

  @Override
  public void shutDown() {
    watch.close();
    names.forget(this);
  }

  @Override
  public void work(@Nullable BrokerLink link, long now) {
    ConsumerGroupHeartbeatRequest request = link == null ? null : membership.heartbeat(now);
    if (link != null && request != null) {
      call.request = request;
      link.send(call);
    }
  }

  /** The heartbeat in flight. */
  private final class HeartbeatCall extends Call {
    private ConsumerGroupHeartbeatRequest request = new ConsumerGroupHeartbeatRequest();

    HeartbeatCall() {
      super(ApiKey.CONSUMER_GROUP_HEARTBEAT, LEAST_HEARTBEAT_VERSION, LAST_HEARTBEAT_VERSION);
    }

    @Override
    protected int lowestVersion() {
      return request.subscribedTopicRegex() == null ? LEAST_HEARTBEAT_VERSION : FIRST_VERSION_WITH_PATTERN;
    }

    @Override
    protected String remedy() {
      return ConsumerMembership.REMEDY;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      request.write(out, version);
    }

    @Override
    protected void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
      ConsumerGroupHeartbeatResponse response = ConsumerGroupHeartbeatResponse.read(in, version);
      if (response.assignment() != null) {
        names.forget(ConsumerMembershipHost.this); // topics that are no longer assigned need no names
      }
      if (response.errorCode() == 0) {
        member.requestSucceeded();
      }
      membership.onResponse(response, member.nowNanos());
      member.work();
    }

    @Override
    protected void onFailure(KafkaException cause) {
      membership.onNoResponse(cause, member.nowNanos());
      member.workLater();
    }

    @Override
    protected void onUnsupported(KafkaException cause) {
      membership.refuse(cause);
    }
  }

  @Override
  public long nextNanos(long now) {
    return membership.sendsHeartbeats() && !membership.isInFlight() ? membership.nextNanos() : Long.MAX_VALUE;
  }

  @Override
  public boolean isActive() {
    return membership.sendsHeartbeats();
  }

  @Override
  public boolean isOutside() {
    return membership.state() == ConsumerMembership.State.OUTSIDE;
  }

  @Override
  public boolean takesCommits() {
    return membership.isMember();
  }

  @Override
  public boolean refusesCommits() {
    return membership.refusesCommits();
  }

  @Override
  public void verify(long now) {
    membership.verify(now);
  }

  @Override
  public boolean mayRepeatCommit(ErrorCode code, int epochSent) {
    return code == ErrorCode.STALE_MEMBER_EPOCH;
  }

  /**
   * Returns false while the membership is lost: lookups then name no member. The member joins again only after the
   * application has handled the loss. The polling thread, which has to do that, may be waiting for this lookup in
   * {@code onAssigned}: it once waited until its timeout.
   */
  @Override
  public boolean namesMemberInLookups() {
    return membership.state() != ConsumerMembership.State.LOST;
  }

  @Override
  public String memberId() {
    return membership.memberId();
  }

  @Override
  public int epoch() {
    return membership.epoch();
  }

  // Methods of the membership's host.

  @Override
  public @Nullable String nameOf(Uuid topicId) {
    String known = taken.get(topicId);
    if (known == null) {
      known = names.nameOf(topicId, this);
      if (known != null) {
        if (taken.size() >= MOST_NAMES) {
          taken.clear();
        }
        taken.put(topicId, known);
      }
    }
    return known;
  }

  @Override
  public void reconcile(int number, Set<TopicIdPartition> revoked, Set<TopicIdPartition> added) {
    member.reconcile(number, named(revoked), named(added), true);
  }

  @Override
  public boolean mayRead(String topic) {
    return membership.mayRead(topic);
  }

  @Override
  public void onNameFound() {
    membership.namesKnown();
  }

  private List<TopicPartition> named(Set<TopicIdPartition> partitions) {
    List<TopicPartition> named = new ArrayList<>();
    for (TopicIdPartition p : partitions) {
      String name = nameOf(p.topicId());
      if (name != null) {
        named.add(new TopicPartition(name, p.partition()));
      }
    }
    return named;
  }

  @Override
  public void lost(KafkaException cause) {
    names.forget(this);
    member.lost(cause);
  }

  @Override
  public void failed(KafkaException cause) {
    member.failed(cause);
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
  }

  @Override
  public void changed(ConsumerMembership.State before, ConsumerMembership.State now) {
    if (now == ConsumerMembership.State.STABLE && before == ConsumerMembership.State.JOINING) {
      member.joined();
    } else if (now == ConsumerMembership.State.LEFT) {
      member.left(before == ConsumerMembership.State.LEAVING);
    }
    switch (now) {
      case RECONCILING -> member.rebalanceBegan();
      case STABLE, ACKNOWLEDGING -> {
        member.memberConfirmed();
        member.rebalanceCompleted();
      }
      case LOST, FAILED -> member.rebalanceFailed();
      case OUTSIDE, LEAVING, LEFT -> member.rebalanceAbandoned();
      case JOINING -> {
      } // begins with the first assignment
    }
  }
}
