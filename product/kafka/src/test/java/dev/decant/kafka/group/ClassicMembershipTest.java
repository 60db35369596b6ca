package dev.decant.kafka.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.assignor.Assignors;
import dev.decant.kafka.assignor.Subscriber;
import dev.decant.kafka.group.ClassicMembership.State;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.HeartbeatResponse;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.JoinGroupResponse;
import dev.decant.kafka.protocol.message.LeaveGroupRequest;
import dev.decant.kafka.protocol.message.LeaveGroupResponse;
import dev.decant.kafka.protocol.message.SyncGroupRequest;
import dev.decant.kafka.protocol.message.SyncGroupResponse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the state machine alone: the test sets the time and makes the responses. */
class ClassicMembershipTest {
  private static final int INTERVAL = 3_000;

  /** Records the membership's calls. */
  private final class Notes implements ClassicMembership.Host {
    final List<String> noted = new ArrayList<>();
    List<Subscriber> members = List.of();
    int number;

    @Override
    public void reconcile(int reconciliation, Set<TopicPartition> revoked, Set<TopicPartition> added) {
      number = reconciliation;
      noted.add("revoke " + numbers(revoked) + ", add " + numbers(added));
    }

    @Override
    public void lead(int generation, Assignor assignor, List<Subscriber> all, boolean assigns) {
      members = all;
      noted.add((assigns ? "divide " : "watch ") + generation + " by " + assignor.name());
    }

    @Override
    public void follow() {
      noted.add("follow");
    }

    @Override
    public void lost(KafkaException cause) {
      noted.add("lost " + cause.code());
    }

    @Override
    public void failed(KafkaException cause) {
      noted.add("failed " + cause.code());
      failure = String.valueOf(cause.getMessage());
    }

    @Override
    public void refused(KafkaException cause) {
      noted.add("refused " + cause.code());
      failure = String.valueOf(cause.getMessage());
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
  private String failure = "";
  private ClassicMembership member = member(Assignors.range(), Assignors.cooperativeSticky());
  private long now = Long.MAX_VALUE - 1_000; // close to the clock's overflow

  private ClassicMembership member(Assignor... assignors) {
    return new ClassicMembership(new GroupSettings("billing", "till-1", "rack-1", null, 9_000),
        new ClassicSettings(Arrays.asList(assignors), 10_000, INTERVAL, 300_000), host);
  }

  private static Set<Integer> numbers(Set<TopicPartition> partitions) {
    Set<Integer> numbers = new TreeSet<>();
    partitions.forEach(p -> numbers.add(p.partition()));
    return numbers;
  }

  private static List<TopicPartition> partitions(Integer... numbers) {
    return Arrays.stream(numbers).map(n -> new TopicPartition("orders", n)).toList();
  }

  private static KafkaException cut() {
    return new KafkaException(ErrorCode.NETWORK_EXCEPTION, "cut");
  }

  private void pass(long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private JoinGroupRequest join() {
    JoinGroupRequest request = Objects.requireNonNull(member.join(now), "a join");
    assertThat(member.join(now)).as("second join beside it").isNull();
    return request;
  }

  private JoinGroupResponse joined(int generation) {
    return new JoinGroupResponse().generationId(generation).protocolType("consumer").protocolName(assignor())
        .leader("leader").memberId("me");
  }

  private String assignor() {
    return member.isCooperative() ? "cooperative-sticky" : "range";
  }

  private static JoinGroupResponse joinRefusal(ErrorCode code) {
    return new JoinGroupResponse().errorCode(code.code());
  }

  private static SyncGroupResponse synced(Integer... numbers) {
    return new SyncGroupResponse().assignment(ConsumerProtocol.assignment(partitions(numbers)));
  }

  private void sync(Integer... numbers) {
    assertThat(member.sync()).isNotNull();
    member.onSynced(synced(numbers), now);
  }

  /** Joins, and gets these partitions in generation 3. */
  private void enter(Integer... numbers) {
    member.subscribe(Set.of("orders"), now);
    join();
    member.onJoined(joined(3), now);
    sync(numbers);
    if (numbers.length > 0) {
      member.reconciled(host.number, now);
    }
    assertThat(member.state()).isEqualTo(State.STABLE);
    host.take();
    states.clear();
  }

  private void heartbeat(ErrorCode code) {
    pass(INTERVAL);
    HeartbeatRequest heartbeat = Objects.requireNonNull(member.heartbeat(now), "a heartbeat");
    assertThat(heartbeat.memberId()).isEqualTo("me");
    assertThat(member.heartbeat(now)).as("second heartbeat beside it").isNull();
    member.onHeartbeat(new HeartbeatResponse().errorCode(code.code()), now);
  }

  private static Subscriber subscriptionOf(JoinGroupRequest request) {
    return ConsumerProtocol.readSubscription("me", null, request.protocols().getFirst().metadata());
  }

  /**
   * A process that was frozen read an old response, waited one more interval, and worked on partitions of other members
   * meanwhile.
   */
  @Test
  void intervalBeginsWithTheHeartbeatThatWasSent() {
    enter(0);
    pass(INTERVAL);
    assertThat(member.heartbeat(now)).isNotNull();
    pass(20_000); // the process is frozen
    member.onHeartbeat(new HeartbeatResponse(), now);
    assertThat(member.heartbeat(now)).isNotNull();
  }

  @Test
  void aCommitThatIsRefusedAsThatOfNoMemberIsFollowedByAHeartbeat() {
    enter(0);
    assertThat(member.heartbeat(now)).isNull();
    member.verify(now);
    assertThat(member.heartbeat(now)).isNotNull();
    member.onHeartbeat(new HeartbeatResponse().errorCode(ErrorCode.UNKNOWN_MEMBER_ID.code()), now);
    assertThat(host.take()).contains("lost UNKNOWN_MEMBER_ID");
  }

  @Test
  void memberJoinsASecondTimeWithItsNewId() {
    assertThat(member.join(now)).isNull();
    member.subscribe(Set.of("orders"), now);
    JoinGroupRequest first = join();
    assertThat(first.memberId()).isEmpty();
    assertThat(first.groupInstanceId()).isEqualTo("till-1");
    assertThat(first.sessionTimeoutMs()).isEqualTo(10_000);
    assertThat(first.rebalanceTimeoutMs()).isEqualTo(9_000);
    assertThat(first.protocolType()).isEqualTo("consumer");
    assertThat(first.reason()).isEqualTo("the consumer was opened");
    assertThat(first.protocols().stream().map(JoinGroupRequest.JoinGroupRequestProtocol::name))
        .containsExactly("range", "cooperative-sticky");
    assertThat(subscriptionOf(first).topics()).containsExactly("orders");
    assertThat(subscriptionOf(first).rack()).isEqualTo("rack-1");
    assertThat(member.heartbeat(now)).as("nobody yet").isNull();
    member.onJoined(joinRefusal(ErrorCode.MEMBER_ID_REQUIRED).memberId("me"), now);
    assertThat(join().memberId()).isEqualTo("me");
    member.onJoined(joined(3), now);
    SyncGroupRequest sync = Objects.requireNonNull(member.sync());
    assertThat(sync.generationId()).isEqualTo(3);
    assertThat(sync.protocolName()).isEqualTo("range");
    assertThat(sync.assignments()).isEmpty();
    assertThat(member.takesCommits()).isFalse();
    member.onSynced(synced(0, 1), now);
    assertThat(host.take()).containsExactly("follow", "revoke [], add [0, 1]");
    assertThat(member.takesCommits()).isTrue();
    member.reconciled(host.number, now);
    assertThat(states).containsExactly(State.JOINING, State.SYNCING, State.RECONCILING, State.STABLE);
  }

  @Test
  void leaderAssignsBeforeItSyncs() {
    member.subscribe(Set.of("orders"), now);
    join();
    Subscriber other = new Subscriber("other", null, List.of("bills"), List.of(), -1, null, ByteBuffer.allocate(0));
    member.onJoined(joined(3).leader("me").members(List.of(
        new JoinGroupResponse.JoinGroupResponseMember().memberId("other")
            .metadata(ConsumerProtocol.subscription(other)),
        new JoinGroupResponse.JoinGroupResponseMember().memberId("broken").metadata(ByteBuffer.wrap(new byte[] {9})))),
        now);
    assertThat(host.take()).containsExactly("retried ASSIGNMENT_FAILED", "divide 3 by range");
    assertThat(host.members).hasSize(1).first().extracting(Subscriber::topics).isEqualTo(List.of("bills"));
    assertThat(member.sync()).as("not divided yet").isNull();
    member.assigned(2, Map.of());
    assertThat(member.sync()).as("that was another generation").isNull();
    member.assigned(3, Map.of("me", ConsumerProtocol.assignment(partitions(0))));
    assertThat(Objects.requireNonNull(member.sync()).assignments()).hasSize(1);
  }

  @Test
  void leaderThatIsToSkipTheAssignmentDoes() {
    member.subscribe(Set.of("orders"), now);
    join();
    member.onJoined(joined(3).leader("me").skipAssignment(true), now);
    assertThat(host.take()).containsExactly("watch 3 by range");
    assertThat(Objects.requireNonNull(member.sync()).assignments()).isEmpty();
  }

  @Test
  void memberThatFailsInsideTheGroupLeavesIt() {
    enter(0);
    member.refuse(new KafkaException(ErrorCode.NONE, "no more"));
    assertThat(host.take()).containsExactly("lost NONE", "failed NONE");
    assertThat(member.isActive()).isTrue();
    assertThat(Objects.requireNonNull(member.leaveRequest()).members().getFirst().reason())
        .isEqualTo("the member has failed: no more");
    assertThat(member.leaveRequest()).isNull();
    member.onLeft(null, now);
    assertThat(member.isActive()).isFalse();
    assertThat(member.state()).isEqualTo(State.FAILED);
  }

  @Test
  void eagerMemberGivesEverythingUpBeforeItJoinsAgain() {
    enter(0, 1);
    heartbeat(ErrorCode.REBALANCE_IN_PROGRESS);
    assertThat(host.take()).containsExactly("revoke [0, 1], add []");
    assertThat(member.join(now)).as("the application is at it").isNull();
    heartbeat(ErrorCode.REBALANCE_IN_PROGRESS);
    assertThat(host.take()).isEmpty();
    assertThat(member.takesCommits()).isTrue();
    member.reconciled(host.number, now);
    JoinGroupRequest again = join();
    assertThat(again.memberId()).isEqualTo("me");
    assertThat(again.reason()).isEqualTo("the group rebalances");
    assertThat(subscriptionOf(again).owned()).isEmpty();
    member.onJoined(joined(4), now);
    sync(1);
    assertThat(host.take()).containsExactly("follow", "revoke [], add [1]");
    assertThat(states).containsExactly(State.PREPARING, State.JOINING, State.SYNCING, State.RECONCILING);
  }

  @Test
  void cooperativeMemberKeepsWhatItHasAndJoinsAgainAfterItGaveSomethingUp() {
    member = member(Assignors.cooperativeSticky());
    enter(0, 1);
    heartbeat(ErrorCode.REBALANCE_IN_PROGRESS);
    assertThat(host.take()).isEmpty();
    Subscriber subscriber = subscriptionOf(join());
    assertThat(subscriber.owned()).containsExactlyInAnyOrderElementsOf(partitions(0, 1));
    assertThat(subscriber.ownedGeneration()).isEqualTo(3);
    member.onJoined(joined(4), now);
    sync(1);
    assertThat(host.take()).containsExactly("follow", "revoke [0], add []");
    member.reconciled(host.number, now);
    JoinGroupRequest again = join();
    assertThat(again.reason()).isEqualTo("partitions were given up");
    assertThat(subscriptionOf(again).owned()).isEqualTo(partitions(1));
    assertThat(subscriptionOf(again).ownedGeneration()).isEqualTo(4);
    assertThat(states).containsExactly(State.JOINING, State.SYNCING, State.RECONCILING, State.STABLE, State.JOINING);
  }

  @Test
  void oneEagerAssignorMakesAMemberEager() {
    assertThat(member(Assignors.cooperativeSticky()).isCooperative()).isTrue();
    assertThat(member(Assignors.cooperativeSticky(), Assignors.range()).isCooperative()).isFalse();
  }

  @Test
  void generationOfASyncThatFailedIsNotClaimedForWhatIsOwned() {
    member = member(Assignors.cooperativeSticky());
    enter(0);
    heartbeat(ErrorCode.REBALANCE_IN_PROGRESS);
    join();
    member.onJoined(joined(4), now);
    member.sync();
    member.onSynced(new SyncGroupResponse().errorCode(ErrorCode.REBALANCE_IN_PROGRESS.code()), now);
    assertThat(subscriptionOf(join()).ownedGeneration()).isEqualTo(3);
  }

  @Test
  void rebalanceThatComesWhileTheApplicationIsAtItWaits() {
    member.subscribe(Set.of("orders"), now);
    join();
    member.onJoined(joined(3), now);
    sync(0);
    heartbeat(ErrorCode.REBALANCE_IN_PROGRESS);
    assertThat(member.state()).isEqualTo(State.RECONCILING);
    member.reconciled(host.number, now);
    assertThat(member.state()).isEqualTo(State.PREPARING);
    assertThat(host.take()).containsExactly("follow", "revoke [], add [0]", "revoke [0], add []");
  }

  @Test
  void heartbeatsContinueWhileAJoinWaitsWithoutEffect() {
    enter();
    heartbeat(ErrorCode.REBALANCE_IN_PROGRESS);
    join();
    heartbeat(ErrorCode.REBALANCE_IN_PROGRESS);
    heartbeat(ErrorCode.UNKNOWN_MEMBER_ID);
    assertThat(member.state()).isEqualTo(State.JOINING);
    assertThat(host.take()).isEmpty();
    pass(INTERVAL);
    member.heartbeat(now);
    member.onNoHeartbeat(cut(), now);
    assertThat(host.take()).containsExactly("coordinator lost", "retried NETWORK_EXCEPTION");
  }

  @Test
  void refusedHeartbeatOfAnEarlierGenerationLosesNoPartitions() {
    enter();
    pass(INTERVAL);
    member.heartbeat(now);
    member.rejoin("test", now);
    join();
    member.onJoined(joined(4), now);
    sync();
    member.onHeartbeat(new HeartbeatResponse().errorCode(ErrorCode.ILLEGAL_GENERATION.code()), now);
    assertThat(member.state()).isEqualTo(State.STABLE);
  }

  @Test
  void memberThatIsNotKnownLosesAllAndJoinsUnderAnotherId() {
    enter(0);
    heartbeat(ErrorCode.UNKNOWN_MEMBER_ID);
    assertThat(host.take()).containsExactly("lost UNKNOWN_MEMBER_ID");
    assertThat(member.refusesCommits()).isTrue();
    pass(10 * INTERVAL);
    assertThat(member.join(now)).isNull();
    assertThat(member.heartbeat(now)).isNull();
    member.lossHandled(now);
    JoinGroupRequest again = join();
    assertThat(again.memberId()).isEmpty();
    assertThat(subscriptionOf(again).owned()).isEmpty();
    assertThat(again.reason()).isEqualTo("the member was thrown out: UNKNOWN_MEMBER_ID");
    assertThat(states).containsExactly(State.LOST, State.JOINING);
  }

  @Test
  void memberOfAGenerationThatIsOverKeepsItsId() {
    enter(0);
    heartbeat(ErrorCode.ILLEGAL_GENERATION);
    assertThat(host.take()).containsExactly("lost ILLEGAL_GENERATION");
    member.lossHandled(now);
    assertThat(join().memberId()).isEqualTo("me");
  }

  @Test
  void cooperativeMemberThatIsNotKnownWhenItJoinsLosesWhatItKept() {
    member = member(Assignors.cooperativeSticky());
    enter(0);
    heartbeat(ErrorCode.REBALANCE_IN_PROGRESS);
    join();
    member.onJoined(joinRefusal(ErrorCode.UNKNOWN_MEMBER_ID), now);
    assertThat(host.take()).containsExactly("lost UNKNOWN_MEMBER_ID");
  }

  @Test
  void reconciliationOfTheTimeBeforeALossCountsForNothing() {
    member.subscribe(Set.of("orders"), now);
    join();
    member.onJoined(joined(3), now);
    sync(0);
    int old = host.number;
    heartbeat(ErrorCode.UNKNOWN_MEMBER_ID);
    member.reconciled(old, now);
    assertThat(member.state()).isEqualTo(State.LOST);
    member.lossHandled(now);
    join();
    member.onJoined(joined(9), now);
    sync(5);
    member.reconciled(old, now);
    assertThat(member.state()).isEqualTo(State.RECONCILING);
  }

  @Test
  void fencedInstanceIdEndsTheMembershipWithAdviceInTheMessage() {
    enter(0);
    heartbeat(ErrorCode.FENCED_INSTANCE_ID);
    assertThat(host.take()).containsExactly("lost FENCED_INSTANCE_ID", "failed FENCED_INSTANCE_ID");
    assertThat(failure).contains("another consumer has the instance id till-1: give each an id of its own");
    assertThat(member.isActive()).isFalse();
  }

  /** The member joined as another one, and the group waited until the session of the former one expired. */
  @Test
  void memberKeepsItsIdAndItsPartitionsWhileItHasNoRights() {
    enter(0);
    heartbeat(ErrorCode.GROUP_AUTHORIZATION_FAILED);
    assertThat(host.take()).containsExactly("refused GROUP_AUTHORIZATION_FAILED",
        "retried GROUP_AUTHORIZATION_FAILED");
    assertThat(member.state()).isEqualTo(State.STABLE);
    pass(1_000);
    HeartbeatRequest again = Objects.requireNonNull(member.heartbeat(now), "a heartbeat");
    assertThat(again.memberId()).isEqualTo("me");
    assertThat(again.generationId()).isEqualTo(3);
    member.onHeartbeat(new HeartbeatResponse(), now);
    assertThat(host.take()).isEmpty();
    assertThat(member.takesCommits()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"GROUP_AUTHORIZATION_FAILED", "GROUP_MAX_SIZE_REACHED", "INCONSISTENT_GROUP_PROTOCOL"})
  void joinThatIsRefusedForNowIsReportedAndRepeatedUnderTheSameId(ErrorCode code) {
    enter(0);
    heartbeat(ErrorCode.REBALANCE_IN_PROGRESS);
    member.reconciled(host.number, now);
    host.take();
    for (int i = 0; i < 20; i++) {
      assertThat(join().memberId()).isEqualTo("me");
      member.onJoined(joinRefusal(code), now);
      assertThat(host.take()).containsExactly("refused " + code, "retried " + code);
      pass(1_000);
    }
    join();
    member.onJoined(joined(4), now);
    assertThat(member.sync()).isNotNull();
    member.onSynced(new SyncGroupResponse().errorCode(code.code()), now);
    assertThat(host.take()).containsExactly("follow", "refused " + code, "retried " + code);
    pass(1_000);
    assertThat(join().memberId()).isEqualTo("me");
  }

  @Test
  void assignorThatNoOtherMemberHasIsNamed() {
    member.subscribe(Set.of("orders"), now);
    join();
    member.onJoined(joinRefusal(ErrorCode.INCONSISTENT_GROUP_PROTOCOL), now);
    assertThat(failure).contains("this consumer has the assignors range, cooperative-sticky");
  }

  @Test
  void protocolThatWasNotOfferedIsRefused() {
    for (JoinGroupResponse lie : List.of(joined(3).protocolName("fair"), joined(3).protocolName(null),
        joined(3).protocolType("connect"), joined(-1), joined(3).memberId(""))) {
      member = member(Assignors.range());
      member.subscribe(Set.of("orders"), now);
      join();
      member.onJoined(lie, now);
      assertThat(host.take()).containsExactly("failed INCONSISTENT_GROUP_PROTOCOL");
    }
  }

  @Test
  void assignmentThatCannotBeReadIsRefused() {
    member.subscribe(Set.of("orders"), now);
    join();
    member.onJoined(joined(3), now);
    member.sync();
    member.onSynced(new SyncGroupResponse().assignment(ByteBuffer.wrap(new byte[] {0, 0, 127, 127, 127, 127})), now);
    assertThat(failure).startsWith("group billing, member me, generation 3: the assignment cannot be read: ");
  }

  @Test
  void joinWithoutAResponseIsRepeatedWithGrowingPauses() {
    member.subscribe(Set.of("orders"), now);
    join();
    for (int wait : new int[] {100, 200, 400, 800, 1_000, 1_000}) {
      member.onNoJoin(cut(), now);
      pass(wait - 1);
      assertThat(member.join(now)).isNull();
      pass(1);
      join();
    }
  }

  @Test
  void syncWithoutAResponseIsFollowedByAJoin() {
    enter();
    heartbeat(ErrorCode.REBALANCE_IN_PROGRESS);
    join();
    member.onJoined(joined(4), now);
    member.sync();
    member.onSynced(new SyncGroupResponse().errorCode(ErrorCode.NOT_COORDINATOR.code()), now);
    assertThat(host.take()).containsExactly("follow", "coordinator lost", "retried NOT_COORDINATOR");
    pass(100);
    assertThat(join().memberId()).isEqualTo("me");
  }

  @Test
  void changedTopicsAreSentByAnotherJoin() {
    enter();
    member.subscribe(Set.of("orders"), now);
    assertThat(member.state()).isEqualTo(State.STABLE);
    member.subscribe(Set.of("bills"), now);
    JoinGroupRequest again = join();
    assertThat(subscriptionOf(again).topics()).containsExactly("bills");
    assertThat(again.reason()).isEqualTo("the subscription is another one");
  }

  @Test
  void leaveRequestHasAReasonAndALaterJoinResponseIsDropped() {
    enter();
    heartbeat(ErrorCode.REBALANCE_IN_PROGRESS);
    join();
    member.leave(true);
    LeaveGroupRequest leave = Objects.requireNonNull(member.leaveRequest());
    assertThat(leave.members()).hasSize(1).first().satisfies(m -> {
      assertThat(m.memberId()).isEqualTo("me");
      assertThat(m.groupInstanceId()).isEqualTo("till-1");
      assertThat(m.reason()).isEqualTo("the consumer was closed");
    });
    assertThat(member.leaveRequest()).isNull();
    member.onJoined(joined(4), now);
    assertThat(member.state()).isEqualTo(State.LEAVING);
    member.onLeft(new LeaveGroupResponse(), now);
    assertThat(member.state()).isEqualTo(State.LEFT);
  }

  @Test
  void memberThatRemainsSendsNoLeaveRequest() {
    enter(0);
    member.leave(false);
    assertThat(member.leaveRequest()).isNull();
    assertThat(states).containsExactly(State.LEFT);
  }

  @Test
  void stalledApplicationLeavesAndComesBackWhenItPolls() {
    enter(0);
    member.stalled(new KafkaException(ErrorCode.NONE, "has not polled"));
    assertThat(host.take()).containsExactly("lost NONE");
    assertThat(Objects.requireNonNull(member.leaveRequest()).members().getFirst().reason())
        .contains("max.poll.interval.ms");
    member.onLeft(new LeaveGroupResponse(), now);
    assertThat(member.state()).isEqualTo(State.LOST);
    member.lossHandled(now);
    assertThat(join().memberId()).isEmpty();
  }

  /** A response on its way counted for the next membership. */
  @Test
  void responseToAJoinOfAnEarlierMembershipIsDropped() {
    member = member(Assignors.cooperativeSticky());
    enter(0);
    heartbeat(ErrorCode.REBALANCE_IN_PROGRESS);
    join();
    member.stalled(new KafkaException(ErrorCode.NONE, "has not polled"));
    member.leaveRequest();
    member.onLeft(new LeaveGroupResponse(), now);
    member.lossHandled(now);
    assertThat(member.join(now)).as("the old one is not answered yet").isNull();
    member.onJoined(joined(4), now);
    assertThat(member.generation()).isEqualTo(-1);
    assertThat(join().memberId()).isEmpty();
  }
}
