package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.TransactionState;
import dev.decant.kafka.broker.BrokerRelease;
import dev.decant.kafka.broker.Disturbance;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.IsolationLevel;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.LeaveGroupRequest;
import dev.decant.kafka.protocol.message.OffsetFetchRequest;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests what works with brokers of earlier releases, each API in the newest version that they have, and what does not.
 */
class OlderBrokersTest extends AgainstScriptedTransactions {
  private static final TopicPartition P0 = new TopicPartition(ScriptedBroker.TOPIC, 0);
  private static final Map<TopicPartition, OffsetAndMetadata> OFFSETS = Map.of(P0, new OffsetAndMetadata(7));

  OlderBrokersTest() {
    super(LATER);
  }

  private void speakAs(BrokerRelease release) {
    broker.always(ApiKey.API_VERSIONS, release.negotiation());
  }

  private void requireNewest(BrokerRelease release, ApiKey... apis) {
    for (ApiKey api : apis) {
      assertThat(broker.requests(api)).as("%s", api).isNotEmpty()
          .allSatisfy(request -> assertThat((int) request.version()).isEqualTo(release.highest(api)));
    }
  }

  private Producer<String, String> toPartition0() throws InterruptedException {
    return producer().partitioner((topic, key, partitions) -> 0).open();
  }

  private ConsumerBuilder<String, String> member() {
    return client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.EARLIEST)
        .fetchMaxWait(Duration.ofMillis(100)).group("billing").groupProtocol(GroupProtocol.CLASSIC)
        .heartbeatInterval(Duration.ofMillis(100)).subscribe(ScriptedBroker.TOPIC);
  }

  @ParameterizedTest
  @EnumSource
  void recordsAreStoredByIdempotentProducers(BrokerRelease release) throws InterruptedException {
    speakAs(release);
    try (Producer<String, String> producer = toPartition0()) {
      assertThat(producer.sendAndWait(null, "a").offset()).isZero();
      assertThat(producer.sendAndWait(null, "b").offset()).isEqualTo(1);
    }
    assertThat(broker.state().stored(0)).containsExactly("a", "b");
    assertThat(sequence(batches().getLast())).isEqualTo(1);
    assertThat(broker.requests(ApiKey.PRODUCE).getFirst().produce().topicData().getFirst().name())
        .isEqualTo(ScriptedBroker.TOPIC);
    requireNewest(release, ApiKey.METADATA, ApiKey.INIT_PRODUCER_ID, ApiKey.PRODUCE);
    assertThat(broker.requests()).as("an ApiVersions that is refused costs no connection")
        .extracting(Request::connection).containsOnly(1);
  }

  @ParameterizedTest
  @EnumSource
  void refusedBatchesAreSentAgain(BrokerRelease release) throws InterruptedException {
    speakAs(release);
    broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER),
        ProduceResponses.refusal(ErrorCode.NOT_ENOUGH_REPLICAS));
    try (Producer<String, String> producer = toPartition0()) {
      producer.sendAndWait(null, "a");
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.INVALID_RECORD));
      assertThatThrownBy(() -> producer.sendAndWait(null, "refused")).isInstanceOf(KafkaException.class)
          .hasMessageContaining("INVALID_RECORD");
    }
    assertThat(broker.state().stored(0)).containsExactly("a");
  }

  @ParameterizedTest
  @EnumSource
  void recordsOfAssignedPartitionsAreRead(BrokerRelease release) throws InterruptedException {
    speakAs(release);
    broker.state().store(0, "a", "b");
    broker.state().store(1, "x");
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).isolationLevel(IsolationLevel.READ_COMMITTED)
        .fetchMaxWait(Duration.ofMillis(100)).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0, 1);
      assertThat(read(consumer, 3)).containsExactlyInAnyOrder("a", "b", "x");
      broker.state().store(1, "y");
      assertThat(read(consumer, 1)).containsExactly("y");
      assertThat(consumer.endOffsets(P0)).containsEntry(P0, 2L);
    }
    requireNewest(release, ApiKey.METADATA, ApiKey.LIST_OFFSETS, ApiKey.FETCH);
  }

  @ParameterizedTest
  @EnumSource
  void memberOfAClassicGroupReadsCommitsAndGoesOnThere(BrokerRelease release) throws InterruptedException {
    speakAs(release);
    broker.state().store(0, "a", "b");
    try (Consumer<String, String> consumer = member().open()) {
      assertThat(read(consumer, 2)).containsExactly("a", "b");
      consumer.commit();
      assertThat(consumer.committed(P0)).containsKey(P0);
      broker.await(ApiKey.HEARTBEAT, 1);
    }
    broker.state().store(0, "c");
    try (Consumer<String, String> consumer = member().open()) {
      assertThat(read(consumer, 1)).containsExactly("c");
    }
    requireNewest(release, ApiKey.FIND_COORDINATOR, ApiKey.JOIN_GROUP, ApiKey.SYNC_GROUP, ApiKey.HEARTBEAT,
        ApiKey.LEAVE_GROUP, ApiKey.OFFSET_COMMIT, ApiKey.OFFSET_FETCH);
    LeaveGroupRequest leave = (LeaveGroupRequest) broker.requests(ApiKey.LEAVE_GROUP).getFirst().body();
    assertThat(release == BrokerRelease.V2_1 ? leave.memberId() : leave.members().getFirst().memberId())
        .isEqualTo("member-1");
    OffsetFetchRequest asked = (OffsetFetchRequest) broker.requests(ApiKey.OFFSET_FETCH).getFirst().body();
    assertThat(asked.requireStable()).isEqualTo(release != BrokerRelease.V2_1);
  }

  @ParameterizedTest
  @EnumSource
  void transactionsAreCommittedAndAborted(BrokerRelease release) throws InterruptedException {
    speakAs(release);
    GroupMetadata group = release == BrokerRelease.V2_1
        ? new GroupMetadata("g")
        : new GroupMetadata("g", 4, "m", null);
    try (Transactions tx = open(); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v0");
      producer.sendAndWait("b", "w0");
      tx.sendOffsets(OFFSETS, group, LATER);
      tx.commit(LATER);
      tx.begin();
      producer.sendAndWait("a", "v1");
      tx.abort(LATER);
    }
    requireNewest(release, ApiKey.FIND_COORDINATOR, ApiKey.INIT_PRODUCER_ID, ApiKey.ADD_PARTITIONS_TO_TXN,
        ApiKey.ADD_OFFSETS_TO_TXN, ApiKey.TXN_OFFSET_COMMIT, ApiKey.PRODUCE, ApiKey.END_TXN);
    assertThat(broker.requests(ApiKey.PRODUCE)).hasSize(3)
        .allSatisfy(request -> assertThat(request.produce().transactionalId()).isEqualTo(ID));
    assertThat(broker.requests(ApiKey.END_TXN)).hasSize(2);
    assertThat(broker.state().stored(0)).containsExactly("v0", "v1");
  }

  @ParameterizedTest
  @EnumSource
  void consumerProtocolIsAnErrorThatNamesTheOtherOne(BrokerRelease release) {
    speakAs(release);
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
        .subscribe(ScriptedBroker.TOPIC).open()) {
      assertThatThrownBy(() -> consumer.poll(LATER, record -> {})).isInstanceOf(KafkaException.class)
          .hasMessageContaining("broker " + address() + " does not speak API ConsumerGroupHeartbeat, "
              + "this client versions 0 to 1; the consumer protocol needs brokers of Kafka 4.0 or later: "
              + "use group.protocol=classic");
    }
  }

  @Test
  void staticMemberIsAnErrorBefore23() throws InterruptedException {
    speakAs(BrokerRelease.V2_1);
    try (Consumer<String, String> consumer = member().groupInstance("one").open()) {
      assertThatThrownBy(() -> consumer.poll(LATER, record -> {})).isInstanceOf(KafkaException.class)
          .hasMessageContaining("broker " + address() + " speaks versions 0 to 3 of API JoinGroup, "
              + "this client versions 5 to 9; a static member needs a coordinator of Kafka 2.3 or later, "
              + "others join without group.instance.id");
    }
  }

  @Test
  void staticMemberReadsFrom23On() throws InterruptedException {
    speakAs(BrokerRelease.V2_8);
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = member().groupInstance("one").open()) {
      assertThat(read(consumer, 1)).containsExactly("a");
      consumer.commit();
    }
    requireNewest(BrokerRelease.V2_8, ApiKey.JOIN_GROUP, ApiKey.SYNC_GROUP, ApiKey.OFFSET_COMMIT);
  }

  @Test
  void offsetsOfAMemberInATransactionAreAnErrorBefore25() throws InterruptedException {
    speakAs(BrokerRelease.V2_1);
    try (Transactions tx = open()) {
      tx.begin();
      assertThatThrownBy(() -> tx.sendOffsets(OFFSETS, new GroupMetadata("g", 4, "m", null), LATER))
          .isInstanceOf(TransactionException.class)
          .hasMessageContaining("broker " + address() + " speaks versions 0 to 2 of API TxnOffsetCommit, "
              + "this client versions 3 to 4; a coordinator before Kafka 2.5 takes offsets of "
              + "new GroupMetadata(groupId) alone, and fences nobody");
    }
  }

  /** A request for another epoch without the present one would fence a producer that has taken over. */
  @Test
  void transactionalIdFailsAfterAFailedBatchBefore25() throws InterruptedException {
    speakAs(BrokerRelease.V2_1);
    try (Transactions tx = open(); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v0");
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.INVALID_RECORD));
      assertThatThrownBy(() -> producer.sendAndWait("a", "refused")).isInstanceOf(KafkaException.class);
      assertThatThrownBy(() -> tx.abort(LATER)).isInstanceOf(TransactionException.class)
          .hasMessageContaining("close it").hasMessageContaining("speaks versions 0 to 1 of API InitProducerId, "
              + "this client versions 3 to 5; after a failed batch that was sent, a coordinator before Kafka 2.5 has "
              + "no next epoch for this producer");
      assertThat(tx.state()).isEqualTo(TransactionState.DEAD);
    }
    assertThat(broker.requests(ApiKey.END_TXN)).as("it is aborted all the same").hasSize(1);
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(1);
  }

  /** The record had no number: the epoch has no gap, and the transactional id works as before. */
  @ParameterizedTest
  @EnumSource
  void recordThatWasNeverSentKeepsTheEpoch(BrokerRelease release) throws InterruptedException {
    speakAs(release);
    try (Transactions tx = open();
        Producer<String, String> producer = producer().transactions(tx).linger(Duration.ofSeconds(50)).open()) {
      tx.begin();
      producer.send("a", "never");
      tx.abort(LATER);
      tx.begin();
      producer.send("a", "v0");
      tx.commit(LATER);
    }
    assertThat(Stream.concat(broker.state().stored(0).stream(), broker.state().stored(1).stream()))
        .containsExactly("v0");
  }

  @ParameterizedTest
  @EnumSource
  void topicsAreListed(BrokerRelease release) throws InterruptedException {
    speakAs(release);
    try (Consumer<String, String> consumer = consumer()) {
      assertThat(consumer.topics(LATER)).containsOnlyKeys(ScriptedBroker.TOPIC);
      assertThat(consumer.partitionsFor(ScriptedBroker.TOPIC, LATER)).hasSize(2);
    }
  }

  static Stream<Arguments> disturbances() {
    return Stream.of(ApiKey.API_VERSIONS, ApiKey.METADATA, ApiKey.INIT_PRODUCER_ID, ApiKey.PRODUCE)
        .flatMap(api -> Stream.of(Disturbance.CUT_IN_THE_MIDDLE, Disturbance.GARBAGE, Disturbance.TRUNCATED_BODY)
            .map(disturbance -> Arguments.of(api, disturbance)));
  }

  /** The formats before compact lengths have the same checks. */
  @ParameterizedTest
  @MethodSource("disturbances")
  void producerGoesOnAfterADisturbedResponse(ApiKey api, Disturbance disturbance) throws InterruptedException {
    speakAs(BrokerRelease.V2_1);
    broker.next(api, disturbance);
    try (Producer<String, String> producer = toPartition0()) {
      producer.sendAndWait(null, "a");
      producer.sendAndWait(null, "b");
    }
    assertThat(broker.state().stored(0)).containsExactly("a", "b");
  }

  static Stream<Arguments> disturbancesOfMembers() {
    return Stream.of(ApiKey.FIND_COORDINATOR, ApiKey.JOIN_GROUP, ApiKey.SYNC_GROUP, ApiKey.OFFSET_FETCH,
        ApiKey.LIST_OFFSETS, ApiKey.FETCH)
        .flatMap(api -> Stream.of(Disturbance.CUT_IN_THE_MIDDLE, Disturbance.GARBAGE, Disturbance.TRUNCATED_BODY)
            .map(disturbance -> Arguments.of(api, disturbance)));
  }

  @ParameterizedTest
  @MethodSource("disturbancesOfMembers")
  void memberGoesOnAfterADisturbedResponse(ApiKey api, Disturbance disturbance) throws InterruptedException {
    speakAs(BrokerRelease.V2_1);
    broker.state().store(0, "a");
    broker.next(api, disturbance);
    try (Consumer<String, String> consumer = member().open()) {
      List<String> values = read(consumer, 1);
      broker.state().store(0, "b");
      values.addAll(read(consumer, 1));
      assertThat(values).containsExactly("a", "b");
    }
  }
}
