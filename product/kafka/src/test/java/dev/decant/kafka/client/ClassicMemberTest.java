package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.assignor.Assignors;
import dev.decant.kafka.assignor.Subscriber;
import dev.decant.kafka.assignor.TopicLayout;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.ScriptedClassicGroup;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.HeartbeatResponse;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.JoinGroupResponse;
import dev.decant.kafka.protocol.message.LeaveGroupRequest;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetFetchRequest;
import dev.decant.kafka.protocol.message.SyncGroupRequest;
import dev.decant.kafka.protocol.message.SyncGroupResponse;
import dev.decant.kafka.serialization.Serdes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a member of a classic group, against a coordinator whose responses the test chooses. */
class ClassicMemberTest extends AgainstScriptedBroker {
  private static final TopicPartition P0 = new TopicPartition(ScriptedBroker.TOPIC, 0);

  private final ScriptedClassicGroup group = broker.state().classicGroup();
  private final List<String> recorded = new ArrayList<>();

  ClassicMemberTest() {
    super(2, LATER);
  }

  private ConsumerBuilder<String, String> member(Assignor assignor) {
    return client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.EARLIEST)
        .fetchMaxWait(Duration.ofMillis(100)).group("billing").groupProtocol(GroupProtocol.CLASSIC)
        .assignors(assignor).heartbeatInterval(Duration.ofMillis(100)).subscribe(ScriptedBroker.TOPIC)
        .rebalanceListener(new RebalanceListener() {
          @Override
          public void onAssigned(List<TopicPartition> partitions) {
            recorded.add("assigned " + partitions.size());
          }

          @Override
          public void onRevoked(List<TopicPartition> partitions) {
            recorded.add("revoked " + partitions.size());
          }

          @Override
          public void onLost(List<TopicPartition> partitions) {
            recorded.add("lost " + partitions.size());
          }
        });
  }

  private static void pollUntil(Consumer<String, String> consumer, List<String> values, BooleanSupplier enough)
      throws InterruptedException {
    long deadline = System.nanoTime() + LATER.toNanos();
    while (!enough.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as("time left; read %s", values).isPositive();
      consumer.poll(Duration.ofMillis(50), record -> values.add(String.valueOf(record.value())));
    }
  }

  private void pollUntilRecorded(Consumer<String, String> consumer, int count) throws InterruptedException {
    pollUntil(consumer, new ArrayList<>(), () -> recorded.size() >= count);
  }

  /** The leader once checked the topics only each {@code metadata.max.age.ms}. */
  @Test
  void deletedTopicLeavesTheGroupSoon() throws InterruptedException {
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = member(Assignors.range()).open()) {
      pollUntilRecorded(consumer, 1);
      broker.state().delete();
      pollUntil(consumer, new ArrayList<>(), () -> recorded.contains("revoked 2") || recorded.contains("lost 2"));
      assertThat(consumer.assignment()).isEmpty();
    }
  }

  /** Only a client made from properties once passed its age on; otherwise five minutes held. */
  @Test
  void leaderChecksForGrownTopicsAsOftenAsItsClientRequestsMetadata() throws InterruptedException {
    try (KafkaClient often = KafkaClient.builder(address()).metadataMaxAge(Duration.ofMillis(200)).build();
        Consumer<String, String> consumer = often.consumer(Serdes.string(), Serdes.string()).group("billing")
            .groupProtocol(GroupProtocol.CLASSIC).heartbeatInterval(Duration.ofMillis(100))
            .subscribe(ScriptedBroker.TOPIC).open()) {
      pollUntil(consumer, new ArrayList<>(), () -> consumer.assignment().size() == 2);
      broker.state().grow(3);
      pollUntil(consumer, new ArrayList<>(), () -> consumer.assignment().size() == 3);
    }
  }

  private static Script refusedJoin(ErrorCode code) {
    return exchange -> exchange.answer(new JoinGroupResponse().errorCode(code.code())::write);
  }

  private static Script refusedBeat(ErrorCode code) {
    return exchange -> exchange.answer(new HeartbeatResponse().errorCode(code.code())::write);
  }

  /**
   * The consumer once joined as another member, and waited for up to 45 s until the group had forgotten the former one.
   */
  @Test
  void memberReadsOnAsTheSameOneWhenItIsGivenItsRightsBack() throws InterruptedException {
    broker.state().store(0, "a");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = member(Assignors.range()).open()) {
      pollUntil(consumer, values, () -> values.size() == 1);
      int joinsBefore = joins().size();
      broker.next(ApiKey.HEARTBEAT, refusedBeat(ErrorCode.GROUP_AUTHORIZATION_FAILED));
      assertThat(failureOf(consumer, values).code()).isEqualTo(ErrorCode.GROUP_AUTHORIZATION_FAILED);
      broker.next(ApiKey.JOIN_GROUP, refusedJoin(ErrorCode.GROUP_AUTHORIZATION_FAILED));
      group.rebalance();
      assertThat(failureOf(consumer, values).code()).isEqualTo(ErrorCode.GROUP_AUTHORIZATION_FAILED);
      broker.state().store(0, "b");
      pollUntil(consumer, values, () -> values.size() == 2);
      String id = joins().get(joinsBefore - 1).memberId();
      assertThat(joins().subList(joinsBefore, joins().size())).hasSizeGreaterThanOrEqualTo(2)
          .allSatisfy(join -> assertThat(join.memberId()).isEqualTo(id));
      assertThat(recorded).containsExactly("assigned 2", "revoked 2", "assigned 2");
    }
    assertThat(broker.requests(ApiKey.LEAVE_GROUP)).hasSize(1);
  }

  private List<JoinGroupRequest> joins() {
    return broker.requests(ApiKey.JOIN_GROUP).stream().map(r -> (JoinGroupRequest) r.body()).toList();
  }

  private static JoinGroupResponse joined(Exchanged exchanged) {
    return new JoinGroupResponse().generationId(7).protocolType("consumer").protocolName("range").leader("other")
        .memberId(exchanged.memberId());
  }

  /** The content of a join. */
  private record Exchanged(String memberId) {
    static Exchanged of(Request request) {
      return new Exchanged(((JoinGroupRequest) request.body()).memberId());
    }
  }

  @Test
  void leaderJoinsTwiceAssignsSyncsReadsAndSaysWhyItLeaves() throws InterruptedException {
    broker.state().store(0, "a", "b");
    broker.state().store(1, "x");
    RecordingMeter meter = RecordingMeter.of(client);
    try (Consumer<String, String> consumer = member(Assignors.range()).open()) {
      assertThat(read(consumer, 3)).containsExactlyInAnyOrder("a", "b", "x");
      assertThat(recorded).containsExactly("assigned 2");
      pollUntil(consumer, new ArrayList<>(), () -> meter.recorded.contains("rebalanced"));
      assertThat(meter.recorded).as("the join that gave the member its id alone is none")
          .filteredOn(line -> !line.startsWith("fetch")).containsExactly("joined", "synced", "rebalanced");
      assertThat(consumer.groupMetadata()).isEqualTo(new GroupMetadata("billing", 1, "member-1", null));
    }
    assertThat(recorded).containsExactly("assigned 2", "revoked 2");
    assertThat(joins().stream().map(JoinGroupRequest::memberId)).containsExactly("", "member-1");
    assertThat(broker.state().group().committed(0)).isEqualTo(2);
    OffsetCommitRequest commit = (OffsetCommitRequest) broker.requests(ApiKey.OFFSET_COMMIT).getLast().body();
    assertThat(commit.memberId()).isEqualTo("member-1");
    assertThat(commit.generationIdOrMemberEpoch()).isEqualTo(1);
    OffsetFetchRequest asked = (OffsetFetchRequest) broker.requests(ApiKey.OFFSET_FETCH).getFirst().body();
    assertThat(asked.groups().getFirst().memberId()).as("reading needs no membership").isNull();
    LeaveGroupRequest leave = (LeaveGroupRequest) broker.requests(ApiKey.LEAVE_GROUP).getFirst().body();
    assertThat(leave.members().getFirst().reason()).isEqualTo("the consumer was closed");
  }

  @Test
  void eagerMemberCommitsThenRevokesThenJoins() throws InterruptedException {
    broker.state().store(0, "a");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = member(Assignors.range()).open()) {
      pollUntil(consumer, values, () -> values.size() == 1);
      group.rebalance();
      pollUntilRecorded(consumer, 3);
      assertThat(recorded).containsExactly("assigned 2", "revoked 2", "assigned 2");
      broker.state().store(0, "b");
      pollUntil(consumer, values, () -> values.size() == 2);
      assertThat(values).as("it goes on where it committed").containsExactly("a", "b");
    }
    List<ApiKey> order = broker.requests().stream().map(Request::api)
        .filter(api -> api == ApiKey.OFFSET_COMMIT || api == ApiKey.JOIN_GROUP).toList();
    assertThat(order).startsWith(ApiKey.JOIN_GROUP, ApiKey.JOIN_GROUP, ApiKey.OFFSET_COMMIT, ApiKey.JOIN_GROUP);
  }

  @Test
  void cooperativeMemberReadsOnWhileItsJoinHasNoResponse() throws InterruptedException {
    broker.state().store(0, "a");
    List<String> values = new ArrayList<>();
    CountDownLatch permission = new CountDownLatch(1);
    try (Consumer<String, String> consumer = member(Assignors.cooperativeSticky()).open()) {
      pollUntil(consumer, values, () -> values.size() == 1);
      broker.next(ApiKey.JOIN_GROUP, Script.after(permission, Script.STANDARD));
      group.rebalance();
      broker.await(ApiKey.JOIN_GROUP, 3);
      int beats = broker.requests(ApiKey.HEARTBEAT).size();
      broker.state().store(0, "b");
      pollUntil(consumer, values, () -> values.size() == 2);
      consumer.commit();
      assertThat(broker.state().group().committed(0)).as("commits go past the join").isEqualTo(2);
      broker.await(ApiKey.HEARTBEAT, beats + 2);
      permission.countDown();
      broker.await(ApiKey.SYNC_GROUP, 2);
      assertThat(recorded).containsExactly("assigned 2");
    }
  }

  @Test
  void heartbeatsNeedNoPolls() throws InterruptedException {
    try (Consumer<String, String> consumer = member(Assignors.range()).open()) {
      pollUntilRecorded(consumer, 1);
      broker.await(ApiKey.HEARTBEAT, broker.requests(ApiKey.HEARTBEAT).size() + 5);
      assertThat(consumer.assignment()).hasSize(2);
    }
  }

  @Test
  void commitOfTheListenerGoesBeforeTheJoinThoughNobodyWaitsForIt() throws InterruptedException {
    List<Consumer<String, String>> opened = new ArrayList<>();
    try (Consumer<String, String> consumer = member(Assignors.range()).autoCommit(false)
        .rebalanceListener(new RebalanceListener() {
          @Override
          public void onAssigned(List<TopicPartition> partitions) {
            recorded.add("assigned");
          }

          @Override
          public void onRevoked(List<TopicPartition> partitions) {
            opened.getFirst().commitAsync(Map.of(P0, new OffsetAndMetadata(4)), null);
            opened.getFirst().commitAsync(Map.of(P0, new OffsetAndMetadata(5)), null);
          }
        }).open()) {
      opened.add(consumer);
      pollUntilRecorded(consumer, 1);
      group.rebalance();
      pollUntilRecorded(consumer, 2);
      assertThat(broker.state().group().committed(0)).isEqualTo(5);
      List<ApiKey> order = broker.requests().stream().map(Request::api)
          .filter(api -> api == ApiKey.OFFSET_COMMIT || api == ApiKey.JOIN_GROUP).toList();
      assertThat(order).containsExactly(ApiKey.JOIN_GROUP, ApiKey.JOIN_GROUP, ApiKey.OFFSET_COMMIT,
          ApiKey.OFFSET_COMMIT, ApiKey.JOIN_GROUP);
    }
  }

  /** A pending commit was once sent again in the next generation, when others had the partition. */
  @Test
  void pendingCommitOfARemovedMemberIsNotSentAgain() throws InterruptedException {
    List<String> ends = new ArrayList<>();
    CountDownLatch refuse = new CountDownLatch(1);
    CountDownLatch cut = new CountDownLatch(1);
    try (Consumer<String, String> consumer = member(Assignors.cooperativeSticky()).autoCommit(false).open()) {
      pollUntilRecorded(consumer, 1);
      broker.next(ApiKey.JOIN_GROUP, Script.after(refuse, refusedJoin(ErrorCode.UNKNOWN_MEMBER_ID)));
      group.rebalance();
      broker.await(ApiKey.JOIN_GROUP, 3);
      broker.next(ApiKey.OFFSET_COMMIT, Script.after(cut, Script.CUT));
      consumer.commitAsync(Map.of(P0, new OffsetAndMetadata(4)), (offsets, error) -> ends.add(String.valueOf(error)));
      broker.await(ApiKey.OFFSET_COMMIT, 1);
      refuse.countDown();
      pollUntil(consumer, new ArrayList<>(), () -> recorded.contains("lost 2"));
      cut.countDown();
      pollUntil(consumer, new ArrayList<>(), () -> ends.size() == 1 && recorded.size() == 3);
      assertThat(ends.getFirst()).contains("UNKNOWN_MEMBER_ID");
      assertThat(broker.requests(ApiKey.OFFSET_COMMIT)).hasSize(1);
    }
  }

  @Test
  void memberThatIsForgottenSeesItsLossAndJoinsAgain() throws InterruptedException {
    broker.state().store(0, "a");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = member(Assignors.range()).autoCommit(false).open()) {
      pollUntil(consumer, values, () -> values.size() == 1);
      group.expire();
      pollUntil(consumer, values, () -> values.size() == 2);
      assertThat(recorded).containsExactly("assigned 2", "lost 2", "assigned 2");
    }
    assertThat(joins().stream().map(JoinGroupRequest::memberId)).containsExactly("", "member-1", "", "member-2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "REBALANCE_IN_PROGRESS"})
  void commitThatTheGroupRefusesSaysWhyAndWhatToDo(ErrorCode code) throws InterruptedException {
    try (Consumer<String, String> consumer = member(Assignors.range()).autoCommit(false).open()) {
      pollUntilRecorded(consumer, 1);
      broker.next(ApiKey.OFFSET_COMMIT, exchange -> exchange.answer(broker.state().group()
          .answer((OffsetCommitRequest) exchange.request().body(), code)::write));
      assertThatThrownBy(() -> consumer.commit(Map.of(P0, new OffsetAndMetadata(1)))).isInstanceOf(
          KafkaException.class).hasMessageContaining("commit of orders-0 in group billing").hasMessageContaining(
              code + "; the partition may have another owner by now")
          .hasMessageContaining("commit in onRevoked");
      assertThat(broker.requests(ApiKey.OFFSET_COMMIT)).hasSize(1);
    }
  }

  @Test
  void cooperativeMemberRepeatsACommitThatAMereRebalanceHasRefused() throws InterruptedException {
    try (Consumer<String, String> consumer = member(Assignors.cooperativeSticky()).autoCommit(false).open()) {
      pollUntilRecorded(consumer, 1);
      broker.next(ApiKey.OFFSET_COMMIT, exchange -> exchange.answer(broker.state().group()
          .answer((OffsetCommitRequest) exchange.request().body(), ErrorCode.REBALANCE_IN_PROGRESS)::write));
      consumer.commit(Map.of(P0, new OffsetAndMetadata(1)));
      assertThat(broker.state().group().committed(0)).isEqualTo(1);
    }
  }

  @Test
  void memberWhoseSubscriptionIsGarbageGetsNothingAndKeepsNobodyFromReading() throws InterruptedException {
    broker.state().store(0, "a");
    ByteBuffer lie = ByteBuffer.wrap(new byte[] {0, 1, 127, -1, -1, -1, 0, 1});
    ByteBuffer real = ConsumerProtocol.serializeSubscription(new Subscription(List.of(ScriptedBroker.TOPIC)));
    group.add("broken", lie);
    group.add("sound", real);
    try (Consumer<String, String> consumer = member(Assignors.range()).open()) {
      pollUntilRecorded(consumer, 1);
      assertThat(recorded).containsExactly("assigned 1");
    }
    SyncGroupRequest sync = (SyncGroupRequest) broker.requests(ApiKey.SYNC_GROUP).getFirst().body();
    assertThat(sync.assignments().stream().map(SyncGroupRequest.SyncGroupRequestAssignment::memberId))
        .containsExactlyInAnyOrder("sound", "member-1");
  }

  @Test
  void partitionThatSomebodyElseStillHasIsHeldBack() throws InterruptedException {
    group.add("other", ConsumerProtocol.serializeSubscription(new Subscription(List.of(ScriptedBroker.TOPIC), null,
        List.of(new org.apache.kafka.common.TopicPartition("orders", 0),
            new org.apache.kafka.common.TopicPartition("orders", 1)))));
    try (Consumer<String, String> consumer = member(Assignors.cooperativeSticky()).open()) {
      broker.await(ApiKey.SYNC_GROUP, 1);
      SyncGroupRequest sync = (SyncGroupRequest) broker.requests(ApiKey.SYNC_GROUP).getFirst().body();
      Map<String, Integer> counts = new HashMap<>();
      sync.assignments().forEach(a -> counts.put(a.memberId(),
          ConsumerProtocol.deserializeAssignment(a.assignment()).partitions().size()));
      assertThat(counts).containsExactlyInAnyOrderEntriesOf(Map.of("other", 1, "member-1", 0));
      assertThat(consumer.assignment()).isEmpty();
    }
  }

  @Test
  void assignmentWhoseLengthsLieIsAnErrorOfPollThatNamesTheGroup() throws InterruptedException {
    byte[][] lies = {{0, 3, 127, -1, -1, -1}, {0, 3, 0, 0, 0, 1, 0, 1, 'a', 127, -1, -1, -1},
        {0, 3, 0, 0, 0, 1, 0, 1, 'a', 0, 0, 0, 1, -1, -1, -1, -1}, {0, 3, 0, 0, 0, 1, -1, -1}, {9},
        {-1, -1, 0, 0, 0, 0}};
    for (byte[] lie : lies) {
      broker.next(ApiKey.SYNC_GROUP, exchange -> exchange.answer(new SyncGroupResponse().protocolType("consumer")
          .protocolName("range").assignment(ByteBuffer.wrap(lie))::write));
      try (Consumer<String, String> consumer = member(Assignors.range()).open()) {
        assertThat(failureOf(consumer, new ArrayList<>())).hasMessageStartingWith("group billing, member member-")
            .hasMessageContaining("the assignment cannot be read: ");
      }
    }
  }

  @Test
  void protocolsThatNobodyHasOfferedAreAnErrorOfPoll() throws InterruptedException {
    List<Script> lies = List.of(
        exchange -> exchange.answer(joined(Exchanged.of(exchange.request())).protocolName("fair")::write),
        exchange -> exchange.answer(joined(Exchanged.of(exchange.request())).protocolName(null)::write),
        exchange -> exchange.answer(joined(Exchanged.of(exchange.request())).protocolType("connect")::write),
        exchange -> exchange.answer(joined(Exchanged.of(exchange.request())).generationId(-5)::write));
    for (Script lie : lies) {
      broker.next(ApiKey.JOIN_GROUP, Script.STANDARD, lie);
      try (Consumer<String, String> consumer = member(Assignors.range()).open()) {
        assertThat(failureOf(consumer, new ArrayList<>()))
            .hasMessageContaining("this consumer has the assignors range");
      }
    }
  }

  @Test
  void joinIsRepeatedAfterEverythingThatPasses() throws InterruptedException {
    broker.next(ApiKey.JOIN_GROUP, refusedJoin(ErrorCode.MEMBER_ID_REQUIRED),
        refusedJoin(ErrorCode.UNKNOWN_MEMBER_ID), refusedJoin(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS),
        refusedJoin(ErrorCode.REBALANCE_IN_PROGRESS), refusedJoin(ErrorCode.NOT_COORDINATOR));
    try (Consumer<String, String> consumer = member(Assignors.range()).open()) {
      pollUntilRecorded(consumer, 1);
    }
    assertThat(joins()).hasSize(7);
  }

  @Test
  void joinThatHasNoResponseEndsWithItsConnectionAndIsSentAgain() throws Exception {
    broker.next(ApiKey.JOIN_GROUP, Script.STANDARD, Script.CUT, Script.SILENCE);
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = member(Assignors.range()).open()) {
      broker.await(ApiKey.JOIN_GROUP, 3);
      assertThat(consumer.poll(SOON, record -> {})).isZero();
      broker.cutAll();
      assertThat(read(consumer, 1)).containsExactly("a");
    }
  }

  @Test
  void syncThatIsCutIsFollowedByAnotherJoin() throws InterruptedException {
    broker.next(ApiKey.SYNC_GROUP, Script.CUT);
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = member(Assignors.range()).open()) {
      assertThat(read(consumer, 1)).containsExactly("a");
    }
    assertThat(joins().stream().map(JoinGroupRequest::memberId)).containsExactly("", "member-1", "member-1");
  }

  @Test
  void anotherCoordinatorIsLookedUpAndNothingIsLost() throws InterruptedException {
    broker.state().store(0, "a");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = member(Assignors.range()).open()) {
      pollUntil(consumer, values, () -> values.size() == 1);
      broker.next(ApiKey.HEARTBEAT, refusedBeat(ErrorCode.NOT_COORDINATOR));
      broker.await(ApiKey.FIND_COORDINATOR, 3);
      broker.state().store(0, "b");
      pollUntil(consumer, values, () -> values.size() == 2);
      consumer.commit();
      assertThat(recorded).containsExactly("assigned 2");
    }
  }

  @Test
  void closingIsBoundedThoughTheCoordinatorSaysNothing() throws InterruptedException {
    Consumer<String, String> consumer = member(Assignors.range()).open();
    pollUntilRecorded(consumer, 1);
    broker.always(ApiKey.LEAVE_GROUP, Script.SILENCE);
    long before = System.nanoTime();
    consumer.close(SOON, GroupMembershipOperation.DEFAULT);
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(LATER.dividedBy(2));
  }

  /** An assignor that returns invalid assignments, or throws. */
  private record Careless(Function<String, Map<String, List<TopicPartition>>> gives) implements Assignor {
    @Override
    public String name() {
      return "careless";
    }

    @Override
    public Kind kind() {
      return Kind.EAGER;
    }

    @Override
    public Map<String, List<TopicPartition>> assign(Map<String, TopicLayout> topics, List<Subscriber> members) {
      return gives.apply(members.getFirst().memberId());
    }
  }

  @Test
  void assignorThatFailsIsNamed() throws InterruptedException {
    Map<String, Function<String, Map<String, List<TopicPartition>>>> cases = Map.of("no idea", me -> {
      throw new IllegalStateException("no idea");
    }, "it has given partitions to somebody, which is no member", me -> Map.of("somebody", List.of(P0)),
        "it has given orders-0 twice", id -> Map.of(id, List.of(P0, P0)), "it has given orders-2, which is not there",
        id -> Map.of(id, List.of(new TopicPartition(ScriptedBroker.TOPIC, 2))));
    for (Map.Entry<String, Function<String, Map<String, List<TopicPartition>>>> each : cases.entrySet()) {
      try (Consumer<String, String> consumer = member(new Careless(each.getValue())).open()) {
        assertThat(failureOf(consumer, new ArrayList<>())).hasMessageContaining("assignor careless has failed: ")
            .hasMessageContaining(each.getKey());
      }
    }
  }

  /** The group once had no assignment from then on, and poll never reported why. */
  @Test
  void assignorThatThrowsAnErrorIsNamed() throws InterruptedException {
    try (Consumer<String, String> consumer = member(new Careless(me -> {
      throw new AssertionError("broken");
    })).open()) {
      assertThat(failureOf(consumer, new ArrayList<>())).hasMessageContaining("assignor careless has failed: broken");
    }
    broker.await(ApiKey.LEAVE_GROUP, 1);
  }

  /** An assignor that throws when it is asked for its subscription data. */
  private record Speechless(AtomicReference<Throwable> failure) implements Assignor {
    @Override
    public String name() {
      return "speechless";
    }

    @Override
    public Kind kind() {
      return Kind.COOPERATIVE;
    }

    @Override
    public byte[] userData(int ownedGeneration) {
      if (failure.get() instanceof Error error) {
        throw error;
      } else if (failure.get() instanceof RuntimeException exception) {
        throw exception;
      }
      return new byte[0];
    }

    @Override
    public Map<String, List<TopicPartition>> assign(Map<String, TopicLayout> topics, List<Subscriber> members) {
      return Map.of(members.getFirst().memberId(), List.of(P0));
    }
  }

  /** The join once counted as pending and was never sent: poll returned no record for ever. */
  @Test
  void assignorThatCannotSayWhatItWantsIsNamed() throws InterruptedException {
    for (Throwable each : List.of(new IllegalStateException("no words"), new AssertionError("no words"))) {
      try (Consumer<String, String> consumer = member(new Speechless(new AtomicReference<>(each))).open()) {
        assertThat(failureOf(consumer, new ArrayList<>()))
            .hasMessage("group billing: assignor speechless has failed: no words").hasCause(each);
      }
    }
  }

  @Test
  void memberWhoseAssignorFailsLaterLosesItsPartitionsAndLeaves() throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (Consumer<String, String> consumer = member(new Speechless(failure)).open()) {
      pollUntilRecorded(consumer, 1);
      failure.set(new IllegalStateException("no words"));
      group.rebalance();
      assertThat(failureOf(consumer, new ArrayList<>())).hasMessageContaining("assignor speechless has failed");
      broker.await(ApiKey.LEAVE_GROUP, 1);
      assertThat(recorded).containsExactly("assigned 1", "lost 1");
    }
  }

  /**
   * Tests the same as under the consumer protocol. The coordinator has two connections, the second one for joins and
   * syncs.
   */
  @ParameterizedTest
  @EnumSource(names = {"JOIN_GROUP", "SYNC_GROUP", "HEARTBEAT"})
  void oneConnectionsDamagedTableOfVersionsIsNotBelieved(ApiKey api) throws InterruptedException {
    damageVersions(api, 2, 3);
    try (Consumer<String, String> consumer = member(Assignors.range()).open()) {
      pollUntil(consumer, new ArrayList<>(), () -> !recorded.isEmpty() && !broker.requests(ApiKey.HEARTBEAT).isEmpty());
      assertThat(recorded).containsExactly("assigned 2");
    }
    assertThat(broker.requests(api)).isNotEmpty().noneMatch(request -> request.connection() == 2);
  }

  @Test
  void contradictorySettingsAreNamed() {
    assertRefused(client.consumer(Serdes.string(), Serdes.string()).group("g").subscribe("t")
        .sessionTimeout(Duration.ofSeconds(9)), "session.timeout.ms: the broker decides that where group.protocol is");
    assertRefused(client.consumer(Serdes.string(), Serdes.string()).group("g").subscribe("t")
        .metadataMaxAge(Duration.ofSeconds(9)), "metadata.max.age.ms: the broker decides that where group.protocol is");
    assertRefused(member(Assignors.range()).assignor("uniform"), "group.remote.assignor: the broker does not divide");
    assertRefused(member(Assignors.range()).sessionTimeout(Duration.ofMillis(100)),
        "heartbeat.interval.ms: 100 is not less than session.timeout.ms, 100");
    assertRefused(member(Assignors.range()).subscribePattern("a["), "subscribePattern: \"a[\" is no expression");
    assertThatThrownBy(() -> member(Assignors.range()).assignors(Assignors.range(), Assignors.range()))
        .hasMessage("partition.assignment.strategy: range is named twice");
    assertThatThrownBy(() -> member(Assignors.range()).properties(Map.of("partition.assignment.strategy", "sticky")))
        .hasMessageStartingWith("partition.assignment.strategy: \"sticky\" is no assignor: use range, ");
    assertThatThrownBy(() -> member(Assignors.range()).properties(Map.of("group.protocol", "old")))
        .hasMessage("group.protocol: \"old\" is no protocol: use classic or consumer");
    assertThat(member(Assignors.range()).properties(Map.of("partition.assignment.strategy",
        "org.apache.kafka.clients.consumer.CooperativeStickyAssignor, range", "group.protocol", "CLASSIC")).settings())
        .containsEntry("partition.assignment.strategy", "cooperative-sticky,range")
        .containsEntry("group.protocol", "classic");
  }

  private static void assertRefused(ConsumerBuilder<String, String> builder, String message) {
    assertThatThrownBy(builder::open).isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith(message);
  }
}
