package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.HeartbeatResponse;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.JoinGroupRequest.JoinGroupRequestProtocol;
import dev.decant.kafka.protocol.message.JoinGroupResponse;
import dev.decant.kafka.protocol.message.LeaveGroupRequest;
import dev.decant.kafka.protocol.message.LeaveGroupRequest.MemberIdentity;
import dev.decant.kafka.protocol.message.LeaveGroupResponse;
import dev.decant.kafka.protocol.message.SyncGroupRequest;
import dev.decant.kafka.protocol.message.SyncGroupRequest.SyncGroupRequestAssignment;
import dev.decant.kafka.protocol.message.SyncGroupResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the coordinator of classic groups responds to each request as Kafka's does, in the time of the test. */
@Timeout(30)
class ClassicGroupTest {
  private static final int SESSION_MILLIS = 10_000;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int REBALANCE_MILLIS = 60_000;

  private final FakeCluster cluster = FakeCluster.builder().brokers(2).setting("group.initial.rebalance.delay.ms", "0")
      .setting("group.max.size", "2").start();
  private final int coordinator = coordinator();
  private RawClient a;
  private RawClient b;

  /**
   * Returns the coordinator among two brokers: the offsets topic has 50 partitions, and the first broker leads the even
   * ones.
   */
  private static int coordinator() {
    return "g".hashCode() % 50 % 2 + 1;
  }

  @BeforeEach
  void connect() throws IOException {
    cluster.clock().stop();
    a = new RawClient(cluster, coordinator, "a");
    b = new RawClient(cluster, coordinator, "b");
  }

  @AfterEach
  void close() throws IOException {
    a.close();
    b.close();
    cluster.close();
  }

  private static JoinGroupRequest joining(String memberId) {
    return new JoinGroupRequest().groupId("g").memberId(memberId).sessionTimeoutMs(SESSION_MILLIS)
        .rebalanceTimeoutMs(REBALANCE_MILLIS).protocolType("consumer")
        .protocols(List.of(new JoinGroupRequestProtocol().name("range").metadata(bytes("topics"))));
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static JoinGroupResponse join(RawClient client, int version, JoinGroupRequest request) throws IOException {
    return client.ask(ApiKey.JOIN_GROUP, version, request::write, JoinGroupResponse::read);
  }

  private static JoinGroupResponse joined(RawClient client, int version) throws IOException {
    return client.receive(ApiKey.JOIN_GROUP, version, JoinGroupResponse::read);
  }

  private static ErrorCode errorOf(short code) {
    return ErrorCode.of(code);
  }

  private static SyncGroupRequest syncing(JoinGroupResponse joined) {
    return new SyncGroupRequest().groupId("g").generationId(joined.generationId()).memberId(joined.memberId())
        .protocolType("consumer").protocolName("range");
  }

  private static SyncGroupResponse sync(RawClient client, SyncGroupRequest request) throws IOException {
    return client.ask(ApiKey.SYNC_GROUP, 5, request::write, SyncGroupResponse::read);
  }

  private static ErrorCode heartbeat(RawClient client, String memberId, int generation) throws IOException {
    HeartbeatRequest request = new HeartbeatRequest().groupId("g").memberId(memberId).generationId(generation);
    return errorOf(client.ask(ApiKey.HEARTBEAT, 4, request::write, HeartbeatResponse::read).errorCode());
  }

  private static LeaveGroupResponse leave(RawClient client, String memberId) throws IOException {
    LeaveGroupRequest request = new LeaveGroupRequest().groupId("g")
        .members(List.of(new MemberIdentity().memberId(memberId)));
    return client.ask(ApiKey.LEAVE_GROUP, 5, request::write, LeaveGroupResponse::read);
  }

  /**
   * Joins as a new member: without an id, and then with the assigned one. The coordinator has the request, and may
   * respond later.
   */
  private String beginJoin(RawClient client) throws IOException {
    JoinGroupResponse first = join(client, 9, joining(""));
    assertThat(errorOf(first.errorCode())).isEqualTo(ErrorCode.MEMBER_ID_REQUIRED);
    client.send(ApiKey.JOIN_GROUP, 9, joining(first.memberId())::write);
    awaitJoin(cluster, first.memberId(), null);
    return first.memberId();
  }

  /** Waits until a JoinGroup has arrived and been handled. */
  private static void awaitJoin(FakeCluster at, String memberId, @Nullable String instanceId) {
    ReceivedRequest unused = at.awaitRequest(r -> r.body() instanceof JoinGroupRequest join
        && join.memberId().equals(memberId) && Objects.equals(join.groupInstanceId(), instanceId), PATIENCE);
  }

  private JoinGroupResponse joinAlone(RawClient client) throws IOException {
    String memberId = beginJoin(client);
    JoinGroupResponse response = joined(client, 9);
    assertThat(errorOf(response.errorCode())).isEqualTo(ErrorCode.NONE);
    assertThat(response.leader()).isEqualTo(memberId).isEqualTo(response.memberId());
    return response;
  }

  /** Makes a stable group of one member. */
  private JoinGroupResponse stable(RawClient client) throws IOException {
    JoinGroupResponse joined = joinAlone(client);
    SyncGroupResponse synced = sync(client, syncing(joined).assignments(List.of(
        new SyncGroupRequestAssignment().memberId(joined.memberId()).assignment(bytes("all")))));
    assertThat(errorOf(synced.errorCode())).isEqualTo(ErrorCode.NONE);
    assertThat(synced.assignment()).isEqualTo(bytes("all"));
    return joined;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
  void aMemberJoinsSyncsBeatsAndLeavesInEachVersion(int version) throws Exception {
    JoinGroupResponse joined = join(a, version, joining(""));
    if (version >= 4) {
      assertThat(errorOf(joined.errorCode())).isEqualTo(ErrorCode.MEMBER_ID_REQUIRED);
      joined = join(a, version, joining(joined.memberId()));
    }
    assertThat(errorOf(joined.errorCode())).isEqualTo(ErrorCode.NONE);
    assertThat(joined.memberId()).startsWith("a-").isEqualTo(joined.leader());
    assertThat(joined.members()).hasSize(1);
    assertThat(joined.members().getFirst().metadata()).isEqualTo(bytes("topics"));
    assertThat(joined.generationId()).isEqualTo(1);
    assertThat(joined.protocolName()).isEqualTo("range");
    SyncGroupRequest sync = new SyncGroupRequest().groupId("g").generationId(1).memberId(joined.memberId());
    int syncVersion = Math.min(version, 5);
    if (syncVersion == 5) {
      sync.protocolType("consumer").protocolName("range");
    }
    SyncGroupResponse synced = a.ask(ApiKey.SYNC_GROUP, syncVersion, sync::write, SyncGroupResponse::read);
    assertThat(errorOf(synced.errorCode())).isEqualTo(ErrorCode.NONE);
    HeartbeatRequest beat = new HeartbeatRequest().groupId("g").memberId(joined.memberId()).generationId(1);
    assertThat(a.ask(ApiKey.HEARTBEAT, Math.min(version, 4), beat::write, HeartbeatResponse::read).errorCode())
        .isZero();
    LeaveGroupRequest leave = new LeaveGroupRequest().groupId("g");
    if (version >= 3) {
      leave.members(List.of(new MemberIdentity().memberId(joined.memberId())));
    } else {
      leave.memberId(joined.memberId());
    }
    LeaveGroupResponse left = a.ask(ApiKey.LEAVE_GROUP, Math.min(version, 5), leave::write, LeaveGroupResponse::read);
    assertThat(left.errorCode()).isZero();
    assertThat(heartbeat(a, joined.memberId(), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
  }

  @Test
  void aSecondMemberBringsBothIntoTheNextGeneration() throws Exception {
    JoinGroupResponse first = stable(a);
    String second = beginJoin(b);
    assertThat(heartbeat(a, first.memberId(), 1)).isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
    JoinGroupResponse again = join(a, 9, joining(first.memberId()));
    assertThat(again.generationId()).isEqualTo(2);
    assertThat(again.members()).extracting(m -> m.memberId()).containsExactly(first.memberId(), second);
    JoinGroupResponse follower = joined(b, 9);
    assertThat(follower.leader()).isEqualTo(first.memberId());
    assertThat(follower.members()).isEmpty();
    b.send(ApiKey.SYNC_GROUP, 5, syncing(follower)::write);
    SyncGroupResponse ofLeader = sync(a, syncing(again).assignments(List.of(
        new SyncGroupRequestAssignment().memberId(second).assignment(bytes("half")))));
    assertThat(ofLeader.assignment().remaining()).isZero();
    assertThat(b.receive(ApiKey.SYNC_GROUP, 5, SyncGroupResponse::read).assignment()).isEqualTo(bytes("half"));
    assertThat(leave(b, second).members().getFirst().errorCode()).isZero();
    assertThat(heartbeat(a, first.memberId(), 2)).isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
  }

  @Test
  void aMemberThatIsNotHeardOfIsRemovedWhenItsSessionEnds() throws Exception {
    JoinGroupResponse first = stable(a);
    cluster.clock().advance(Duration.ofMillis(SESSION_MILLIS - 1));
    assertThat(heartbeat(a, first.memberId(), 1)).isEqualTo(ErrorCode.NONE);
    cluster.clock().advance(Duration.ofMillis(SESSION_MILLIS - 1));
    assertThat(heartbeat(a, first.memberId(), 1)).isEqualTo(ErrorCode.NONE);
    cluster.clock().advance(Duration.ofMillis(SESSION_MILLIS));
    assertThat(joinAlone(b).generationId()).isEqualTo(3); // generation 2 had no members
    assertThat(heartbeat(a, first.memberId(), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
  }

  @Test
  void aMemberThatDoesNotJoinAgainInTimeIsLeftBehind() throws Exception {
    JoinGroupResponse first = stable(a);
    String second = beginJoin(b);
    for (int passed = 0; passed < REBALANCE_MILLIS; passed += SESSION_MILLIS / 2) {
      assertThat(heartbeat(a, first.memberId(), 1)).isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
      cluster.clock().advance(Duration.ofMillis(SESSION_MILLIS / 2));
    }
    assertThat(joined(b, 9).leader()).isEqualTo(second);
    assertThat(heartbeat(a, first.memberId(), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
  }

  @Test
  void aMemberThatDoesNotFetchItsAssignmentInTimeIsRemoved() throws Exception {
    JoinGroupResponse joined = joinAlone(a);
    for (int passed = 0; passed < REBALANCE_MILLIS; passed += SESSION_MILLIS / 2) {
      assertThat(heartbeat(a, joined.memberId(), 1)).isEqualTo(ErrorCode.NONE);
      cluster.clock().advance(Duration.ofMillis(SESSION_MILLIS / 2));
    }
    assertThat(joinAlone(b).memberId()).startsWith("b-");
    assertThat(heartbeat(a, joined.memberId(), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
  }

  @Test
  void anIdThatIsNotUsedInTimeNoLongerHoldsUpTheOthers() throws Exception {
    JoinGroupResponse first = stable(a);
    JoinGroupResponse never = join(b, 9, joining(""));
    a.send(ApiKey.JOIN_GROUP, 9, joining(first.memberId())::write); // the leader joins again, to assign again
    ReceivedRequest unused = cluster.awaitRequest(r -> r.number() == 5, PATIENCE);
    cluster.clock().advance(Duration.ofMillis(SESSION_MILLIS));
    assertThat(joined(a, 9).members()).hasSize(1);
    assertThat(errorOf(join(b, 9, joining(never.memberId())).errorCode())).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
  }

  @Test
  void theFirstRebalanceWaitsForMoreMembersWhileSomeCome() throws Exception {
    try (FakeCluster slow = FakeCluster.builder().setting("group.initial.rebalance.delay.ms", "3000").start();
        RawClient one = new RawClient(slow, 1, "one");
        RawClient two = new RawClient(slow, 1, "two");
        RawClient three = new RawClient(slow, 1, "three")) {
      slow.clock().stop();
      one.send(ApiKey.JOIN_GROUP, 3, joining("")::write);
      assertThat(slow.awaitRequest(r -> r.number() == 1, PATIENCE).api()).isEqualTo(ApiKey.JOIN_GROUP);
      slow.clock().advance(Duration.ofMillis(2_999));
      two.send(ApiKey.JOIN_GROUP, 3, joining("")::write);
      assertThat(slow.awaitRequest(r -> r.number() == 2, PATIENCE).api()).isEqualTo(ApiKey.JOIN_GROUP);
      slow.clock().advance(Duration.ofMillis(2_999));
      three.send(ApiKey.JOIN_GROUP, 3, joining("")::write);
      assertThat(slow.awaitRequest(r -> r.number() == 3, PATIENCE).api()).isEqualTo(ApiKey.JOIN_GROUP);
      slow.clock().advance(Duration.ofSeconds(3));
      slow.clock().advance(Duration.ofSeconds(3));
      int leaders = 0;
      for (RawClient client : List.of(one, two, three)) {
        JoinGroupResponse response = joined(client, 3);
        assertThat(response.generationId()).isEqualTo(1);
        leaders += response.members().size() == 3 ? 1 : 0;
      }
      assertThat(leaders).isEqualTo(1);
    }
  }

  @Test
  void whatDoesNotFitIsRefused() throws Exception {
    assertThat(errorOf(join(a, 9, joining("").groupId("")).errorCode())).isEqualTo(ErrorCode.INVALID_GROUP_ID);
    assertThat(errorOf(join(a, 9, joining("").sessionTimeoutMs(1)).errorCode()))
        .isEqualTo(ErrorCode.INVALID_SESSION_TIMEOUT);
    assertThat(errorOf(join(a, 9, joining("nobody")).errorCode())).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    assertThat(errorOf(join(a, 9, joining("").protocols(List.of())).errorCode()))
        .isEqualTo(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    JoinGroupResponse first = stable(a);
    assertThat(errorOf(join(b, 9, joining("").protocolType("connect")).errorCode()))
        .isEqualTo(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    JoinGroupRequest other = joining("").protocols(List.of(new JoinGroupRequestProtocol().name("sticky")));
    assertThat(errorOf(join(b, 9, other).errorCode())).isEqualTo(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    assertThat(heartbeat(b, "nobody", 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    assertThat(heartbeat(b, first.memberId(), 7)).isEqualTo(ErrorCode.ILLEGAL_GENERATION);
    assertThat(errorOf(sync(b, syncing(first).generationId(7)).errorCode())).isEqualTo(ErrorCode.ILLEGAL_GENERATION);
    assertThat(errorOf(sync(b, syncing(first).protocolName("sticky")).errorCode()))
        .isEqualTo(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    assertThat(errorOf(sync(b, syncing(first).protocolName(null)).errorCode()))
        .isEqualTo(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    assertThat(errorOf(leave(b, "nobody").members().getFirst().errorCode())).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    try (RawClient wrong = new RawClient(cluster, 3 - coordinator, "wrong")) {
      assertThat(errorOf(join(wrong, 9, joining("")).errorCode())).isEqualTo(ErrorCode.NOT_COORDINATOR);
      assertThat(heartbeat(wrong, first.memberId(), 1)).isEqualTo(ErrorCode.NOT_COORDINATOR);
      assertThat(errorOf(leave(wrong, first.memberId()).errorCode())).isEqualTo(ErrorCode.NOT_COORDINATOR);
      assertThat(errorOf(sync(wrong, syncing(first)).errorCode())).isEqualTo(ErrorCode.NOT_COORDINATOR);
    }
  }

  @Test
  void aGroupThatIsFullTakesNobodyElse() throws Exception {
    JoinGroupResponse first = stable(a);
    b.send(ApiKey.JOIN_GROUP, 9, joining("").groupInstanceId("i")::write);
    awaitJoin(cluster, "", "i");
    assertThat(join(a, 9, joining(first.memberId())).members()).hasSize(2);
    assertThat(errorOf(joined(b, 9).errorCode())).isEqualTo(ErrorCode.NONE);
    assertThat(errorOf(join(a, 9, joining("")).errorCode())).isEqualTo(ErrorCode.GROUP_MAX_SIZE_REACHED);
  }

  @Test
  void aStaticMemberThatStartsAgainKeepsItsPlaceAndFencesItsFormerSelf() throws Exception {
    JoinGroupResponse first = join(a, 9, joining("").groupInstanceId("i"));
    assertThat(errorOf(first.errorCode())).isEqualTo(ErrorCode.NONE);
    assertThat(first.memberId()).startsWith("i-");
    SyncGroupRequest sync = syncing(first).groupInstanceId("i").assignments(List.of(
        new SyncGroupRequestAssignment().memberId(first.memberId()).assignment(bytes("all"))));
    assertThat(sync(a, sync).errorCode()).isZero();
    JoinGroupResponse again = join(b, 9, joining("").groupInstanceId("i"));
    assertThat(again.generationId()).isEqualTo(1);
    assertThat(again.skipAssignment()).isTrue();
    assertThat(again.memberId()).isNotEqualTo(first.memberId()).isEqualTo(again.leader());
    assertThat(sync(b, syncing(again).groupInstanceId("i")).assignment()).isEqualTo(bytes("all"));
    HeartbeatRequest old = new HeartbeatRequest().groupId("g").memberId(first.memberId()).groupInstanceId("i")
        .generationId(1);
    assertThat(errorOf(a.ask(ApiKey.HEARTBEAT, 4, old::write, HeartbeatResponse::read).errorCode()))
        .isEqualTo(ErrorCode.FENCED_INSTANCE_ID);
    LeaveGroupRequest byName = new LeaveGroupRequest().groupId("g")
        .members(List.of(new MemberIdentity().groupInstanceId("i"), new MemberIdentity().groupInstanceId("j")));
    assertThat(a.ask(ApiKey.LEAVE_GROUP, 5, byName::write, LeaveGroupResponse::read).members())
        .extracting(m -> errorOf(m.errorCode())).containsExactly(ErrorCode.NONE, ErrorCode.UNKNOWN_MEMBER_ID);
  }

  @Test
  void theNextCoordinatorKnowsTheStableGenerationAndNotWhoWasJoining() throws Exception {
    JoinGroupResponse first = stable(a);
    String second = beginJoin(b);
    cluster.broker(coordinator).kill();
    try (RawClient next = new RawClient(cluster, 3 - coordinator, "next")) {
      assertThat(heartbeat(next, first.memberId(), 1)).isEqualTo(ErrorCode.NONE);
      assertThat(heartbeat(next, second, 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
      cluster.clock().advance(Duration.ofMillis(SESSION_MILLIS));
      assertThat(heartbeat(next, first.memberId(), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    }
  }
}
