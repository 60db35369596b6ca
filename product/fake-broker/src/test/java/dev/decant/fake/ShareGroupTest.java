package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.protocol.ApiKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that members of Apache's client share the records of a topic in a share group of a fake cluster (KIP-932). */
@Timeout(60)
class ShareGroupTest {
  private static final Duration SHORT = Duration.ofMillis(20);

  private static FakeClusterBuilder builder() {
    return FakeCluster.builder().topic("orders", 1).setting("group.share.heartbeat.interval.ms", "50");
  }

  private static FakeCluster start(FakeClusterBuilder builder) {
    FakeCluster cluster = builder.start();
    cluster.groupSetting("g", "share.auto.offset.reset", "earliest");
    return cluster;
  }

  private static KafkaShareConsumer<String, String> member(FakeCluster cluster, String mode, int mostRecords) {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", cluster.bootstrap(), "group.id", "g",
        "share.acknowledgement.mode", mode, "max.poll.records", mostRecords, "fetch.max.wait.ms", 50));
    KafkaShareConsumer<String, String> member = new KafkaShareConsumer<>(settings, new StringDeserializer(),
        new StringDeserializer());
    member.subscribe(List.of("orders"));
    return member;
  }

  private static void send(FakeCluster cluster, String... values) throws Exception {
    try (KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      for (String value : values) {
        producer.send(new ProducerRecord<>("orders", 0, null, value)).get();
      }
    }
  }

  private static List<ConsumerRecord<String, String>> poll(KafkaShareConsumer<String, String> member) {
    List<ConsumerRecord<String, String>> records = new ArrayList<>();
    while (records.isEmpty()) {
      member.poll(SHORT).forEach(records::add);
    }
    return records;
  }

  @ParameterizedTest
  @CsvSource({"4,1", "4,2", "4,3", "4,4"})
  void membersShareAPartition(int major, int minor) throws Exception {
    try (FakeCluster cluster = start(builder().brokers(2).release(major, minor).setting("group.share.enable", "true"));
        KafkaShareConsumer<String, String> one = member(cluster, "implicit", 1);
        KafkaShareConsumer<String, String> two = member(cluster, "implicit", 1)) {
      Set<String> sent = new TreeSet<>();
      for (int i = 0; i < 20; i++) {
        sent.add("v" + i);
      }
      List<String> ofOne = new ArrayList<>();
      List<String> ofTwo = new ArrayList<>();
      while (cluster.requests(ApiKey.SHARE_FETCH).stream().map(ReceivedRequest::connection).distinct().count() < 2) {
        one.poll(SHORT);
        two.poll(SHORT);
      }
      send(cluster, sent.toArray(String[]::new));
      while (ofOne.size() + ofTwo.size() < 20) {
        one.poll(SHORT).forEach(r -> ofOne.add(r.value()));
        two.poll(SHORT).forEach(r -> ofTwo.add(r.value()));
      }
      one.commitSync();
      two.commitSync();
      assertThat(ofOne).isNotEmpty().doesNotContainAnyElementsOf(ofTwo);
      assertThat(ofTwo).isNotEmpty();
      Set<String> all = new HashSet<>(ofOne);
      all.addAll(ofTwo);
      assertThat(all).isEqualTo(sent);
    }
  }

  @Test
  void aReleasedRecordComesAgainAndARejectedOneDoesNot() throws Exception {
    try (FakeCluster cluster = start(builder());
        KafkaShareConsumer<String, String> member = member(cluster, "explicit", 100)) {
      send(cluster, "a", "b", "c");
      List<String> seen = new ArrayList<>();
      while (seen.size() < 4) {
        for (ConsumerRecord<String, String> record : poll(member)) {
          seen.add(record.value() + record.deliveryCount().orElseThrow());
          member.acknowledge(record, switch (record.value() + record.deliveryCount().orElseThrow()) {
            case "a1" -> AcknowledgeType.RELEASE;
            case "b1" -> AcknowledgeType.REJECT;
            default -> AcknowledgeType.ACCEPT;
          });
        }
        assertThat(member.commitSync()).allSatisfy((partition, error) -> assertThat(error).isEmpty());
      }
      assertThat(seen).containsExactly("a1", "b1", "c1", "a2");
      send(cluster, "d");
      assertThat(poll(member)).extracting(ConsumerRecord::value).containsExactly("d");
    }
  }

  @Test
  void aRecordThatAMemberDoesNotAcknowledgeComesAgainWhenItsLockEnds() throws Exception {
    try (FakeCluster cluster = start(builder());
        KafkaShareConsumer<String, String> member = member(cluster, "explicit", 100)) {
      send(cluster, "a");
      ConsumerRecord<String, String> first = poll(member).getFirst();
      assertThat(first.deliveryCount()).contains((short) 1);
      cluster.clock().advance(Duration.ofSeconds(30));
      member.acknowledge(first); // too late, unless the client has fetched the record again by itself
      member.commitSync();
      assertThat(poll(member).getFirst().deliveryCount()).contains((short) 2);
    }
  }

  @Test
  void aRecordThatIsDeliveredAsOftenAsMayBeIsArchived() throws Exception {
    try (FakeCluster cluster = start(builder());
        KafkaShareConsumer<String, String> member = member(cluster, "explicit", 100)) {
      cluster.groupSetting("g", "share.delivery.count.limit", "3");
      send(cluster, "poison");
      for (short i = 1; i <= 3; i++) {
        ConsumerRecord<String, String> record = poll(member).getFirst();
        assertThat(record.deliveryCount()).contains(i);
        member.acknowledge(record, AcknowledgeType.RELEASE);
        member.commitSync();
      }
      send(cluster, "next");
      ConsumerRecord<String, String> record = poll(member).getFirst();
      assertThat(record.value()).isEqualTo("next");
    }
  }

  @Test
  void whatAMemberHasIsAvailableWhenItLeaves() throws Exception {
    try (FakeCluster cluster = start(builder());
        KafkaShareConsumer<String, String> stays = member(cluster, "explicit", 100)) {
      send(cluster, "a", "b");
      try (KafkaShareConsumer<String, String> leaves = member(cluster, "explicit", 100)) {
        assertThat(poll(leaves)).hasSize(2);
      }
      assertThat(poll(stays)).extracting(r -> r.value() + r.deliveryCount().orElseThrow())
          .containsExactly("a2", "b2");
    }
  }

  @Test
  void anAdministratorSeesShareGroupsAndSaysWhereTheyBegin() throws Exception {
    TopicPartition orders = new TopicPartition("orders", 0);
    try (FakeCluster cluster = start(builder().brokers(2));
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      send(cluster, "a", "b", "c");
      try (KafkaShareConsumer<String, String> member = member(cluster, "implicit", 100)) {
        assertThat(poll(member)).hasSize(3);
        member.commitSync();
        ShareGroupDescription group = Objects
            .requireNonNull(admin.describeShareGroups(List.of("g")).all().get().get("g"));
        assertThat(group.groupState()).isEqualTo(GroupState.STABLE);
        assertThat(group.members()).singleElement()
            .satisfies(m -> assertThat(m.assignment().topicPartitions()).containsExactly(orders));
        GroupListing listed = admin.listGroups(ListGroupsOptions.forShareGroups()).all().get().iterator().next();
        assertThat(listed.groupId()).isEqualTo("g");
        assertThat(listed.type()).contains(GroupType.SHARE);
        assertThatThrownBy(() -> admin.deleteShareGroups(List.of("g")).all().get())
            .hasCauseInstanceOf(GroupNotEmptyException.class);
        assertThatThrownBy(() -> admin.alterShareGroupOffsets("g", Map.of(orders, 1L)).all().get())
            .hasCauseInstanceOf(GroupNotEmptyException.class);
      }
      assertThatThrownBy(() -> admin.deleteConsumerGroupOffsets("g", Set.of(orders)).all().get())
          .hasCauseInstanceOf(GroupIdNotFoundException.class);
      assertThatThrownBy(
          () -> admin.alterConsumerGroupOffsets("g", Map.of(orders, new OffsetAndMetadata(1))).all().get())
          .hasCauseInstanceOf(GroupIdNotFoundException.class);
      SharePartitionOffsetInfo before = offset(admin, orders);
      assertThat(before.lag()).contains(0L);
      admin.alterShareGroupOffsets("g", Map.of(orders, 1L)).all().get();
      assertThat(offset(admin, orders).startOffset()).isEqualTo(1);
      assertThat(offset(admin, orders).lag()).contains(2L);
      try (KafkaShareConsumer<String, String> member = member(cluster, "implicit", 100)) {
        assertThat(poll(member)).extracting(ConsumerRecord::value).containsExactly("b", "c");
      }
      admin.deleteShareGroupOffsets("g", Set.of("orders")).all().get();
      assertThat(admin.listShareGroupOffsets(Map.of("g", new ListShareGroupOffsetsSpec())).partitionsToOffsetInfo("g")
          .get()).isEmpty();
      admin.deleteShareGroups(List.of("g")).all().get();
      assertThat(admin.listGroups().all().get()).isEmpty();
    }
  }

  private static SharePartitionOffsetInfo offset(Admin admin, TopicPartition partition) throws Exception {
    return Objects.requireNonNull(admin.listShareGroupOffsets(Map.of("g", new ListShareGroupOffsetsSpec()))
        .partitionsToOffsetInfo("g").get().get(partition));
  }

  @Test
  void anAdministratorSetsHowAGroupWorks() throws Exception {
    ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, "g");
    try (FakeCluster cluster = builder().start();
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      set(admin, group, "share.record.lock.duration.ms", "20000");
      Config config = Objects.requireNonNull(admin.describeConfigs(List.of(group)).all().get().get(group));
      assertThat(config.get("share.record.lock.duration.ms").value()).isEqualTo("20000");
      assertThat(config.get("share.record.lock.duration.ms").source())
          .isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_GROUP_CONFIG);
      assertThat(config.get("share.auto.offset.reset").value()).isEqualTo("latest");
      for (String wrong : List.of("share.record.lock.duration.ms=5000", "share.auto.offset.reset=never",
          "share.nothing=1", "share.delivery.count.limit=11")) {
        assertThatThrownBy(
            () -> set(admin, group, wrong.substring(0, wrong.indexOf('=')), wrong.substring(wrong.indexOf('=') + 1)))
            .hasCauseInstanceOf(InvalidConfigurationException.class);
      }
      set(admin, group, "share.auto.offset.reset", "by_duration:PT1H");
      send(cluster, "a");
      try (KafkaShareConsumer<String, String> member = member(cluster, "implicit", 100)) {
        assertThat(poll(member)).hasSize(1);
        assertThat(member.acquisitionLockTimeoutMs()).contains(20_000);
      }
    }
  }

  private static void set(Admin admin, ConfigResource group, String name, String value) throws Exception {
    AlterConfigOp change = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
    admin.incrementalAlterConfigs(Map.of(group, List.of(change))).all().get();
  }

  @Test
  void abortedRecordsAreNotDeliveredToAGroupThatReadsCommittedOnes() throws Exception {
    try (FakeCluster cluster = start(builder());
        KafkaShareConsumer<String, String> member = member(cluster, "implicit", 100);
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("transactional.id", "shop"))) {
      cluster.groupSetting("g", "share.isolation.level", "read_committed");
      producer.initTransactions();
      for (String value : List.of("aborted", "committed")) {
        producer.beginTransaction();
        producer.send(new ProducerRecord<>("orders", 0, null, value)).get();
        if (value.equals("aborted")) {
          producer.abortTransaction();
        } else {
          producer.commitTransaction();
        }
      }
      assertThat(poll(member)).extracting(ConsumerRecord::value).containsExactly("committed");
      member.commitSync();
      assertThat(cluster.sharedPartition("g", "orders", 0).startOffset()).isEqualTo(4);
    }
  }

  @Test
  void membersGoOnWhenTheLeaderMovesAndWhenTheBrokerDies() throws Exception {
    try (FakeCluster cluster = start(builder().brokers(3));
        KafkaShareConsumer<String, String> member = member(cluster, "implicit", 100)) {
      send(cluster, "a");
      assertThat(poll(member)).hasSize(1);
      member.commitSync();
      cluster.moveLeader("orders", 0, 2);
      send(cluster, "b");
      assertThat(poll(member)).extracting(ConsumerRecord::value).containsExactly("b");
      member.commitSync();
      cluster.broker(2).kill();
      send(cluster, "c");
      assertThat(poll(member)).extracting(ConsumerRecord::value).containsExactly("c");
    }
  }

  @Test
  void aReleaseWithoutShareGroupsRefusesThem() {
    try (FakeCluster cluster = start(builder().release(4, 1));
        KafkaShareConsumer<String, String> member = member(cluster, "implicit", 100)) {
      assertThatThrownBy(() -> poll(member))
          .isInstanceOf(UnsupportedVersionException.class);
    }
  }
}
