package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.ScriptedGroup;
import dev.decant.kafka.broker.ScriptedState;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.event.GroupListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.kafka.protocol.message.FindCoordinatorRequest;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetCommitResponse;
import dev.decant.kafka.protocol.message.OffsetFetchRequest;
import dev.decant.kafka.protocol.message.OffsetFetchResponse;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a member of a group, against a coordinator whose responses the test chooses. */
class GroupMemberTest extends AgainstScriptedBroker {
  private static final TopicPartition P0 = new TopicPartition(ScriptedBroker.TOPIC, 0);
  private static final TopicPartition P1 = new TopicPartition(ScriptedBroker.TOPIC, 1);

  private final ScriptedGroup group = broker.state().group();
  private final RebalanceNotes notes = new RebalanceNotes();
  private final List<String> recorded = notes.recorded;

  GroupMemberTest() {
    super(2, LATER);
  }

  private ConsumerBuilder<String, String> member() {
    return client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.EARLIEST)
        .fetchMaxWait(Duration.ofMillis(100)).group("billing").subscribe(ScriptedBroker.TOPIC)
        .rebalanceListener(notes);
  }

  private static void pollUntil(Consumer<String, String> consumer, List<String> values, BooleanSupplier enough)
      throws InterruptedException {
    long deadline = System.nanoTime() + LATER.toNanos();
    while (!enough.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as("time left; read %s", values).isPositive();
      consumer.poll(Duration.ofMillis(50), record -> values.add(String.valueOf(record.value())));
    }
  }

  private static Script refusal(ErrorCode code) {
    return exchange -> exchange.answer(new ConsumerGroupHeartbeatResponse().errorCode(code.code())
        .errorMessage("so it is")::write);
  }

  private List<ConsumerGroupHeartbeatRequest> beats() {
    return broker.requests(ApiKey.CONSUMER_GROUP_HEARTBEAT).stream()
        .map(r -> (ConsumerGroupHeartbeatRequest) r.body()).toList();
  }

  @Test
  void memberGoesOnAtTheCommittedOffsetAndElsewhereWhereTheResetSays() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    broker.state().store(1, "x", "y");
    group.commit(0, 2);
    try (Consumer<String, String> consumer = member().open()) {
      assertThat(read(consumer, 3)).containsExactlyInAnyOrder("c", "x", "y");
      assertThat(recorded).containsExactly("assigned [orders-0, orders-1]");
      assertThat(consumer.assignment()).containsExactly(P0, P1);
      assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(3);
    }
    assertThat(recorded).containsExactly("assigned [orders-0, orders-1]", "revoked [orders-0, orders-1]");
    assertThat(group.committed(0)).isEqualTo(3);
    assertThat(group.committed(1)).isEqualTo(2);
    assertThat(beats().getLast().memberEpoch()).isEqualTo(-1);
  }

  @Test
  void revokedPartitionIsCommittedThenReportedThenAcknowledgedAndNeverReadAgain() throws InterruptedException {
    broker.state().store(0, "a");
    broker.state().store(1, "x");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = member().open()) {
      pollUntil(consumer, values, () -> values.size() == 2);
      group.assign(0);
      pollUntil(consumer, values, () -> recorded.contains("revoked [orders-1]"));
      broker.state().store(1, "never");
      broker.state().store(0, "b");
      pollUntil(consumer, values, () -> values.size() == 3);
      assertThat(values).containsExactlyInAnyOrder("a", "x", "b");
      broker.await(ApiKey.CONSUMER_GROUP_HEARTBEAT, request -> owned().contains(List.of(0)));
    }
    List<ApiKey> order = broker.requests().stream().filter(r -> acknowledges(r) || r.api() == ApiKey.OFFSET_COMMIT)
        .map(Request::api).toList();
    assertThat(order).startsWith(ApiKey.OFFSET_COMMIT, ApiKey.CONSUMER_GROUP_HEARTBEAT);
  }

  /** Responds to a commit, and refuses the offsets of one partition. */
  private void refuseCommitsOf(int partition, ErrorCode code) {
    broker.always(ApiKey.OFFSET_COMMIT, exchange -> {
      OffsetCommitRequest request = (OffsetCommitRequest) exchange.request().body();
      OffsetCommitResponse answer = group.answer(request, ErrorCode.NONE);
      answer.topics().forEach(t -> t.partitions().stream().filter(p -> p.partitionIndex() == partition)
          .forEach(p -> p.errorCode(code.code())));
      exchange.answer(answer::write);
    });
  }

  /**
   * A commit for a deleted topic was once repeated for half the revocation timeout, and all others waited behind it.
   */
  @ParameterizedTest
  @ValueSource(strings = {"UNKNOWN_TOPIC_OR_PARTITION", "UNKNOWN_TOPIC_ID"})
  void deletedPartitionHoldsUpNeitherItsRevocationNorOtherCommits(ErrorCode code) throws InterruptedException {
    broker.state().store(0, "a");
    broker.state().store(1, "x");
    List<String> values = new ArrayList<>();
    refuseCommitsOf(1, code);
    try (Consumer<String, String> consumer = member().autoCommitInterval(LATER.multipliedBy(5)).open()) {
      pollUntil(consumer, values, () -> values.size() == 2);
      group.assign(0);
      pollUntil(consumer, values, () -> recorded.contains("revoked [orders-1]"));
      consumer.commit();
      assertThat(group.committed(0)).isEqualTo(1);
    }
  }

  @Test
  void commitNamesTheDeletedPartitionAndStoresTheOthers() throws InterruptedException {
    refuseCommitsOf(1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    try (Consumer<String, String> consumer = member().autoCommit(false).open()) {
      pollUntil(consumer, new ArrayList<>(), () -> recorded.size() == 1);
      assertThatThrownBy(() -> consumer.commit(Map.of(P0, new OffsetAndMetadata(3), P1, new OffsetAndMetadata(4))))
          .isInstanceOf(KafkaException.class).hasMessageContaining("commit of orders-1 in group billing")
          .hasMessageContaining("UNKNOWN_TOPIC_OR_PARTITION");
      assertThat(group.committed(0)).isEqualTo(3);
    }
  }

  /** An immutable copy once put the partitions into an order that changed with each JVM. */
  @Test
  void commitKeepsTheOrderOfTheMap() throws InterruptedException {
    try (Consumer<String, String> consumer = member().autoCommit(false).open()) {
      pollUntil(consumer, new ArrayList<>(), () -> !recorded.isEmpty());
      for (List<TopicPartition> order : List.of(List.of(P0, P1), List.of(P1, P0))) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
        order.forEach(p -> offsets.put(p, new OffsetAndMetadata(3)));
        consumer.commit(offsets);
        assertThat(partitionsOfLastCommit()).isEqualTo(order.stream().map(TopicPartition::partition).toList());
      }
    }
  }

  private List<Integer> partitionsOfLastCommit() {
    OffsetCommitRequest request = (OffsetCommitRequest) broker.requests().stream()
        .filter(r -> r.api() == ApiKey.OFFSET_COMMIT).toList().getLast().body();
    return request.topics().getFirst().partitions().stream()
        .map(OffsetCommitRequest.OffsetCommitRequestPartition::partitionIndex).toList();
  }

  @Test
  void topicThatACoordinatorDoesNotKnowForAMomentIsCommitted() throws InterruptedException {
    try (Consumer<String, String> consumer = member().autoCommit(false).open()) {
      pollUntil(consumer, new ArrayList<>(), () -> recorded.size() == 1);
      broker.next(ApiKey.OFFSET_COMMIT, exchange -> exchange.answer(group.answer(
          (OffsetCommitRequest) exchange.request().body(), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)::write));
      consumer.commit(Map.of(P1, new OffsetAndMetadata(4)));
      assertThat(group.committed(1)).isEqualTo(4);
    }
  }

  /**
   * The client once used the former id of a topic that was created again until the next regular metadata, up to five
   * minutes.
   */
  @Test
  void offsetsOfATopicThatWasMadeAgainAreRequestedUnderItsNewId() throws InterruptedException {
    try (Consumer<String, String> before = consumer()) {
      before.assign(ScriptedBroker.TOPIC, 0);
      assertThat(before.position(ScriptedBroker.TOPIC, 0, LATER)).isZero();
    }
    broker.state().recreate(2);
    broker.state().store(0, "a");
    broker.always(ApiKey.OFFSET_FETCH, exchange -> {
      OffsetFetchResponse answer = group.offsets((OffsetFetchRequest) exchange.request().body());
      answer.groups().forEach(g -> g.topics().stream().filter(t -> t.topicId().equals(ScriptedState.TOPIC_ID))
          .forEach(t -> t.partitions().forEach(p -> p.errorCode(ErrorCode.UNKNOWN_TOPIC_ID.code()))));
      exchange.answer(answer::write);
    });
    try (Consumer<String, String> consumer = member().autoCommit(false).open()) {
      assertThat(read(consumer, 1)).containsExactly("a");
    }
  }

  private static boolean acknowledges(Request request) {
    return request.body() instanceof ConsumerGroupHeartbeatRequest beat && owned(beat).equals(List.of(0));
  }

  private static List<Integer> owned(ConsumerGroupHeartbeatRequest beat) {
    List<ConsumerGroupHeartbeatRequest.TopicPartitions> topics = beat.topicPartitions();
    return topics == null || topics.isEmpty() ? List.of() : topics.getFirst().partitions();
  }

  private List<List<Integer>> owned() {
    return beats().stream().map(GroupMemberTest::owned).toList();
  }

  /** The fetch session once forgot a partition that had come back, and never requested it again. */
  @Test
  void fencedMemberSeesItsLossAndJoinsAgain() throws InterruptedException {
    broker.state().store(0, "a", "b");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = member().autoCommit(false).open()) {
      pollUntil(consumer, values, () -> values.size() == 2);
      broker.next(ApiKey.CONSUMER_GROUP_HEARTBEAT, refusal(ErrorCode.FENCED_MEMBER_EPOCH));
      pollUntil(consumer, values, () -> values.size() == 4);
      assertThat(values).containsExactly("a", "b", "a", "b");
      assertThat(recorded).containsExactly("assigned [orders-0, orders-1]", "lost [orders-0, orders-1]",
          "assigned [orders-0, orders-1]");
    }
    assertThat(beats().stream().filter(b -> b.memberEpoch() == 0).map(ConsumerGroupHeartbeatRequest::memberId)
        .distinct()).as("the member keeps its id").hasSize(1);
  }

  @Test
  void memberThatTheCoordinatorHasForgottenJoinsAgain() throws InterruptedException {
    broker.state().store(0, "a");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = member().open()) {
      pollUntil(consumer, values, () -> values.size() == 1);
      int before = group.epoch();
      group.expire();
      pollUntil(consumer, values, () -> recorded.size() == 3);
      assertThat(recorded.get(1)).startsWith("lost");
      assertThat(group.epoch()).isGreaterThan(before);
    }
  }

  @Test
  void instanceIdThatIsNotReleasedYetIsWaitedFor() throws InterruptedException {
    broker.state().store(0, "a");
    broker.next(ApiKey.CONSUMER_GROUP_HEARTBEAT, refusal(ErrorCode.UNRELEASED_INSTANCE_ID));
    try (Consumer<String, String> consumer = member().groupInstance("till-1").open()) {
      assertThat(read(consumer, 1)).containsExactly("a");
    }
    assertThat(beats().getLast().memberEpoch()).isEqualTo(-2);
    assertThat(beats()).allSatisfy(b -> assertThat(b.instanceId()).isEqualTo("till-1"));
  }

  @Test
  void refusalThatStaysIsThrownByEachPollAndLossIsReportedBefore() throws InterruptedException {
    broker.state().store(0, "a");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = member().open()) {
      pollUntil(consumer, values, () -> values.size() == 1);
      broker.next(ApiKey.CONSUMER_GROUP_HEARTBEAT, refusal(ErrorCode.UNSUPPORTED_ASSIGNOR));
      assertThat(failureOf(consumer, values)).hasMessageContaining("group billing: the coordinator answered")
          .hasMessageContaining("UNSUPPORTED_ASSIGNOR (so it is)");
      assertThatThrownBy(() -> consumer.poll(SOON, record -> {})).isInstanceOf(KafkaException.class);
      assertThat(recorded.getLast()).startsWith("lost");
      assertThatThrownBy(() -> consumer.commit(Map.of(P0, new OffsetAndMetadata(1))))
          .hasMessageContaining("UNSUPPORTED_ASSIGNOR");
    }
  }

  @Test
  void memberReadsOnAtOnceWhenItIsGivenItsRightsBack() throws InterruptedException {
    broker.state().store(0, "a");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = member().open()) {
      pollUntil(consumer, values, () -> values.size() == 1);
      broker.next(ApiKey.CONSUMER_GROUP_HEARTBEAT, refusal(ErrorCode.GROUP_AUTHORIZATION_FAILED));
      assertThat(failureOf(consumer, values)).hasMessageContaining("GROUP_AUTHORIZATION_FAILED (so it is)");
      broker.state().store(0, "b");
      pollUntil(consumer, values, () -> values.size() == 2);
      consumer.commit();
    }
    assertThat(group.committed(0)).isEqualTo(2);
    assertThat(recorded).doesNotContain("lost [orders-0, orders-1]");
  }

  /** The request for committed offsets was once dropped for good, and the partitions were never read. */
  @Test
  void consumerWithoutMembershipReadsWhenItMayAskForTheCoordinator() throws InterruptedException {
    broker.state().store(0, "a", "b");
    group.commit(0, 1);
    broker.next(ApiKey.FIND_COORDINATOR, refusedCoordinator(), refusedCoordinator());
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
        .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(Duration.ofMillis(100)).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      List<String> values = new ArrayList<>();
      assertThat(failureOf(consumer, values)).hasMessageContaining("GROUP_AUTHORIZATION_FAILED");
      List<String> read = new ArrayList<>();
      while (read.isEmpty()) {
        try {
          pollUntil(consumer, read, () -> !read.isEmpty());
        } catch (KafkaException e) { // the second refusal
          assertThat(e.code()).isEqualTo(ErrorCode.GROUP_AUTHORIZATION_FAILED);
        }
      }
      assertThat(read).containsExactly("b");
    }
  }

  @Test
  void memberJoinsWhenItMayAskForTheCoordinator() throws InterruptedException {
    broker.state().store(0, "a");
    broker.next(ApiKey.FIND_COORDINATOR, refusedCoordinator());
    try (Consumer<String, String> consumer = member().open()) {
      assertThat(failureOf(consumer, new ArrayList<>())).hasMessageContaining("GROUP_AUTHORIZATION_FAILED");
      assertThat(read(consumer, 1)).containsExactly("a");
    }
  }

  private static Script refusedCoordinator() {
    return exchange -> {
      FindCoordinatorRequest request = (FindCoordinatorRequest) exchange.request().body();
      exchange.answer(new FindCoordinatorResponse().coordinators(request.coordinatorKeys().stream()
          .map(key -> new FindCoordinatorResponse.Coordinator().key(key).host("").errorMessage("")
              .errorCode(ErrorCode.GROUP_AUTHORIZATION_FAILED.code()))
          .toList())::write);
    };
  }

  @Test
  void brokerThatDoesNotSpeakTheProtocolIsNamed() {
    damageVersions(ApiKey.CONSUMER_GROUP_HEARTBEAT, 1, Integer.MAX_VALUE);
    try (Consumer<String, String> consumer = member().open()) {
      assertThatThrownBy(() -> consumer.poll(LATER, record -> {})).isInstanceOf(KafkaException.class)
          .hasMessageContaining(broker.address() + " does not speak API ConsumerGroupHeartbeat")
          .hasMessageContaining("use group.protocol=classic");
    }
  }

  @Test
  void brokerThatFindsNoCoordinatorsIsNamed() {
    damageVersions(ApiKey.FIND_COORDINATOR, 1, Integer.MAX_VALUE);
    try (Consumer<String, String> consumer = member().open()) {
      assertThatThrownBy(() -> consumer.poll(LATER, record -> {})).isInstanceOf(KafkaException.class)
          .hasMessage(
              "broker " + broker.address() + " does not speak API FindCoordinator, this client versions 0 to 6");
    }
    assertThat(broker.requests(ApiKey.API_VERSIONS)).as("a second connection was asked").hasSizeGreaterThan(1);
  }

  /**
   * A member once failed for good if one connection had a damaged table of versions. The first connection is that of
   * metadata, the second one the coordinator's.
   */
  @ParameterizedTest
  @CsvSource({"METADATA,1", "FIND_COORDINATOR,1", "CONSUMER_GROUP_HEARTBEAT,2", "OFFSET_FETCH,2", "OFFSET_COMMIT,2"})
  void oneConnectionsDamagedTableOfVersionsIsNotBelieved(ApiKey api, int connection) throws InterruptedException {
    broker.state().store(0, "a");
    damageVersions(api, connection, connection);
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = member().autoCommit(false).open()) {
      pollUntil(consumer, values, () -> values.size() == 1);
      consumer.commit();
      assertThat(group.committed(0)).isEqualTo(1);
      assertThat(recorded).containsExactly("assigned [orders-0, orders-1]");
    }
    assertThat(broker.requests(api)).isNotEmpty().noneMatch(request -> request.connection() == connection);
  }

  @Test
  void anotherCoordinatorIsLookedUpAndNothingIsLost() throws InterruptedException {
    broker.state().store(0, "a");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = member().open()) {
      pollUntil(consumer, values, () -> values.size() == 1);
      broker.next(ApiKey.CONSUMER_GROUP_HEARTBEAT, refusal(ErrorCode.NOT_COORDINATOR));
      broker.await(ApiKey.FIND_COORDINATOR, 2);
      broker.state().store(0, "b");
      pollUntil(consumer, values, () -> values.size() == 2);
      consumer.commit();
      assertThat(group.committed(0)).isEqualTo(2);
      assertThat(recorded).containsExactly("assigned [orders-0, orders-1]");
    }
  }

  @Test
  void commitWithAStaleEpochIsRepeatedWithTheNewOne() throws InterruptedException {
    broker.state().store(0, "a");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = member().autoCommit(false).open()) {
      pollUntil(consumer, values, () -> values.size() == 1);
      group.assign(0, 1); // the epoch is another one, which the member does not know yet
      consumer.commit();
      assertThat(group.committed(0)).isEqualTo(1);
    }
    List<Integer> epochs = broker.requests(ApiKey.OFFSET_COMMIT).stream()
        .map(r -> ((OffsetCommitRequest) r.body()).generationIdOrMemberEpoch()).toList();
    assertThat(epochs).hasSizeGreaterThan(1).isSorted();
    assertThat(epochs.getLast()).isGreaterThan(epochs.getFirst());
  }

  @Test
  void commitsAreStoredInTheirOrderAndReportedOnThePollingThread() throws InterruptedException {
    List<String> ends = new ArrayList<>();
    Thread poller = Thread.currentThread();
    try (Consumer<String, String> consumer = member().autoCommit(false).open()) {
      pollUntil(consumer, new ArrayList<>(), () -> recorded.size() == 1);
      broker.next(ApiKey.OFFSET_COMMIT, exchange -> exchange.answer(
          group.answer((OffsetCommitRequest) exchange.request().body(),
              ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)::write));
      for (long offset : new long[] {5, 6}) {
        consumer.commitAsync(Map.of(P0, new OffsetAndMetadata(offset, -1, "text")), (offsets, error) -> {
          assertThat(Thread.currentThread()).isEqualTo(poller);
          ends.add(offsets + " " + error);
        });
      }
      pollUntil(consumer, new ArrayList<>(), () -> ends.size() == 2);
      assertThat(ends).hasSize(2).allSatisfy(end -> assertThat(end).endsWith(" null"));
      assertThat(ends.getFirst()).contains("offset=5");
      assertThat(consumer.committed(P0, P1)).containsExactly(Map.entry(P0, new OffsetAndMetadata(6)));
    }
    List<Long> sent = broker.requests(ApiKey.OFFSET_COMMIT).stream().map(r -> ((OffsetCommitRequest) r.body()).topics()
        .getFirst().partitions().getFirst().committedOffset()).toList();
    assertThat(sent).as("the newest goes, also in the place of one that is sent again").containsExactly(5L, 6L);
  }

  @Test
  void whatWasHandedOutIsCommittedByTimeButNotTheRecordsOfTheLastPoll() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    try (Consumer<String, String> consumer = member().maxPollRecords(2).autoCommitInterval(Duration.ofMillis(100))
        .open()) {
      List<String> values = new ArrayList<>();
      pollUntil(consumer, values, () -> values.size() == 2);
      assertThat(broker.requests(ApiKey.OFFSET_COMMIT)).isEmpty(); // no thread has polled since
      broker.state().store(0, "d");
      pollUntil(consumer, values, () -> group.committed(0) != null);
      assertThat(group.committed(0)).isBetween(2L, 4L);
    }
    assertThat(group.committed(0)).isGreaterThanOrEqualTo(2);
  }

  @Test
  void explicitAssignmentMayHaveAGroupForItsCommits() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    group.commit(0, 1);
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
        .offsetReset(OffsetReset.EARLIEST).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 2)).containsExactly("b", "c");
      assertThatThrownBy(() -> consumer.subscribe("other")).isInstanceOf(IllegalStateException.class);
    }
    assertThat(group.committed(0)).isEqualTo(3);
    assertThat(beats()).isEmpty();
    OffsetCommitRequest commit = (OffsetCommitRequest) broker.requests(ApiKey.OFFSET_COMMIT).getFirst().body();
    assertThat(commit.memberId()).isEmpty();
    assertThat(commit.generationIdOrMemberEpoch()).isEqualTo(-1);
  }

  @Test
  void anotherThreadSeeksPausesAndWakes() throws Exception {
    broker.state().store(0, "a", "b");
    try (Consumer<String, String> consumer = member().open()) {
      assertThat(read(consumer, 2)).containsExactly("a", "b");
      Thread other = Thread.ofVirtual().start(() -> {
        consumer.seek(ScriptedBroker.TOPIC, 0, 1);
        consumer.pause(ScriptedBroker.TOPIC, 0);
      });
      assertThat(other.join(LATER)).isTrue();
      assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(1);
      assertThat(consumer.poll(SOON, record -> {})).isZero();
      Thread third = Thread.ofPlatform().start(() -> consumer.resume(ScriptedBroker.TOPIC, 0));
      assertThat(read(consumer, 1)).containsExactly("b");
      assertThat(third.join(LATER)).isTrue();
    }
  }

  @Test
  void applicationThatDoesNotPollLosesItsPartitionsUntilItDoes() throws InterruptedException {
    broker.state().store(0, "a");
    List<String> values = new ArrayList<>();
    CountDownLatch stalled = new CountDownLatch(1);
    client.events().watchGroups(new GroupListener() {
      @Override
      public void onPollStalled(String id, long nanos) {
        stalled.countDown();
      }
    });
    try (Consumer<String, String> consumer = member().maxPollInterval(Duration.ofMillis(400)).open()) {
      pollUntil(consumer, values, () -> values.size() == 1);
      assertThat(stalled.await(20, TimeUnit.SECONDS)).isTrue();
      broker.await(ApiKey.CONSUMER_GROUP_HEARTBEAT, request -> beats().getLast().memberEpoch() == -1);
      pollUntil(consumer, values, () -> recorded.size() == 3);
      assertThat(recorded.get(1)).startsWith("lost");
      assertThat(recorded.get(2)).startsWith("assigned");
    }
  }

  @Test
  void memberThatStaysSendsNoLeaveOnClosing() throws InterruptedException {
    try (Consumer<String, String> consumer = member().open()) {
      pollUntil(consumer, new ArrayList<>(), () -> recorded.size() == 1);
      consumer.close(LATER, GroupMembershipOperation.REMAIN_IN_GROUP);
    }
    assertThat(beats()).allSatisfy(b -> assertThat(b.memberEpoch()).isNotNegative());
  }

  @Test
  void closingIsBoundedThoughTheCoordinatorSaysNothing() throws InterruptedException {
    broker.state().store(0, "a");
    Consumer<String, String> consumer = member().open();
    read(consumer, 1);
    broker.always(ApiKey.OFFSET_COMMIT, Script.SILENCE);
    broker.always(ApiKey.CONSUMER_GROUP_HEARTBEAT, Script.SILENCE);
    long before = System.nanoTime();
    consumer.close(SOON, GroupMembershipOperation.DEFAULT);
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(LATER.dividedBy(2));
  }

  @Test
  void subscriptionNeedsAGroupAndTheMessageSaysSo() {
    assertThatThrownBy(() -> client.consumer(Serdes.string(), Serdes.string()).subscribe("orders").open())
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("group(id)");
    assertThatThrownBy(() -> client.consumer(Serdes.string(), Serdes.string())
        .properties(Map.of("max.poll.recrods", "5")))
        .hasMessageContaining("max.poll.recrods: unknown; did you mean max.poll.records");
  }

  @Test
  void withoutResetAndCommitEachPollSaysThatThereIsNoPositionUntilASeek() throws InterruptedException {
    broker.state().store(0, "a", "b");
    group.assign(0);
    try (Consumer<String, String> consumer = member().offsetReset(OffsetReset.NONE).open()) {
      List<String> values = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        assertThat(failureOf(consumer, values)).hasMessageContaining("orders-0 has no position")
            .hasMessageContaining("seek first");
      }
      consumer.seek(ScriptedBroker.TOPIC, 0, 1);
      pollUntil(consumer, values, () -> values.size() == 1);
      assertThat(values).containsExactly("b");
    }
    assertThat(broker.requests(ApiKey.LIST_OFFSETS)).isEmpty();
  }

  @Test
  void seekInTheListenerWinsOverTheCommittedOffset() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    group.assign(0);
    group.commit(0, 3);
    List<Consumer<String, String>> opened = new ArrayList<>();
    try (Consumer<String, String> consumer = member().rebalanceListener(new RebalanceListener() {
      @Override
      public void onAssigned(List<TopicPartition> partitions) {
        opened.getFirst().seek(ScriptedBroker.TOPIC, 0, 1);
      }
    }).open()) {
      opened.add(consumer);
      assertThat(read(consumer, 2)).containsExactly("b", "c");
    }
    assertThat(broker.requests(ApiKey.OFFSET_FETCH)).isEmpty();
  }

  @Test
  void aListenerThatThrowsAnErrorDoesNotEndTheChange() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    group.assign(0);
    Logger log = Logger.getLogger("dev.decant.kafka");
    log.setLevel(Level.OFF); // its logged error is expected here
    try (Consumer<String, String> consumer = member().rebalanceListener(new RebalanceListener() {
      @Override
      public void onAssigned(List<TopicPartition> partitions) {
        throw new LinkageError("a listener of this test fails on purpose");
      }
    }).open()) {
      assertThat(read(consumer, 3)).containsExactly("a", "b", "c");
    } finally {
      log.setLevel(null);
    }
  }

  @Test
  void offsetsThatMayNotBeReadAreAnErrorOfPollAndRequestedAgain() throws InterruptedException {
    broker.state().store(0, "a");
    group.assign(0);
    broker.next(ApiKey.OFFSET_FETCH, exchange -> exchange.answer(new OffsetFetchResponse().groups(List.of(
        new OffsetFetchResponse.OffsetFetchResponseGroup().groupId("billing").topics(List.of())
            .errorCode(ErrorCode.GROUP_AUTHORIZATION_FAILED.code())))::write));
    try (Consumer<String, String> consumer = member().open()) {
      assertThat(failureOf(consumer, new ArrayList<>())).hasMessageContaining("committed offsets of [orders-0]")
          .hasMessageContaining("GROUP_AUTHORIZATION_FAILED");
      assertThat(read(consumer, 1)).containsExactly("a");
    }
  }
}
