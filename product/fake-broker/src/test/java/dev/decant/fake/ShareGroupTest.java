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
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Members of Apache's client share the records of a topic in a share group of a fake cluster (KIP-932). */
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
    KafkaShareConsumer<String, String> member =
        new KafkaShareConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
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
    try (FakeCluster cluster =
        start(builder().brokers(2).release(major, minor).setting("group.share.enable", "true"));
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
  void aReleaseWithoutShareGroupsRefusesThem() {
    try (FakeCluster cluster = start(builder().release(4, 1));
        KafkaShareConsumer<String, String> member = member(cluster, "implicit", 100)) {
      assertThatThrownBy(() -> poll(member))
          .isInstanceOf(org.apache.kafka.common.errors.UnsupportedVersionException.class);
    }
  }
}
