package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.SharedPartition.State;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestPartition;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestTopic;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsRequest.DeleteShareGroupOffsetsRequestTopic;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestGroup;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponsePartition;
import dev.decant.kafka.protocol.message.FindCoordinatorRequest;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse.Coordinator;
import dev.decant.kafka.protocol.message.ShareAcknowledgeRequest;
import dev.decant.kafka.protocol.message.ShareAcknowledgeRequest.AcknowledgePartition;
import dev.decant.kafka.protocol.message.ShareAcknowledgeRequest.AcknowledgeTopic;
import dev.decant.kafka.protocol.message.ShareAcknowledgeResponse;
import dev.decant.kafka.protocol.message.ShareFetchRequest;
import dev.decant.kafka.protocol.message.ShareFetchRequest.AcknowledgementBatch;
import dev.decant.kafka.protocol.message.ShareFetchRequest.FetchPartition;
import dev.decant.kafka.protocol.message.ShareFetchRequest.FetchTopic;
import dev.decant.kafka.protocol.message.ShareFetchResponse;
import dev.decant.kafka.protocol.message.ShareFetchResponse.PartitionData;
import dev.decant.kafka.protocol.message.ShareGroupDescribeRequest;
import dev.decant.kafka.protocol.message.ShareGroupDescribeResponse;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the responses of share groups request by request, in all versions of their APIs (KIP-932). */
@Timeout(60)
@SuppressWarnings("NullAway") // a null fails the test
class ShareApisTest {
  private static final String ONE = "one";
  private static final String TWO = "two";
  private static final byte ACCEPT = 1;
  private static final byte RELEASE = 2;
  private static final byte REJECT = 3;
  private static final byte RENEW = 4;

  private final FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
  private final Uuid topic = topicId(cluster);
  private final RawClient client = connect(cluster);

  ShareApisTest() {
    cluster.groupSetting("g", "share.auto.offset.reset", "earliest");
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    cluster.close();
  }

  private static RawClient connect(FakeCluster to) {
    try {
      return new RawClient(to, 1, "raw");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Uuid topicId(FakeCluster of) {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", of.bootstrap()))) {
      org.apache.kafka.common.Uuid id = admin.describeTopics(List.of("orders")).allTopicNames().get().values()
          .iterator().next().topicId();
      return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static ShareGroupHeartbeatResponse heartbeat(RawClient of, String member, int epoch, String... topics)
      throws IOException {
    ShareGroupHeartbeatRequest request = new ShareGroupHeartbeatRequest().groupId("g").memberId(member)
        .memberEpoch(epoch).subscribedTopicNames(topics.length == 0 ? null : List.of(topics));
    return of.ask(ApiKey.SHARE_GROUP_HEARTBEAT, 1, request::write, ShareGroupHeartbeatResponse::read);
  }

  /** Joins, and waits until the group is initialized: the second heartbeat has the partition. */
  private void join(String member) throws IOException {
    int epoch = heartbeat(client, member, 0, "orders").memberEpoch();
    assertThat(heartbeat(client, member, epoch).errorCode()).isZero();
  }

  private ShareFetchRequest fetch(String member, int epoch) {
    return new ShareFetchRequest().groupId("g").memberId(member).shareSessionEpoch(epoch).minBytes(1)
        .maxBytes(1 << 20).maxRecords(100).batchSize(100)
        .topics(List.of(new FetchTopic().topicId(topic).partitions(List.of(new FetchPartition()))));
  }

  private ShareFetchResponse ask(ShareFetchRequest request) throws IOException {
    return client.ask(ApiKey.SHARE_FETCH, 2, request::write, ShareFetchResponse::read);
  }

  /** Fetches, and returns the acquired records as {@code first-last:deliveries}. */
  private List<String> acquire(ShareFetchRequest request) throws IOException {
    ShareFetchResponse response = ask(request);
    assertThat(response.errorCode()).isZero();
    return response.responses().stream().flatMap(t -> t.partitions().stream())
        .flatMap(p -> p.acquiredRecords().stream())
        .map(r -> r.firstOffset() + "-" + r.lastOffset() + ":" + r.deliveryCount()).toList();
  }

  private ShareAcknowledgeRequest acknowledgement(String member, int epoch, long first, long last, byte... types) {
    List<Byte> all = IntStream.range(0, types.length).mapToObj(i -> types[i]).toList();
    return new ShareAcknowledgeRequest().groupId("g").memberId(member).shareSessionEpoch(epoch)
        .topics(List.of(new AcknowledgeTopic().topicId(topic).partitions(List.of(new AcknowledgePartition()
            .acknowledgementBatches(List.of(new ShareAcknowledgeRequest.AcknowledgementBatch().firstOffset(first)
                .lastOffset(last).acknowledgeTypes(all)))))));
  }

  /** Acknowledges, and returns the error of the partition. */
  private ErrorCode acknowledge(ShareAcknowledgeRequest request) throws IOException {
    ShareAcknowledgeResponse response = client.ask(ApiKey.SHARE_ACKNOWLEDGE, 2, request::write,
        ShareAcknowledgeResponse::read);
    assertThat(response.errorCode()).isZero();
    return ErrorCode.of(response.responses().getFirst().partitions().getFirst().errorCode());
  }

  private void send(int records) throws Exception {
    try (KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("linger.ms", 1000))) {
      for (int i = 0; i < records; i++) {
        var unused = producer.send(new ProducerRecord<>("orders", 0, null, "v" + i));
      }
      producer.flush();
    }
  }

  @ParameterizedTest
  @CsvSource({"4,1,1", "4,2,1", "4,2,2", "4,3,1", "4,3,2", "4,4,1", "4,4,2"})
  void allApisAnswerInEachVersion(int major, int minor, int version) throws Exception {
    try (FakeCluster other = FakeCluster.builder().release(major, minor).topic("orders", 1)
        .setting("group.share.enable", "true").start(); RawClient raw = connect(other)) {
      Uuid id = topicId(other);
      ShareGroupHeartbeatResponse joined = heartbeat(raw, ONE, 0, "orders");
      assertThat(joined.assignment()).isNotNull();
      assertThat(joined.memberEpoch()).isEqualTo(minor < 3 ? 1 : 2);
      assertThat(heartbeat(raw, ONE, joined.memberEpoch()).memberEpoch()).isEqualTo(joined.memberEpoch() + 1);
      ShareGroupDescribeRequest describe = new ShareGroupDescribeRequest().groupIds(List.of("g"));
      ShareGroupDescribeResponse described = raw.ask(ApiKey.SHARE_GROUP_DESCRIBE, 1, describe::write,
          ShareGroupDescribeResponse::read);
      assertThat(described.groups().getFirst().members().getFirst().assignment().topicPartitions()).hasSize(1);
      ShareFetchRequest fetch = new ShareFetchRequest().groupId("g").memberId(ONE).maxBytes(100).maxRecords(1)
          .batchSize(1).topics(List.of(new FetchTopic().topicId(id).partitions(List.of(new FetchPartition()))));
      assertThat(raw.ask(ApiKey.SHARE_FETCH, version, fetch::write, ShareFetchResponse::read)
          .responses().getFirst().partitions().getFirst().errorCode()).isZero();
      ShareAcknowledgeRequest acknowledge = new ShareAcknowledgeRequest().groupId("g").memberId(ONE)
          .shareSessionEpoch(-1);
      ShareAcknowledgeResponse acknowledged = raw.ask(ApiKey.SHARE_ACKNOWLEDGE, version, acknowledge::write,
          ShareAcknowledgeResponse::read);
      assertThat(acknowledged.errorCode()).isZero();
      assertThat(acknowledged.acquisitionLockTimeoutMs()).isEqualTo(version < 2 ? 0 : 30_000);
      assertThat(heartbeat(raw, ONE, -1).memberEpoch()).isEqualTo(-1);
      AlterShareGroupOffsetsRequest alter = alteration(0);
      assertThat(raw.ask(ApiKey.ALTER_SHARE_GROUP_OFFSETS, 0, alter::write, AlterShareGroupOffsetsResponse::read)
          .responses().getFirst().partitions().getFirst().errorCode()).isZero();
      assertThat(offsets(raw, version - 1).startOffset()).isZero();
      DeleteShareGroupOffsetsRequest delete = new DeleteShareGroupOffsetsRequest().groupId("g")
          .topics(List.of(new DeleteShareGroupOffsetsRequestTopic().topicName("orders")));
      assertThat(raw.ask(ApiKey.DELETE_SHARE_GROUP_OFFSETS, 0, delete::write, DeleteShareGroupOffsetsResponse::read)
          .responses().getFirst().errorCode()).isZero();
    }
  }

  private static AlterShareGroupOffsetsRequest alteration(long offset) {
    return new AlterShareGroupOffsetsRequest().groupId("g").topics(List.of(new AlterShareGroupOffsetsRequestTopic()
        .topicName("orders").partitions(List.of(new AlterShareGroupOffsetsRequestPartition().startOffset(offset)))));
  }

  private static DescribeShareGroupOffsetsResponsePartition offsets(RawClient of, int version) throws IOException {
    DescribeShareGroupOffsetsRequest request = new DescribeShareGroupOffsetsRequest()
        .groups(List.of(new DescribeShareGroupOffsetsRequestGroup().groupId("g").topics(null)));
    return of.ask(ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS, version, request::write,
        DescribeShareGroupOffsetsResponse::read).groups().getFirst().topics().getFirst().partitions().getFirst();
  }

  @Test
  void theSecondHeartbeatBringsThePartitionsAndOthersShareThem() throws Exception {
    cluster.addPartitions("orders", 2);
    assertThat(heartbeat(client, ONE, 0, "orders").assignment().topicPartitions()).isEmpty();
    ShareGroupHeartbeatResponse second = heartbeat(client, ONE, 2);
    assertThat(second.memberEpoch()).isEqualTo(3);
    assertThat(second.assignment().topicPartitions().getFirst().partitions()).containsExactly(0, 1);
    assertThat(heartbeat(client, ONE, 3).assignment()).isNull();
    assertThat(heartbeat(client, TWO, 0, "orders").assignment().topicPartitions().getFirst().partitions()).hasSize(1);
    assertThat(heartbeat(client, ONE, 3).assignment().topicPartitions().getFirst().partitions()).hasSize(1);
    cluster.clock().advance(Duration.ofSeconds(44));
    int epoch = heartbeat(client, ONE, 4).memberEpoch();
    cluster.clock().advance(Duration.ofSeconds(2)); // expires the session of the other member
    assertThat(heartbeat(client, ONE, epoch).assignment().topicPartitions().getFirst().partitions())
        .containsExactly(0, 1);
    assertThat(heartbeat(client, TWO, 4).errorCode()).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID.code());
  }

  /** The partitions of the earlier topic took the members' room: one of two members never had a partition. */
  @Test
  void membersShareTheTopicThatTheyReadNowAsIfTheyHadReadNoOther() throws Exception {
    try (FakeCluster other = FakeCluster.builder().topic("a", 1).topic("b", 1).start();
        RawClient raw = connect(other)) {
      heartbeat(raw, ONE, 0, "a");
      heartbeat(raw, TWO, 0, "a");
      int one = heartbeat(raw, ONE, heartbeat(raw, ONE, 0, "b").memberEpoch()).memberEpoch();
      int two = heartbeat(raw, TWO, heartbeat(raw, TWO, 0, "b").memberEpoch()).memberEpoch();
      one = heartbeat(raw, ONE, one).memberEpoch();
      two = heartbeat(raw, TWO, two).memberEpoch();
      assertThat(heartbeat(raw, ONE, one, "b").assignment().topicPartitions()).hasSize(1);
      assertThat(heartbeat(raw, TWO, two, "b").assignment().topicPartitions()).hasSize(1);
    }
  }

  /** Share groups refused it: they had members, but no way to expire the session of one. */
  @ParameterizedTest
  @CsvSource({ONE, "raw"})
  void aTestEndsTheSessionOfAMember(String name) throws Exception {
    int epoch = heartbeat(client, ONE, 0, "orders").memberEpoch();
    cluster.expireMember("g", name);
    assertThat(heartbeat(client, ONE, epoch).errorCode()).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID.code());
  }

  @Test
  void acquiredRecordsAreLockedForTheirTimeAndRenewedOnRequest() throws Exception {
    send(1);
    join(ONE);
    assertThat(acquire(fetch(ONE, 0))).containsExactly("0-0:1");
    assertThat(acquire(fetch(TWO, 0))).isEmpty();
    cluster.clock().advance(Duration.ofSeconds(29));
    ShareAcknowledgeRequest renewal = acknowledgement(ONE, 1, 0, 0, RENEW).isRenewAck(true);
    assertThat(acknowledge(renewal)).isEqualTo(ErrorCode.NONE);
    cluster.clock().advance(Duration.ofSeconds(29));
    SharedPartition held = cluster.sharedPartition("g", "orders", 0);
    assertThat(held.records()).containsExactly(new SharedPartition.Record(0, State.ACQUIRED, 1, ONE));
    cluster.clock().advance(Duration.ofSeconds(1));
    assertThat(cluster.sharedPartition("g", "orders", 0).available()).isEqualTo(1);
    assertThat(acknowledge(acknowledgement(ONE, 2, 0, 0, ACCEPT))).isEqualTo(ErrorCode.INVALID_RECORD_STATE);
    assertThat(acquire(fetch(TWO, 1))).containsExactly("0-0:2");
    assertThat(acknowledge(acknowledgement(ONE, 3, 0, 0, ACCEPT))).isEqualTo(ErrorCode.INVALID_RECORD_STATE);
    assertThat(acknowledge(acknowledgement(TWO, 2, 0, 0, ACCEPT))).isEqualTo(ErrorCode.NONE);
    assertThat(cluster.sharedPartition("g", "orders", 0).startOffset()).isEqualTo(1);
  }

  @Test
  void aWaitingFetchHearsOfNewRecordsAndOfThoseThatAreAvailableAgain() throws Exception {
    join(ONE);
    ShareFetchRequest first = fetch(ONE, 0).maxWaitMs(60_000);
    client.send(ApiKey.SHARE_FETCH, 2, first::write);
    send(1);
    assertThat(client.receive(ApiKey.SHARE_FETCH, 2, ShareFetchResponse::read).responses()).hasSize(1);
    try (RawClient other = connect(cluster)) {
      ShareFetchRequest second = fetch(TWO, 0).maxWaitMs(60_000);
      other.send(ApiKey.SHARE_FETCH, 2, second::write);
      cluster.awaitRequest(r -> r.body().equals(second), Duration.ofSeconds(20));
      assertThat(acknowledge(acknowledgement(ONE, 1, 0, 0, RELEASE))).isEqualTo(ErrorCode.NONE);
      PartitionData again = other.receive(ApiKey.SHARE_FETCH, 2, ShareFetchResponse::read).responses().getFirst()
          .partitions().getFirst();
      assertThat(again.acquiredRecords().getFirst().deliveryCount()).isEqualTo((short) 2);
      assertThat(again.records().hasRemaining()).isTrue();
    }
  }

  @Test
  void aSessionEndsWithItsConnection() throws Exception {
    send(1);
    join(ONE);
    try (RawClient other = connect(cluster)) {
      ShareFetchRequest request = fetch(TWO, 0);
      assertThat(other.ask(ApiKey.SHARE_FETCH, 2, request::write, ShareFetchResponse::read).responses()).hasSize(1);
      assertThat(cluster.sharedPartition("g", "orders", 0).acquired()).isEqualTo(1);
    }
    ShareFetchRequest waits = fetch(ONE, 0).maxWaitMs(60_000);
    client.send(ApiKey.SHARE_FETCH, 2, waits::write);
    assertThat(client.receive(ApiKey.SHARE_FETCH, 2, ShareFetchResponse::read).responses().getFirst().partitions()
        .getFirst().acquiredRecords().getFirst().deliveryCount()).isEqualTo((short) 2);
  }

  @Test
  void sessionsHaveEpochs() throws Exception {
    join(ONE);
    assertThat(ask(fetch(ONE, 1)).errorCode()).isEqualTo(ErrorCode.SHARE_SESSION_NOT_FOUND.code());
    assertThat(ask(fetch(ONE, 0)).errorCode()).isZero();
    assertThat(ask(fetch(ONE, 2)).errorCode()).isEqualTo(ErrorCode.INVALID_SHARE_SESSION_EPOCH.code());
    assertThat(ask(fetch(ONE, 1)).errorCode()).isZero();
    assertThat(ask(fetch(ONE, -1)).errorCode()).isZero();
    assertThat(ask(fetch(ONE, -1)).errorCode()).isEqualTo(ErrorCode.SHARE_SESSION_NOT_FOUND.code());
  }

  @Test
  void acknowledgementsOfARequestAreAppliedWholeOrNotAtAll() throws Exception {
    send(3);
    send(1);
    join(ONE);
    assertThat(acquire(fetch(ONE, 0).maxRecords(1))).containsExactly("0-2:1");
    assertThat(acquire(fetch(TWO, 0))).containsExactly("3-3:1");
    ShareAcknowledgeRequest both = acknowledgement(ONE, 1, 0, 0, ACCEPT);
    AcknowledgePartition partition = both.topics().getFirst().partitions().getFirst();
    partition.acknowledgementBatches(List.of(partition.acknowledgementBatches().getFirst(),
        new ShareAcknowledgeRequest.AcknowledgementBatch().firstOffset(3).lastOffset(3)
            .acknowledgeTypes(List.of(ACCEPT))));
    assertThat(acknowledge(both)).isEqualTo(ErrorCode.INVALID_RECORD_STATE);
    assertThat(cluster.sharedPartition("g", "orders", 0).acquired()).isEqualTo(4);
    assertThat(acknowledge(acknowledgement(ONE, 2, 0, 2, RELEASE, REJECT, ACCEPT))).isEqualTo(ErrorCode.NONE);
    assertThat(cluster.sharedPartition("g", "orders", 0).records()).extracting(SharedPartition.Record::state)
        .containsExactly(State.AVAILABLE, State.ARCHIVED, State.ACKNOWLEDGED, State.ACQUIRED);
    assertThat(offsets(client, 1).lag()).isEqualTo(2);
    ShareFetchRequest next = fetch(ONE, 3);
    next.topics().getFirst().partitions().getFirst().acknowledgementBatches(
        List.of(new AcknowledgementBatch().firstOffset(2).lastOffset(2).acknowledgeTypes(List.of(ACCEPT))));
    PartitionData data = ask(next).responses().getFirst().partitions().getFirst();
    assertThat(data.acknowledgeErrorCode()).isEqualTo(ErrorCode.INVALID_RECORD_STATE.code());
    assertThat(data.acquiredRecords()).hasSize(1);
  }

  @Test
  void aLimitOfRecordsCutsBatchesAndTheBestSizeDoesNot() throws Exception {
    send(5);
    join(ONE);
    assertThat(acquire(fetch(ONE, 0).maxRecords(2).shareAcquireMode((byte) 1))).containsExactly("0-1:1");
    assertThat(acquire(fetch(TWO, 0).maxRecords(2))).containsExactly("2-4:1");
    send(1);
    send(1);
    assertThat(acquire(fetch(ONE, 1).batchSize(1))).containsExactly("5-5:1", "6-6:1");
  }

  @Test
  void noMoreRecordsAreInFlightThanMayBe() throws Exception {
    cluster.groupSetting("g", "share.partition.max.record.locks", "100");
    send(60);
    send(60);
    send(60);
    join(ONE);
    assertThat(acquire(fetch(ONE, 0).maxRecords(500))).containsExactly("0-119:1");
    assertThat(acquire(fetch(ONE, 1))).isEmpty();
    assertThat(acknowledge(acknowledgement(ONE, 2, 0, 59, ACCEPT))).isEqualTo(ErrorCode.NONE);
    assertThat(acquire(fetch(ONE, 3))).containsExactly("120-179:1");
  }

  @Test
  void recordsThatWereDeliveredOftenComeApartAndAreArchivedInTheEnd() throws Exception {
    send(4);
    join(ONE);
    assertThat(acquire(fetch(ONE, 0))).containsExactly("0-3:1");
    release(1, 0, 3);
    assertThat(acquire(fetch(ONE, 2))).containsExactly("0-3:2");
    release(3, 0, 3);
    assertThat(acquire(fetch(ONE, 4))).containsExactly("0-3:3");
    release(5, 0, 3);
    assertThat(acquire(fetch(ONE, 6))).containsExactly("0-1:4");
    release(7, 0, 1);
    assertThat(acquire(fetch(ONE, 8))).containsExactly("0-0:5");
    release(9, 0, 0);
    assertThat(cluster.sharedPartition("g", "orders", 0).startOffset()).isEqualTo(1);
  }

  private void release(int epoch, long first, long last) throws IOException {
    assertThat(acknowledge(acknowledgement(ONE, epoch, first, last, RELEASE))).isEqualTo(ErrorCode.NONE);
  }

  @Test
  void anotherLeaderGoesOnWithWhatIsStored() throws Exception {
    try (FakeCluster two = FakeCluster.builder().brokers(2).topic("orders", 1).start()) {
      two.groupSetting("g", "share.auto.offset.reset", "earliest");
      int coordinator = "g".hashCode() % 50 % 2 + 1;
      try (RawClient heartbeats = new RawClient(two, coordinator, "raw");
          RawClient first = new RawClient(two, 1, "raw");
          RawClient second = new RawClient(two, 2, "raw");
          KafkaProducer<String, String> producer = ApacheClients.producer(two, Map.of())) {
        for (int i = 0; i < 3; i++) {
          producer.send(new ProducerRecord<>("orders", 0, null, "v")).get();
        }
        assertThat(heartbeat(heartbeats, ONE, 0, "orders").errorCode()).isZero();
        assertThat(heartbeat(heartbeats, ONE, 2).errorCode()).isZero();
        Uuid id = topicId(two);
        ShareFetchRequest fetch = fetch(ONE, 0);
        fetch.topics().getFirst().topicId(id);
        assertThat(first.ask(ApiKey.SHARE_FETCH, 2, fetch::write, ShareFetchResponse::read).responses().getFirst()
            .partitions().getFirst().acquiredRecords()).hasSize(1);
        ShareAcknowledgeRequest release = acknowledgement(ONE, 1, 0, 0, RELEASE);
        release.topics().getFirst().topicId(id);
        first.ask(ApiKey.SHARE_ACKNOWLEDGE, 2, release::write, ShareAcknowledgeResponse::read);
        two.moveLeader("orders", 0, 2);
        PartitionData old = first.ask(ApiKey.SHARE_FETCH, 2, fetch::write, ShareFetchResponse::read).responses()
            .getFirst().partitions().getFirst();
        assertThat(old.errorCode()).isEqualTo(ErrorCode.NOT_LEADER_OR_FOLLOWER.code());
        assertThat(old.currentLeader().leaderId()).isEqualTo(2);
        assertThat(second.ask(ApiKey.SHARE_FETCH, 2, fetch::write, ShareFetchResponse::read).responses().getFirst()
            .partitions().getFirst().acquiredRecords())
            .extracting(r -> r.firstOffset() + "-" + r.lastOffset() + ":" + r.deliveryCount())
            .containsExactly("0-0:2", "1-2:1");
      }
    }
  }

  @Test
  void abortedRecordsAreNotDeliveredToGroupsThatReadCommittedOnes() throws Exception {
    cluster.groupSetting("g", "share.isolation.level", "read_committed");
    join(ONE);
    try (KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("transactional.id", "shop"))) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>("orders", 0, null, "lost")).get();
      assertThat(acquire(fetch(ONE, 0))).isEmpty(); // an open transaction
      producer.abortTransaction();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>("orders", 0, null, "kept")).get();
      producer.commitTransaction();
    }
    assertThat(acquire(fetch(ONE, 1))).containsExactly("1-3:1"); // with the markers, which clients skip
    assertThat(cluster.sharedPartition("g", "orders", 0).records().getFirst().state()).isEqualTo(State.ARCHIVED);
  }

  @Test
  void aFetchOfATopicThatIsGoneFailsAsAWholeAsWithBrokers() throws Exception {
    join(ONE);
    assertThat(ask(fetch(ONE, 0)).errorCode()).isZero();
    cluster.recreateTopic("orders");
    assertThat(ask(fetch(ONE, 1)).errorCode()).isEqualTo(ErrorCode.UNKNOWN_SERVER_ERROR.code());
    assertThat(acknowledge(acknowledgement(ONE, 2, 0, 0, ACCEPT))).isEqualTo(ErrorCode.UNKNOWN_TOPIC_ID);
    assertThat(heartbeat(client, ONE, 3).assignment().topicPartitions()).isEmpty();
    assertThat(heartbeat(client, ONE, 4).assignment().topicPartitions().getFirst().topicId()).isNotEqualTo(topic);
  }

  @Test
  void acknowledgementsThatCannotBeReadAreRefused() throws Exception {
    send(2);
    join(ONE);
    assertThat(acquire(fetch(ONE, 0))).containsExactly("0-1:1");
    assertThat(acknowledge(acknowledgement(ONE, 1, 1, 0, ACCEPT))).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(acknowledge(acknowledgement(ONE, 2, 0, 1))).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(acknowledge(acknowledgement(ONE, 3, 0, 1, ACCEPT, ACCEPT, ACCEPT)))
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(acknowledge(acknowledgement(ONE, 4, 0, 1, (byte) 5))).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(acknowledge(acknowledgement(ONE, 5, 0, 1, RENEW))).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(acknowledge(acknowledgement(ONE, 6, 0, Long.MAX_VALUE, ACCEPT))).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(acknowledge(acknowledgement(ONE, 7, 7, 8, ACCEPT))).isEqualTo(ErrorCode.INVALID_REQUEST);
    cluster.groupSetting("g", "share.renew.acknowledge.enable", "false");
    assertThat(acknowledge(acknowledgement(ONE, 8, 0, 1, RENEW).isRenewAck(true)))
        .isEqualTo(ErrorCode.INVALID_RECORD_STATE);
    ShareFetchRequest renewal = fetch(ONE, 9).isRenewAck(true);
    assertThat(ask(renewal).errorCode()).isEqualTo(ErrorCode.INVALID_REQUEST.code());
  }

  @Test
  void shareCoordinatorsAreFoundByTheKeysOfPartitions() throws Exception {
    FindCoordinatorRequest request = new FindCoordinatorRequest().keyType((byte) 2)
        .coordinatorKeys(List.of("g:" + topic + ":0", "g:" + topic + ":x", "g"));
    assertThat(client.ask(ApiKey.FIND_COORDINATOR, 6, request::write, FindCoordinatorResponse::read).coordinators())
        .extracting(Coordinator::errorCode).containsExactly(ErrorCode.NONE.code(), ErrorCode.INVALID_REQUEST.code(),
            ErrorCode.INVALID_REQUEST.code());
    assertThat(client.ask(ApiKey.FIND_COORDINATOR, 5, request::write, FindCoordinatorResponse::read).coordinators())
        .allMatch(c -> c.errorCode() == ErrorCode.INVALID_REQUEST.code());
  }
}
