package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicaAssignmentException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that topics, records and configs are administered as in a real cluster, with the same errors. */
@Timeout(30)
class AdminApisTest {
  private static final ConfigResource ORDERS = new ConfigResource(ConfigResource.Type.TOPIC, "orders");
  private final FakeCluster cluster = FakeCluster.builder().brokers(3).topic("orders", 2).start();
  private final Admin admin = adminOf(cluster);

  @AfterEach
  void close() {
    admin.close();
    cluster.close();
  }

  private static Admin adminOf(FakeCluster cluster) {
    return Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
  }

  private static <T> T get(KafkaFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  private static <K, V> V of(K key, Map<K, V> values) {
    return Objects.requireNonNull(values.get(key));
  }

  private static void fails(KafkaFuture<?> future, Class<? extends Exception> error, String message) {
    assertThatThrownBy(() -> get(future)).isInstanceOf(ExecutionException.class).cause().isInstanceOf(error)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource({"2,1", "2,8", "3,9", "4,0", "4,3", "4,4"})
  void topicsAreMadeDescribedAndDeletedInEachRelease(int major, int minor) throws Exception {
    try (FakeCluster other = FakeCluster.builder().brokers(2).release(major, minor).start();
        Admin ofOther = adminOf(other)) {
      get(ofOther.createTopics(List.of(new NewTopic("made", 3, (short) 2))).all());
      var topic = of("made", get(ofOther.describeTopics(List.of("made")).allTopicNames()));
      assertThat(topic.partitions()).hasSize(3).allMatch(p -> p.replicas().size() == 2 && p.isr().size() == 2);
      get(ofOther.createPartitions(Map.of("made", NewPartitions.increaseTo(4))).all());
      assertThat(of("made", get(ofOther.describeTopics(List.of("made")).allTopicNames())).partitions()).hasSize(4);
      get(ofOther.deleteTopics(List.of("made")).all());
      assertThat(get(ofOther.listTopics().names())).isEmpty();
    }
  }

  @Test
  void aNewTopicHasItsDefaultsItsConfigsAndItsId() throws Exception {
    NewTopic wanted = new NewTopic("made", Optional.empty(), Optional.empty())
        .configs(Map.of("retention.ms", "1000"));
    CreateTopicsResult result = admin.createTopics(List.of(wanted));
    assertThat(get(result.numPartitions("made"))).isEqualTo(1);
    assertThat(get(result.replicationFactor("made"))).isEqualTo(1);
    assertThat(get(result.config("made")).get("retention.ms").value()).isEqualTo("1000");
    assertThat(get(result.config("made")).get("segment.ms").isDefault()).isTrue();
    Uuid id = get(result.topicId("made"));
    assertThat(of(id, get(admin.describeTopics(TopicCollection.ofTopicIds(List.of(id))).allTopicIds())).name())
        .isEqualTo("made");
    get(admin.deleteTopics(TopicCollection.ofTopicIds(List.of(id))).all());
    fails(admin.deleteTopics(TopicCollection.ofTopicIds(List.of(id))).all(), UnknownTopicIdException.class, "");
  }

  @Test
  void aValidationMakesNothing() throws Exception {
    CreateTopicsResult result = admin.createTopics(List.of(new NewTopic("made", 5, (short) 3)),
        new CreateTopicsOptions().validateOnly(true));
    assertThat(get(result.numPartitions("made"))).isEqualTo(5);
    assertThat(get(admin.listTopics().names())).containsExactly("orders");
  }

  @Test
  void replicasAreWhereTheClientWantsThem() throws Exception {
    get(admin.createTopics(List.of(new NewTopic("made", Map.of(0, List.of(3, 1), 1, List.of(2, 3))))).all());
    get(admin.createPartitions(Map.of("made", NewPartitions.increaseTo(3, List.of(List.of(1, 2))))).all());
    var topic = of("made", get(admin.describeTopics(List.of("made")).allTopicNames()));
    assertThat(topic.partitions()).extracting(p -> p.leader().id()).containsExactly(3, 2, 1);
  }

  @Test
  void aTopicThatIsMadeWhileABrokerIsDeadIsLedByTheLiving() throws Exception {
    cluster.broker(2).kill();
    get(admin.createTopics(List.of(new NewTopic("made", Map.of(0, List.of(2, 3))))).all());
    var partition = of("made", get(admin.describeTopics(List.of("made")).allTopicNames())).partitions().getFirst();
    assertThat(partition.leader().id()).isEqualTo(3);
    assertThat(partition.isr()).hasSize(1);
  }

  @Test
  void topicsThatCannotBeAreRefusedWithTheReason() {
    refused(new NewTopic("orders", 1, (short) 1), TopicExistsException.class, "Topic 'orders' already exists.");
    refused(new NewTopic("a b", 1, (short) 1), InvalidTopicException.class, "contains one or more characters");
    refused(new NewTopic("made", 1, (short) 4), InvalidReplicationFactorException.class,
        "The target replication factor of 4 cannot be reached because only 3 broker(s) are registered");
    refused(new NewTopic("made", 0, (short) 1), InvalidPartitionsException.class, "non-positive");
    refused(new NewTopic("made", Map.of(0, List.of(9))), InvalidReplicaAssignmentException.class, "broker 9");
    refused(new NewTopic("made", Map.of(1, List.of(1))), InvalidReplicaAssignmentException.class, "consecutive");
    refused(new NewTopic("made", 1, (short) 1).configs(Map.of("retention", "1")),
        InvalidConfigurationException.class, "Unknown topic config name: retention");
    refused(new NewTopic("made", 1, (short) 1).configs(Map.of("min.insync.replicas", "0")),
        InvalidConfigurationException.class, "Value must be at least 1");
  }

  private void refused(NewTopic topic, Class<? extends Exception> error, String message) {
    fails(admin.createTopics(List.of(topic)).all(), error, message);
  }

  @Test
  void partitionsOnlyGrow() {
    fails(admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(2))).all(),
        InvalidPartitionsException.class, "Topic already has 2 partition(s).");
    fails(admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(1))).all(),
        InvalidPartitionsException.class, "would not be an increase");
    fails(admin.createPartitions(Map.of("absent", NewPartitions.increaseTo(1))).all(),
        UnknownTopicOrPartitionException.class, "");
  }

  @Test
  void deletedRecordsAreGone() throws Exception {
    TopicPartition first = new TopicPartition("orders", 0);
    produce(3);
    assertThat(get(of(first, admin.deleteRecords(Map.of(first, RecordsToDelete.beforeOffset(2))).lowWatermarks()))
        .lowWatermark()).isEqualTo(2);
    assertThat(get(admin.listOffsets(Map.of(first, OffsetSpec.earliest())).partitionResult(first)).offset())
        .isEqualTo(2);
    fails(admin.deleteRecords(Map.of(first, RecordsToDelete.beforeOffset(4))).all(), OffsetOutOfRangeException.class,
        "");
    get(admin.deleteRecords(Map.of(first, RecordsToDelete.beforeOffset(-1))).all());
    assertThat(cluster.log("orders", 0).records()).isEmpty();
    cluster.createTopic("compacted", 1, Map.of("cleanup.policy", "compact"));
    fails(admin.deleteRecords(Map.of(new TopicPartition("compacted", 0), RecordsToDelete.beforeOffset(-1))).all(),
        PolicyViolationException.class, "");
  }

  private void produce(int records) throws Exception {
    try (KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      for (int i = 0; i < records; i++) {
        producer.send(new ProducerRecord<>("orders", 0, "k", "v")).get(20, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void configsOfATopicHaveTheirEffectAtOnce() throws Exception {
    alter(ORDERS, "max.message.bytes", "100", AlterConfigOp.OpType.SET);
    assertThat(config(ORDERS).get("max.message.bytes").source())
        .isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG);
    try (KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      assertThatThrownBy(
          () -> producer.send(new ProducerRecord<>("orders", 0, "k", "v".repeat(100))).get(20, TimeUnit.SECONDS))
          .cause().isInstanceOf(RecordTooLargeException.class);
    }
    alter(ORDERS, "max.message.bytes", "", AlterConfigOp.OpType.DELETE);
    produce(1);
    alter(ORDERS, "cleanup.policy", "compact", AlterConfigOp.OpType.APPEND);
    assertThat(config(ORDERS).get("cleanup.policy").value()).isEqualTo("delete,compact");
    alter(ORDERS, "cleanup.policy", "delete", AlterConfigOp.OpType.SUBTRACT);
    assertThat(config(ORDERS).get("cleanup.policy").value()).isEqualTo("compact");
  }

  @Test
  void configsThatCannotBeAreRefusedAndChangeNothing() throws Exception {
    fails(altered(ORDERS, Map.of("retention.ms", "soon")), InvalidConfigurationException.class,
        "Not a number of type LONG");
    fails(altered(ORDERS, Map.of("retention.ms", "5", "min.insync.replicas", "0")),
        InvalidConfigurationException.class, "at least 1");
    assertThat(config(ORDERS).get("retention.ms").isDefault()).isTrue();
    fails(altered(new ConfigResource(ConfigResource.Type.TOPIC, "absent"), Map.of("retention.ms", "1")),
        UnknownTopicOrPartitionException.class, "does not exist");
  }

  @Test
  void configsOfBrokersAreTheDefaultsOfTopics() throws Exception {
    ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
    alter(broker, "log.retention.ms", "77", AlterConfigOp.OpType.SET);
    assertThat(config(ORDERS).get("retention.ms").value()).isEqualTo("77");
    assertThat(config(broker).get("log.retention.ms").source())
        .isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_BROKER_CONFIG);
    assertThat(config(broker).get("num.partitions").isReadOnly()).isTrue();
    fails(altered(broker, Map.of("num.partitions", "7")), InvalidRequestException.class,
        "Cannot update these configs dynamically");
  }

  @Test
  void logDirectoriesHaveTheSizesOfTheLogs() throws Exception {
    produce(1);
    var description = of(1, get(admin.describeLogDirs(List.of(1)).allDescriptions())).values().iterator().next();
    assertThat(of(new TopicPartition("orders", 0), description.replicaInfos()).size()).isPositive();
  }

  private Config config(ConfigResource resource) throws Exception {
    return of(resource, get(admin.describeConfigs(List.of(resource)).all()));
  }

  private void alter(ConfigResource resource, String name, String value, AlterConfigOp.OpType type) throws Exception {
    AlterConfigOp change = new AlterConfigOp(new ConfigEntry(name, value), type);
    get(admin.incrementalAlterConfigs(Map.of(resource, List.of(change))).all());
  }

  private KafkaFuture<Void> altered(ConfigResource resource, Map<String, String> values) {
    Map<ConfigResource, Collection<AlterConfigOp>> changes = new HashMap<>();
    changes.put(resource, values.entrySet().stream().map(e -> new AlterConfigOp(
        new ConfigEntry(e.getKey(), e.getValue()), AlterConfigOp.OpType.SET)).toList());
    return admin.incrementalAlterConfigs(changes).all();
  }
}
