package dev.decant.kafka.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.group.ConsumerMembership.State;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the state machine alone: the test sets the time and makes the responses. */
class ConsumerMembershipTest {
  private static final Uuid TOPIC = new Uuid(1, 2);
  private static final Uuid NAMELESS = new Uuid(3, 4);
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);
  private static final int INTERVAL = 5_000;

  /** Records the membership's calls. */
  private final class Notes implements ConsumerMembership.Host {
    final List<String> noted = new ArrayList<>();
    boolean knowsAll;
    int number;

    @Override
    public @Nullable String nameOf(Uuid topicId) {
      return topicId.equals(TOPIC) || knowsAll ? "orders" : null;
    }

    @Override
    public void reconcile(int reconciliation, Set<TopicIdPartition> revoked, Set<TopicIdPartition> added) {
      number = reconciliation;
      noted.add("revoke " + numbers(revoked) + ", add " + numbers(added));
    }

    @Override
    public void lost(KafkaException cause) {
      noted.add("lost " + cause.code());
    }

    @Override
    public void failed(KafkaException cause) {
      noted.add("failed " + cause.code());
    }

    @Override
    public void refused(KafkaException cause) {
      noted.add("refused " + cause.code());
    }

    @Override
    public void retried(KafkaException cause) {
      noted.add("retried " + cause.code());
    }

    @Override
    public void coordinatorLost(KafkaException cause) {
      noted.add("coordinator lost");
    }

    @Override
    public void changed(State before, State now) {
      states.add(now);
    }

    List<String> take() {
      List<String> taken = List.copyOf(noted);
      noted.clear();
      return taken;
    }
  }

  private final List<State> states = new ArrayList<>();
  private final Notes host = new Notes();
  private final ConsumerMembership member = new ConsumerMembership(
      new GroupSettings("billing", "till-1", "rack-1", "uniform", 9_000), host, PATIENCE);
  private long now = Long.MAX_VALUE - 1_000; // close to the clock's overflow

  private static Set<Integer> numbers(Set<TopicIdPartition> partitions) {
    Set<Integer> numbers = new TreeSet<>();
    partitions.forEach(p -> numbers.add(p.partition()));
    return numbers;
  }

  private static List<ConsumerGroupHeartbeatResponse.TopicPartitions> topic(Uuid id, Integer... partitions) {
    return List.of(new ConsumerGroupHeartbeatResponse.TopicPartitions().topicId(id).partitions(List.of(partitions)));
  }

  private static ConsumerGroupHeartbeatResponse answer(int epoch) {
    return new ConsumerGroupHeartbeatResponse().memberEpoch(epoch).heartbeatIntervalMs(INTERVAL);
  }

  private static ConsumerGroupHeartbeatResponse answer(int epoch, Integer... partitions) {
    return answer(epoch).assignment(
        new ConsumerGroupHeartbeatResponse.Assignment().topicPartitions(topic(TOPIC, partitions)));
  }

  private static ConsumerGroupHeartbeatResponse refusal(ErrorCode code) {
    return new ConsumerGroupHeartbeatResponse().errorCode(code.code()).errorMessage("because");
  }

  private void pass(long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Returns the heartbeat that must be due now. */
  private ConsumerGroupHeartbeatRequest heartbeat() {
    ConsumerGroupHeartbeatRequest request = Objects.requireNonNull(member.heartbeat(now), "a heartbeat");
    assertThat(member.heartbeat(now)).as("second heartbeat beside it").isNull();
    return request;
  }

  private void join(Integer... partitions) {
    member.subscribe(new Subscription(List.of("orders"), null), now);
    heartbeat();
    member.onResponse(answer(3, partitions), now);
    if (partitions.length > 0) {
      member.reconciled(host.number, now);
      heartbeat();
      member.onResponse(answer(3), now);
    }
    assertThat(member.state()).isEqualTo(State.STABLE);
    host.take();
    states.clear();
  }

  private static List<Integer> owned(ConsumerGroupHeartbeatRequest request) {
    List<ConsumerGroupHeartbeatRequest.TopicPartitions> topics = request.topicPartitions();
    return topics == null || topics.isEmpty() ? List.of() : topics.getFirst().partitions();
  }

  @Test
  void firstHeartbeatIsFullAndTheNextHasOnlyChanges() {
    assertThat(member.heartbeat(now)).isNull();
    member.subscribe(new Subscription(List.of("orders"), null), now);
    ConsumerGroupHeartbeatRequest first = heartbeat();
    assertThat(first.memberEpoch()).isZero();
    assertThat(first.memberId()).hasSize(22);
    assertThat(first.instanceId()).isEqualTo("till-1");
    assertThat(first.rackId()).isEqualTo("rack-1");
    assertThat(first.serverAssignor()).isEqualTo("uniform");
    assertThat(first.rebalanceTimeoutMs()).isEqualTo(9_000);
    assertThat(first.subscribedTopicNames()).containsExactly("orders");
    assertThat(first.topicPartitions()).isEmpty();
    member.onResponse(answer(3), now);
    assertThat(member.heartbeat(now)).isNull();
    pass(INTERVAL - 1);
    assertThat(member.heartbeat(now)).isNull();
    pass(1);
    ConsumerGroupHeartbeatRequest second = heartbeat();
    assertThat(second.memberEpoch()).isEqualTo(3);
    assertThat(second.instanceId()).isEqualTo("till-1");
    assertThat(second.rackId()).isNull();
    assertThat(second.subscribedTopicNames()).isNull();
    assertThat(second.topicPartitions()).isNull();
    assertThat(second.rebalanceTimeoutMs()).isEqualTo(-1);
    assertThat(states).containsExactly(State.JOINING, State.STABLE);
  }

  @Test
  void assignmentIsReconciledThenAcknowledgedAtOnce() {
    join(0, 1);
    pass(INTERVAL);
    heartbeat();
    member.onResponse(answer(4, 1, 2), now);
    assertThat(host.take()).containsExactly("revoke [0], add [2]");
    pass(INTERVAL);
    assertThat(heartbeat().topicPartitions()).as("while the application is at it").isNull();
    member.onResponse(answer(4), now);
    member.reconciled(host.number, now);
    assertThat(owned(heartbeat())).containsExactly(1, 2);
    assertThat(member.state()).isEqualTo(State.ACKNOWLEDGING);
    member.onResponse(answer(4), now);
    assertThat(states).containsExactly(State.RECONCILING, State.ACKNOWLEDGING, State.STABLE);
  }

  @Test
  void acknowledgementFollowsAHeartbeatThatWasOnItsWayAlready() {
    join(0);
    pass(INTERVAL);
    heartbeat();
    member.onResponse(answer(4, 1), now);
    pass(INTERVAL);
    heartbeat();
    member.reconciled(host.number, now);
    assertThat(member.heartbeat(now)).isNull();
    member.onResponse(answer(4), now);
    assertThat(member.state()).isEqualTo(State.ACKNOWLEDGING);
    assertThat(owned(heartbeat())).containsExactly(1);
  }

  @Test
  void assignmentThatComesDuringAnotherOneIsReconciledAfterIt() {
    join(0);
    pass(INTERVAL);
    heartbeat();
    member.onResponse(answer(4, 0, 1), now);
    pass(INTERVAL);
    heartbeat();
    member.onResponse(answer(5, 2), now);
    assertThat(host.take()).containsExactly("revoke [], add [1]");
    member.reconciled(host.number, now);
    assertThat(owned(heartbeat())).containsExactly(0, 1);
    member.onResponse(answer(5), now);
    assertThat(host.take()).containsExactly("revoke [0, 1], add [2]");
  }

  @Test
  void fullHeartbeatNamesPartitionsThatTheApplicationIsBeingGiven() {
    join(0, 1);
    pass(INTERVAL);
    heartbeat();
    member.onResponse(answer(4, 1, 2), now);
    pass(INTERVAL);
    heartbeat();
    member.onNoResponse(new KafkaException(ErrorCode.NETWORK_EXCEPTION, "cut"), now);
    pass(INTERVAL);
    assertThat(owned(heartbeat())).as("with 0, which is not given up yet").containsExactlyInAnyOrder(0, 1, 2);
    member.reconciled(host.number, now);
    member.onResponse(answer(4), now);
    assertThat(owned(heartbeat())).as("what is given up is not said yet").containsExactly(1, 2);
  }

  @Test
  void partitionOfATopicWithoutANameWaitsForIt() {
    join(0);
    pass(INTERVAL);
    heartbeat();
    member.onResponse(answer(4).assignment(
        new ConsumerGroupHeartbeatResponse.Assignment().topicPartitions(topic(NAMELESS, 7))), now);
    assertThat(host.take()).containsExactly("revoke [0], add []");
    member.reconciled(host.number, now);
    heartbeat();
    member.onResponse(answer(4), now);
    assertThat(host.take()).isEmpty();
    host.knowsAll = true;
    member.namesKnown();
    assertThat(host.take()).containsExactly("revoke [], add [7]");
  }

  /**
   * One damaged response with an interval of 24 days stopped all heartbeats: the group removed the member, which never
   * heard of it.
   */
  @Test
  void intervalThatIsLongerThanAnySessionIsNotObeyed() {
    join(0);
    pass(INTERVAL);
    heartbeat();
    member.onResponse(answer(3).heartbeatIntervalMs(Integer.MAX_VALUE), now);
    pass(29_999);
    assertThat(member.heartbeat(now)).isNull();
    pass(1);
    assertThat(heartbeat().memberEpoch()).isEqualTo(3);
  }

  /**
   * A process that was frozen read an old response, waited one more interval, and worked on partitions of other members
   * meanwhile.
   */
  @Test
  void intervalBeginsWithTheHeartbeatThatWasSent() {
    join(0);
    pass(INTERVAL);
    heartbeat();
    pass(20_000); // the process is frozen
    member.onResponse(answer(3), now);
    assertThat(heartbeat().memberEpoch()).isEqualTo(3);
  }

  @Test
  void aCommitThatIsRefusedAsThatOfNoMemberIsFollowedByAHeartbeat() {
    join(0);
    assertThat(member.heartbeat(now)).isNull();
    member.verify(now);
    heartbeat();
    member.onResponse(refusal(ErrorCode.UNKNOWN_MEMBER_ID), now);
    assertThat(host.take()).containsExactly("lost UNKNOWN_MEMBER_ID");
  }

  /**
   * The member waited in vain for the name of a topic id that no broker knows: the coordinator sends an assignment
   * once.
   */
  @Test
  void assignmentOfATopicWithoutANameIsRequestedAgain() {
    join(0);
    pass(INTERVAL);
    heartbeat();
    member.onResponse(answer(4).assignment(
        new ConsumerGroupHeartbeatResponse.Assignment().topicPartitions(topic(NAMELESS, 7))), now);
    member.reconciled(host.number, now);
    heartbeat();
    member.onResponse(answer(4), now);
    pass(INTERVAL);
    assertThat(heartbeat().subscribedTopicNames()).as("a full heartbeat").containsExactly("orders");
    host.take();
    member.onResponse(answer(4, 7), now);
    assertThat(host.take()).containsExactly("revoke [], add [7]");
  }

  @Test
  void everyTenthHeartbeatIsFullSoThatADamagedAssignmentIsRepaired() {
    join(0);
    List<Integer> full = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      pass(INTERVAL);
      ConsumerGroupHeartbeatRequest request = heartbeat();
      if (request.subscribedTopicNames() != null) {
        assertThat(request.rebalanceTimeoutMs()).isEqualTo(9_000);
        assertThat(owned(request)).containsExactly(0);
        full.add(i);
      }
      member.onResponse(answer(3), now);
    }
    assertThat(full).containsExactly(8, 18);
  }

  @Test
  void fencedMemberLosesAllAndJoinsAgainOnceTheApplicationKnows() {
    join(0);
    pass(INTERVAL);
    heartbeat();
    member.onResponse(refusal(ErrorCode.FENCED_MEMBER_EPOCH), now);
    assertThat(host.take()).containsExactly("lost FENCED_MEMBER_EPOCH");
    pass(10 * INTERVAL);
    assertThat(member.heartbeat(now)).isNull();
    member.lossHandled(now);
    ConsumerGroupHeartbeatRequest again = heartbeat();
    assertThat(again.memberEpoch()).isZero();
    assertThat(again.subscribedTopicNames()).containsExactly("orders");
    assertThat(again.topicPartitions()).isEmpty();
    member.onResponse(answer(8, 0), now);
    assertThat(host.take()).containsExactly("revoke [], add [0]");
    assertThat(states).containsExactly(State.LOST, State.JOINING, State.STABLE, State.RECONCILING);
  }

  @Test
  void reconciliationOfTheTimeBeforeALossCountsForNothing() {
    join(0);
    pass(INTERVAL);
    heartbeat();
    member.onResponse(answer(4, 1), now);
    int old = host.number;
    pass(INTERVAL);
    heartbeat();
    member.onResponse(refusal(ErrorCode.UNKNOWN_MEMBER_ID), now);
    member.lossHandled(now);
    heartbeat();
    member.onResponse(answer(9, 5), now);
    member.reconciled(old, now);
    assertThat(member.state()).isEqualTo(State.RECONCILING);
    member.reconciled(host.number, now);
    assertThat(owned(heartbeat())).containsExactly(5);
  }

  @Test
  void memberThatHasNothingJoinsAgainByItselfButNotInAHurry() {
    join();
    pass(INTERVAL);
    heartbeat();
    member.onResponse(refusal(ErrorCode.UNKNOWN_MEMBER_ID), now);
    assertThat(host.take()).containsExactly("retried UNKNOWN_MEMBER_ID");
    assertThat(member.heartbeat(now)).isNull();
    pass(100);
    assertThat(heartbeat().memberEpoch()).isZero();
  }

  @Test
  void afterALostResponseFullHeartbeatsFollowWithGrowingPauses() {
    join(0);
    pass(INTERVAL);
    heartbeat();
    KafkaException cut = new KafkaException(ErrorCode.NETWORK_EXCEPTION, "cut");
    for (int wait : new int[] {100, 200, 400, 800, 1_000, 1_000}) {
      member.onNoResponse(cut, now);
      pass(wait - 1);
      assertThat(member.heartbeat(now)).isNull();
      pass(1);
      ConsumerGroupHeartbeatRequest again = heartbeat();
      assertThat(again.memberEpoch()).isEqualTo(3);
      assertThat(again.rebalanceTimeoutMs()).isEqualTo(9_000);
      assertThat(owned(again)).containsExactly(0);
    }
    assertThat(member.state()).isEqualTo(State.STABLE);
  }

  @Test
  void anotherCoordinatorIsLookedUp() {
    join(0);
    pass(INTERVAL);
    heartbeat();
    member.onResponse(refusal(ErrorCode.NOT_COORDINATOR), now);
    assertThat(host.take()).containsExactly("coordinator lost", "retried NOT_COORDINATOR");
    pass(100);
    assertThat(heartbeat().memberEpoch()).isEqualTo(3);
  }

  @Test
  void instanceIdThatTheMemberItselfHoldsIsReleasedAndTakenAgain() {
    member.subscribe(new Subscription(List.of("orders"), null), now);
    heartbeat(); // the coordinator takes it, and its response is lost
    member.onResponse(refusal(ErrorCode.UNRELEASED_INSTANCE_ID).errorMessage("Static member " + member.memberId()
        + " with instance id i cannot join the group because the instance id is owned by " + member.memberId()
        + " member."), now);
    assertThat(host.take()).containsExactly("retried UNRELEASED_INSTANCE_ID");
    pass(200);
    assertThat(heartbeat().memberEpoch()).isEqualTo(ConsumerMembership.STATIC_LEAVE_EPOCH);
    member.onResponse(answer(ConsumerMembership.STATIC_LEAVE_EPOCH), now);
    assertThat(heartbeat().memberEpoch()).isZero();
    member.onResponse(answer(7), now);
    assertThat(member.isMember()).isTrue();
    assertThat(host.take()).isEmpty();
  }

  @Test
  void instanceIdThatAnotherMemberHoldsIsWaitedForButNotForEver() {
    member.subscribe(new Subscription(List.of("orders"), null), now);
    for (int second = 0; second < 60; second++) {
      heartbeat();
      member.onResponse(refusal(ErrorCode.UNRELEASED_INSTANCE_ID), now);
      assertThat(host.take()).containsExactly("retried UNRELEASED_INSTANCE_ID");
      pass(1_000);
    }
    heartbeat();
    member.onResponse(refusal(ErrorCode.UNRELEASED_INSTANCE_ID), now);
    assertThat(host.take()).containsExactly("failed UNRELEASED_INSTANCE_ID");
    assertThat(member.state()).isEqualTo(State.FAILED);
    assertThat(member.refusesCommits()).isTrue();
  }

  /** The permission may come later, or the application may subscribe to other topics. */
  @Test
  void refusedTopicIsReportedAndRequestedAgain() {
    member.subscribe(new Subscription(List.of("orders", "secret"), null), now);
    heartbeat();
    member.onResponse(refusal(ErrorCode.TOPIC_AUTHORIZATION_FAILED), now);
    assertThat(host.take()).containsExactly("refused TOPIC_AUTHORIZATION_FAILED", "retried TOPIC_AUTHORIZATION_FAILED");
    assertThat(member.state()).isEqualTo(State.JOINING);
    pass(1_000);
    assertThat(heartbeat().subscribedTopicNames()).containsExactly("orders", "secret");
  }

  /** After a permission was taken and given back, every poll still threw. */
  @Test
  void memberKeepsItsEpochAndItsPartitionsWhileItHasNoRights() {
    join(0);
    int epoch = member.epoch();
    pass(INTERVAL);
    heartbeat();
    member.onResponse(refusal(ErrorCode.GROUP_AUTHORIZATION_FAILED), now);
    assertThat(host.take()).containsExactly("refused GROUP_AUTHORIZATION_FAILED",
        "retried GROUP_AUTHORIZATION_FAILED");
    assertThat(member.isMember()).isTrue();
    pass(1_000);
    assertThat(heartbeat().memberEpoch()).isEqualTo(epoch).isPositive();
  }

  @Test
  void errorThatStaysEndsTheMembershipAndItsPartitionsAreLost() {
    join(0);
    pass(INTERVAL);
    heartbeat();
    member.onResponse(refusal(ErrorCode.UNSUPPORTED_ASSIGNOR), now);
    assertThat(host.take()).containsExactly("lost UNSUPPORTED_ASSIGNOR", "failed UNSUPPORTED_ASSIGNOR");
    member.lossHandled(now);
    pass(10 * INTERVAL);
    assertThat(member.heartbeat(now)).isNull();
  }

  @Test
  void changedSubscriptionIsSentAtOnceAndAPatternIsRemovedByAnEmptyOne() {
    join();
    member.subscribe(new Subscription(List.of(), "ord.*"), now);
    ConsumerGroupHeartbeatRequest pattern = heartbeat();
    assertThat(pattern.subscribedTopicNames()).isEmpty();
    assertThat(pattern.subscribedTopicRegex()).isEqualTo("ord.*");
    member.subscribe(new Subscription(List.of("bills"), null), now);
    member.onResponse(answer(4), now);
    ConsumerGroupHeartbeatRequest names = heartbeat();
    assertThat(names.subscribedTopicNames()).containsExactly("bills");
    assertThat(names.subscribedTopicRegex()).isEmpty();
  }

  @Test
  void leavingWaitsForTheHeartbeatUnderWay() {
    join(0);
    pass(INTERVAL);
    heartbeat();
    member.leave(ConsumerMembership.STATIC_LEAVE_EPOCH, now);
    assertThat(member.heartbeat(now)).isNull();
    member.onResponse(answer(4, 0, 1), now);
    ConsumerGroupHeartbeatRequest leave = heartbeat();
    assertThat(leave.memberEpoch()).isEqualTo(-2);
    assertThat(leave.instanceId()).isEqualTo("till-1");
    assertThat(leave.topicPartitions()).isNull();
    member.onResponse(new ConsumerGroupHeartbeatResponse().memberEpoch(-2), now);
    assertThat(states).containsExactly(State.LEAVING, State.LEFT);
    assertThat(host.take()).isEmpty();
  }

  @Test
  void memberThatIsOutsideOrRemainsSendsNoLeaveRequest() {
    member.leave(ConsumerMembership.LEAVE_EPOCH, now);
    assertThat(member.heartbeat(now)).isNull();
    assertThat(states).containsExactly(State.LEFT);
  }

  @Test
  void stalledApplicationLeavesAndComesBackWhenItPolls() {
    join(0);
    member.stalled(new KafkaException(ErrorCode.NONE, "has not polled"), now);
    assertThat(host.take()).containsExactly("lost NONE");
    assertThat(heartbeat().memberEpoch()).isEqualTo(-1);
    member.onResponse(new ConsumerGroupHeartbeatResponse().memberEpoch(-1), now);
    assertThat(member.state()).isEqualTo(State.LOST);
    assertThat(member.heartbeat(now)).isNull();
    member.lossHandled(now);
    assertThat(heartbeat().memberEpoch()).isZero();
    assertThat(states).containsExactly(State.LEAVING, State.LOST, State.JOINING);
  }
}
