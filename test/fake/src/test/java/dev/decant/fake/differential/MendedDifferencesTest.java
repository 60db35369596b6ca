package dev.decant.fake.differential;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.differential.GroupSteps.Beat;
import dev.decant.fake.differential.GroupSteps.Epoch;
import dev.decant.fake.differential.GroupSteps.Owned;
import dev.decant.fake.differential.GroupSteps.Who;
import dev.decant.fake.differential.OffsetSteps.Position;
import dev.decant.kafka.protocol.message.FetchRequest.FetchPartition;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Responses in which the fake cluster differed from Kafka 4.3.1 once; real brokers gave what is expected here. */
@Timeout(60)
class MendedDifferencesTest {
  private static final String TOPIC = "x-orders";
  private static final String GROUP = "x-group";
  private static final String ID = "x-id";
  private static final int OF_TOPIC = 2;
  private final Who a = new Who("a", GROUP, null);
  private final Who s = new Who("s", GROUP, "instance");
  private FakeCluster kafka;
  private World world;

  @BeforeEach
  void start() {
    kafka = start(4, 3);
    world = new World(kafka.bootstrap(), false, "x");
  }

  private static FakeCluster start(int major, int minor) {
    return FakeCluster.builder().release(major, minor).setting("group.initial.rebalance.delay.ms", "0")
        .topic(TOPIC, 6).start();
  }

  @AfterEach
  void close() throws IOException {
    world.close();
    kafka.close();
  }

  private SortedMap<String, String> last(Step... steps) throws IOException {
    SortedMap<String, String> fields = new TreeMap<>();
    for (Step step : steps) {
      fields = world.run(step);
    }
    return fields;
  }

  private String errorOfProduce(Step... steps) throws IOException {
    return Objects.requireNonNull(last(steps).get(".responses[0].partitionResponses[0].errorCode"));
  }

  @Test
  void theFirstMemberOfAConsumerGroupHasEpochTwo() throws IOException {
    assertThat(last(GroupSteps.beat(a, Beat.join(List.of(TOPIC))))).containsEntry(".memberEpoch", "2");
  }

  @Test
  void theFirstMemberHadEpochOneBefore43() throws IOException {
    try (FakeCluster older = start(4, 2); World of = new World(older.bootstrap(), false, "x")) {
      assertThat(of.run(GroupSteps.beat(a, Beat.join(List.of(TOPIC))))).containsEntry(".memberEpoch", "1");
    }
  }

  @Test
  void aHeartbeatThatRepeatsTheAssignmentIsNotToldItAgain() throws IOException {
    assertThat(last(GroupSteps.beat(a, Beat.join(List.of(TOPIC))),
        GroupSteps.beat(a, Beat.of(Epoch.CURRENT, Owned.ASSIGNED)))).containsEntry(".assignment", "null");
  }

  @Test
  void aStaticMemberThatHasNotLeftIsNotReleased() throws IOException {
    Step join = GroupSteps.beat(s, Beat.join(List.of(TOPIC)));
    assertThat(last(join, join)).containsEntry(".errorCode", "111");
  }

  @Test
  void aMemberGivesUpItsLastPartitionsAndIsDescribedWithThemUntilThen() throws IOException {
    Step keep = GroupSteps.beat(a, Beat.of(Epoch.CURRENT, Owned.ASSIGNED));
    assertThat(last(GroupSteps.beat(a, Beat.join(List.of(TOPIC))), keep, GroupSteps.beat(s,
        Beat.join(List.of(TOPIC))), keep)).containsEntry(".assignment.topicPartitions[id-0].partitions", "[0, 1, 2]");
    assertThat(last(GroupSteps.consumerDescribe(1, GROUP))).containsEntry(".groups[0].members["
        + GroupSteps.memberId(a) + "].assignment.topicPartitions[id-0].partitions", "[0, 1, 2, 3, 4, 5]");
  }

  @Test
  void membersOfConsumerGroupsCannotCommitInOldVersions() throws IOException {
    assertThat(last(GroupSteps.beat(a, Beat.join(List.of(TOPIC))),
        OffsetSteps.commit(8, a, 0, new Position(TOPIC, 0, 6, "m"))))
        .containsEntry(".topics[0].partitions[0].errorCode", "35");
  }

  @Test
  void aRebalancingMemberIsDescribedWithItsLastAssignment() throws IOException {
    Step join = GroupSteps.join(3, a, List.of("range=1"));
    assertThat(last(join, GroupSteps.sync(5, a, 0, List.of("a")))).containsEntry(".errorCode", "0");
    assertThat(last(join)).containsEntry(".errorCode", "0");
    Map<String, String> fields = last(GroupSteps.describe(5, GROUP));
    assertThat(fields).containsEntry(".groups[0].groupState", "CompletingRebalance");
    assertThat(fields).containsEntry(".groups[0].members[a-random-0].memberAssignment", "6f662061");
  }

  @Test
  void partitionsThatCannotBeReadComeLastInAFetchSession() throws IOException {
    assertThat(last(Steps.fetch(8, "x-absent", new FetchPartition(), 0, 0),
        Steps.fetch(8, TOPIC, new FetchPartition(), 0, 1)))
        .containsEntry(".responses[0].topic", TOPIC).containsEntry(".responses[1].topic", "x-absent");
  }

  @Test
  void anAbsentPartitionCountsBeforeAcks() throws IOException {
    assertThat(errorOfProduce(Steps.produce(11, TOPIC, 9, 2, Batch.of(1, 5)))).isEqualTo("3");
  }

  @Test
  void recordsOfATransactionWithoutItsIdCountBeforeAll() throws IOException {
    assertThat(errorOfProduce(TransactionSteps.init(4, ID),
        Steps.produce(11, TOPIC, 9, -1, Batch.transactional(ID, 0, 0, 1)))).isEqualTo("53");
  }

  @Test
  void aPartitionThatIsNotInTheTransactionIsNamedAsThat() throws IOException {
    assertThat(last(TransactionSteps.init(4, ID),
        Steps.produce(9, TOPIC, 0, -1, Batch.transactional(ID, 0, 0, 1), ID)))
        .containsEntry(".responses[0].partitionResponses[0].errorMessage",
            "Partition was not added to the transaction");
  }

  @Test
  void theFirstBatchOfATransactionBeginsAtZero() throws IOException {
    assertThat(errorOfProduce(TransactionSteps.init(5, ID),
        Steps.produce(12, TOPIC, 0, -1, Batch.transactional(ID, 0, 4, 1), ID))).isEqualTo("45");
  }

  /**
   * Kafka keeps the lowest number that a partition was asked for, even if the transaction did not have the partition.
   */
  @Test
  void aBatchHasNoLaterNumberThanTheFirstThatItsCoordinatorWasAskedFor() throws IOException {
    Step refused = Steps.produce(11, TOPIC, 0, -1, Batch.transactional(ID, 0, 0, 1), ID);
    assertThat(errorOfProduce(TransactionSteps.init(4, ID), refused)).isEqualTo("120");
    assertThat(errorOfProduce(Steps.produce(11, TOPIC, 0, -1, Batch.from(ID, 0, 3, 1).now()))).isEqualTo("45");
    assertThat(errorOfProduce(TransactionSteps.addPartitions(3, ID, 0, TOPIC, List.of(0)),
        Steps.produce(8, TOPIC, 0, -1, Batch.transactional(ID, 0, 4, 1), ID))).isEqualTo("45");
    assertThat(errorOfProduce(Steps.produce(8, TOPIC, 0, -1, Batch.transactional(ID, 0, 0, 1), ID))).isEqualTo("0");
    assertThat(errorOfProduce(Steps.produce(8, TOPIC, 0, -1, Batch.transactional(ID, 0, 1, 1), ID))).isEqualTo("0");
  }

  @Test
  void aTransactionThatAnOlderVersionHasAskedForMayBeginAtAnyNumber() throws IOException {
    assertThat(errorOfProduce(TransactionSteps.init(5, ID),
        Steps.produce(11, TOPIC, 0, -1, Batch.transactional(ID, 0, 1, 1), ID))).isEqualTo("120");
    assertThat(errorOfProduce(Steps.produce(12, TOPIC, 0, -1, Batch.transactional(ID, 0, 1, 1), ID))).isEqualTo("0");
  }

  @Test
  void anOlderEpochThanTheLogHasIsRefusedBeforeTheLogIsRead() throws IOException {
    assertThat(last(TransactionSteps.init(4, ID), TransactionSteps.addPartitions(3, ID, 0, TOPIC, List.of(0)),
        TransactionSteps.markers(1, ID, 1, true, TOPIC, 0),
        Steps.produce(9, TOPIC, 0, -1, Batch.transactional(ID, 0, 0, 1), ID)))
        .containsEntry(".responses[0].partitionResponses[0].errorCode", "47")
        .containsEntry(".responses[0].partitionResponses[0].logStartOffset", "-1");
  }

  @Test
  void aTopicWithFewerReplicasThanItsMinimumNeedsThemAll() throws IOException {
    Step few = Steps.alterConfigs(1, OF_TOPIC, TOPIC, 0, "min.insync.replicas", "2");
    Step produce = Steps.produce(8, TOPIC, 0, -1, Batch.of(1, System.currentTimeMillis()));
    assertThat(errorOfProduce(few, produce)).isEqualTo("0");
    try (FakeCluster older = start(3, 3); World of = new World(older.bootstrap(), false, "x")) {
      of.run(few);
      assertThat(of.run(produce)).containsEntry(".responses[0].partitionResponses[0].errorCode", "19");
    }
  }

  @Test
  void aFetchSessionMayBeginWithoutPartitions() throws IOException {
    assertThat(last(Steps.fetch(12, TOPIC, new FetchPartition().partition(-1), 0, 0)))
        .containsEntry(".sessionId", "sessionId-0");
  }

  @Test
  void theEpochOfAFetchSessionCountsBeforeItsIds() throws IOException {
    assertThat(last(Steps.fetch(13, TOPIC, new FetchPartition(), 0, 0),
        Steps.fetch(12, TOPIC, new FetchPartition(), 0, 7))).containsEntry(".errorCode", "71");
  }

  @Test
  void aConfigThatIsNoListCountsBeforeTheTopic() throws IOException {
    assertThat(last(Steps.alterConfigs(1, OF_TOPIC, "absent", 2, "retention.ms", "5")))
        .containsEntry(".responses[0].errorCode", "40");
  }

  @Test
  void aBadValueCountsBeforeTheTopic() throws IOException {
    assertThat(last(Steps.alterConfigs(1, OF_TOPIC, "absent", 0, "retention.ms", "soon")))
        .containsEntry(".responses[0].errorCode", "40");
    assertThat(last(Steps.alterConfigs(1, OF_TOPIC, "absent", 0, "retention.ms", "5")))
        .containsEntry(".responses[0].errorCode", "3");
  }

  @Test
  void aBatchWithoutTheOpenTransactionOfItsProducerIsRefused() throws IOException {
    assertThat(errorOfProduce(TransactionSteps.init(5, ID),
        Steps.produce(12, TOPIC, 0, -1, Batch.transactional(ID, 0, 0, 1), ID),
        Steps.produce(12, TOPIC, 0, -1, Batch.from(ID, 0, 1, 1)))).isEqualTo("48");
  }

  @Test
  void coordinatorsThatAreFoundHaveTheMessageOfNoError() throws IOException {
    assertThat(last(GroupSteps.coordinator(2, 0, GROUP))).containsEntry(".errorMessage", "NONE");
  }

  @Test
  void producersOfAnAbsentTopicAreRefusedWithAMessage() throws IOException {
    assertThat(last(TransactionSteps.producers("absent", 0))).containsEntry(
        ".topics[0].partitions[0].errorMessage", "This server does not host this topic-partition.");
    assertThat(last(TransactionSteps.producers(TOPIC, 9)))
        .containsEntry(".topics[0].partitions[0].errorMessage", "null");
  }
}
