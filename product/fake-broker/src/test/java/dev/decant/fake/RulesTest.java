package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DescribeClusterRequest;
import dev.decant.kafka.protocol.message.DescribeClusterResponse;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataRequest.MetadataRequestTopic;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.MetadataResponse.MetadataResponseTopic;
import dev.decant.kafka.protocol.message.ShareFetchRequest;
import dev.decant.kafka.protocol.message.ShareFetchResponse;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.SecurityDisabledException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests to which clients rules apply, and the effect on clients. */
@Timeout(60)
class RulesTest {
  private static final String CLIENT = "User:ANONYMOUS";

  private static MetadataResponse metadata(FakeCluster cluster, MetadataRequest request) throws Exception {
    try (RawClient client = new RawClient(cluster, 1, "raw")) {
      return client.ask(ApiKey.METADATA, 12, request::write, MetadataResponse::read);
    }
  }

  private static int initialize(FakeCluster cluster) throws Exception {
    try (RawClient client = new RawClient(cluster, 1, "raw")) {
      return client.ask(ApiKey.INIT_PRODUCER_ID, 4, new InitProducerIdRequest().transactionalId(null)::write,
          InitProducerIdResponse::read).errorCode();
    }
  }

  private static List<String> visible(FakeCluster cluster) throws Exception {
    return metadata(cluster, new MetadataRequest().topics(null)).topics().stream().map(MetadataResponseTopic::name)
        .toList();
  }

  @Test
  void rulesThatDenyLeaveAllElseAllowed() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("a-1", 1).topic("a-2", 1).topic("b", 1)
        .deny(CLIENT, Resource.topics("a-"), Operation.DESCRIBE).start()) {
      assertThat(visible(cluster)).containsExactly("b");
      cluster.security().deny("User:other", Resource.anyTopic(), Operation.ALL);
      assertThat(visible(cluster)).containsExactly("b");
      cluster.security().remove(CLIENT, Resource.topics("a-"), Operation.DESCRIBE);
      assertThat(visible(cluster)).containsExactlyInAnyOrder("a-1", "a-2", "b");
    }
  }

  @Test
  void aRuleThatAllowsHasAllElseDenied() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("a-1", 1).topic("a-2", 1).topic("b", 1)
        .allow(CLIENT, Resource.topics("a-"), Operation.READ).deny("User:*", Resource.topic("a-2"), Operation.ALL)
        .start()) {
      assertThat(visible(cluster)).as("who may read may describe").containsExactly("a-1");
      cluster.security().remove(CLIENT, Resource.topics("a-"), Operation.READ);
      assertThat(visible(cluster)).as("and it stays so").isEmpty();
    }
  }

  @Test
  void aSuperUserMayDoEverything() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("a", 1).superUser(CLIENT)
        .deny("User:*", Resource.anyTopic(), Operation.ALL).start()) {
      assertThat(visible(cluster)).containsExactly("a");
    }
    try (FakeCluster cluster = FakeCluster.builder().topic("a", 1).superUser("User:admin").start()) {
      assertThat(visible(cluster)).isEmpty();
    }
  }

  @Test
  void topicsThatAreNamedAreRefusedWithoutSayingWhetherTheyAreThere() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("a", 1)
        .deny(CLIENT, Resource.anyTopic(), Operation.DESCRIBE).start()) {
      MetadataResponse response = metadata(cluster, new MetadataRequest().topics(List.of(
          new MetadataRequestTopic().name("a"), new MetadataRequestTopic().name("missing"))));
      assertThat(response.topics()).hasSize(2).allSatisfy(topic -> {
        assertThat(topic.errorCode()).isEqualTo(ErrorCode.TOPIC_AUTHORIZATION_FAILED.code());
        assertThat(topic.topicId()).isEqualTo(dev.decant.kafka.protocol.Uuid.ZERO);
        assertThat(topic.partitions()).isEmpty();
      });
    }
  }

  @Test
  void aTopicIsMadeForAClientThatMayMakeIt() throws Exception {
    MetadataRequest wanted = new MetadataRequest().allowAutoTopicCreation(true)
        .topics(List.of(new MetadataRequestTopic().name("made")));
    try (FakeCluster cluster = FakeCluster.builder().deny(CLIENT, Resource.topic("made"), Operation.CREATE)
        .deny(CLIENT, Resource.cluster(), Operation.CREATE).start()) {
      assertThat(metadata(cluster, wanted).topics().getFirst().errorCode())
          .isEqualTo(ErrorCode.TOPIC_AUTHORIZATION_FAILED.code());
      cluster.security().remove(CLIENT, Resource.topic("made"), Operation.CREATE);
      assertThat(metadata(cluster, wanted).topics().getFirst().errorCode())
          .isEqualTo(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code());
      assertThat(metadata(cluster, wanted).topics().getFirst().errorCode()).isZero();
    }
  }

  @Test
  void theOperationsOfAClientAreNamedWhereItAsks() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("a", 1)
        .allow(CLIENT, Resource.topic("a"), Operation.READ).allow(CLIENT, Resource.cluster(), Operation.DESCRIBE)
        .start(); RawClient client = new RawClient(cluster, 1, "raw")) {
      MetadataResponse metadata = client.ask(ApiKey.METADATA, 12,
          new MetadataRequest().topics(null).includeTopicAuthorizedOperations(true)::write, MetadataResponse::read);
      assertThat(metadata.topics().getFirst().topicAuthorizedOperations()).isEqualTo(1 << 3 | 1 << 8);
      DescribeClusterRequest asked = new DescribeClusterRequest().includeClusterAuthorizedOperations(true);
      assertThat(client.ask(ApiKey.DESCRIBE_CLUSTER, 1, asked::write, DescribeClusterResponse::read)
          .clusterAuthorizedOperations()).isEqualTo(1 << 8);
      cluster.security().deny(CLIENT, Resource.cluster(), Operation.DESCRIBE);
      assertThat(client.ask(ApiKey.DESCRIBE_CLUSTER, 1, asked::write, DescribeClusterResponse::read)
          .clusterAuthorizedOperations()).isZero();
    }
  }

  @Test
  void anIdempotentProducerNeedsOneTopicToWriteTo() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().allow(CLIENT, Resource.topic("a"), Operation.READ).start()) {
      assertThat(initialize(cluster)).isEqualTo(ErrorCode.CLUSTER_AUTHORIZATION_FAILED.code());
      cluster.security().allow(CLIENT, Resource.topics("pay-"), Operation.WRITE);
      assertThat(initialize(cluster)).isZero();
      cluster.security().deny(CLIENT, Resource.topics("pay"), Operation.WRITE);
      assertThat(initialize(cluster)).isEqualTo(ErrorCode.CLUSTER_AUTHORIZATION_FAILED.code());
      cluster.security().allow(CLIENT, Resource.cluster(), Operation.IDEMPOTENT_WRITE);
      assertThat(initialize(cluster)).isZero();
    }
  }

  @Test
  void aRightThatIsTakenAwayIsMissedByTheNextRequest() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      producer.send(new ProducerRecord<>("orders", "1")).get();
      cluster.security().deny(CLIENT, Resource.topic("orders"), Operation.WRITE);
      assertThatThrownBy(() -> producer.send(new ProducerRecord<>("orders", "2")).get())
          .isInstanceOf(ExecutionException.class).hasCauseInstanceOf(TopicAuthorizationException.class);
      cluster.security().remove(CLIENT, Resource.topic("orders"), Operation.WRITE);
      producer.send(new ProducerRecord<>("orders", "3")).get();
      assertThat(cluster.log("orders", 0).texts()).containsExactly("1", "3");
    }
  }

  @Test
  void aProducerLosesTheRightToItsTransactionalId() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster,
            Map.of("transactional.id", "payments"))) {
      producer.initTransactions();
      producer.beginTransaction();
      cluster.security().deny(CLIENT, Resource.transactionalId("payments"), Operation.WRITE);
      assertThatThrownBy(() -> producer.send(new ProducerRecord<>("orders", "1")).get())
          .hasRootCauseInstanceOf(TransactionalIdAuthorizationException.class);
      assertThat(cluster.log("orders", 0).texts()).isEmpty();
    }
  }

  @Test
  void aConsumerHearsWhichRightItLacks() {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster, Map.of("group.id", "billing"))) {
      cluster.security().deny(CLIENT, Resource.topic("orders"), Operation.READ);
      consumer.assign(List.of(new org.apache.kafka.common.TopicPartition("orders", 0)));
      assertThatThrownBy(() -> consumer.poll(Duration.ofSeconds(20))).isInstanceOf(TopicAuthorizationException.class);
      cluster.security().deny(CLIENT, Resource.group("billing"), Operation.READ);
      assertThatThrownBy(() -> consumer.commitSync(Map.of(new org.apache.kafka.common.TopicPartition("orders", 0),
          new org.apache.kafka.clients.consumer.OffsetAndMetadata(0))))
          .isInstanceOf(GroupAuthorizationException.class);
    }
  }

  @Test
  void aResetBringsTheFirstRulesBack() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("a", 1).topic("b", 1)
        .deny(CLIENT, Resource.topic("a"), Operation.DESCRIBE).start()) {
      cluster.security().remove(CLIENT, Resource.topic("a"), Operation.DESCRIBE);
      cluster.security().allow(CLIENT, Resource.topic("a"), Operation.READ);
      assertThat(visible(cluster)).containsExactly("a");
      cluster.reset();
      assertThat(visible(cluster)).containsExactly("b");
    }
  }

  @Test
  void aShareGroupIsReadByThoseWhoMay() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        RawClient client = new RawClient(cluster, 1, "raw")) {
      ShareGroupHeartbeatRequest beat = new ShareGroupHeartbeatRequest().groupId("billing").memberId("m")
          .subscribedTopicNames(List.of("orders"));
      ShareFetchRequest fetch = new ShareFetchRequest().groupId("billing").memberId("m");
      cluster.security().deny(CLIENT, Resource.topic("orders"), Operation.DESCRIBE);
      assertThat(client.ask(ApiKey.SHARE_GROUP_HEARTBEAT, 1, beat::write, ShareGroupHeartbeatResponse::read)
          .errorCode()).isEqualTo(ErrorCode.TOPIC_AUTHORIZATION_FAILED.code());
      cluster.security().deny(CLIENT, Resource.group("billing"), Operation.READ);
      assertThat(client.ask(ApiKey.SHARE_GROUP_HEARTBEAT, 1, beat::write, ShareGroupHeartbeatResponse::read)
          .errorCode()).isEqualTo(ErrorCode.GROUP_AUTHORIZATION_FAILED.code());
      assertThat(client.ask(ApiKey.SHARE_FETCH, 1, fetch::write, ShareFetchResponse::read).errorCode())
          .isEqualTo(ErrorCode.GROUP_AUTHORIZATION_FAILED.code());
    }
  }

  @Test
  void administratorsSeeAndChangeTheRules() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).superUser(CLIENT)
        .allow("User:alice", Resource.topics("ord"), Operation.READ).start();
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      AclBinding first = binding("User:alice", "ord", PatternType.PREFIXED, AclOperation.READ);
      AclBinding second = binding("User:bob", "orders", PatternType.LITERAL, AclOperation.WRITE);
      assertThat(admin.describeAcls(AclBindingFilter.ANY).values().get()).containsExactly(first);
      admin.createAcls(Set.of(second)).all().get();
      assertThat(admin.describeAcls(AclBindingFilter.ANY).values().get()).containsExactlyInAnyOrder(first, second);
      assertThat(admin.deleteAcls(Set.of(first.toFilter())).all().get()).containsExactly(first);
      assertThat(admin.describeAcls(AclBindingFilter.ANY).values().get()).containsExactly(second);
    }
  }

  private static AclBinding binding(String principal, String topic, PatternType pattern, AclOperation operation) {
    return new AclBinding(new ResourcePattern(ResourceType.TOPIC, topic, pattern),
        new AccessControlEntry(principal, "*", operation, AclPermissionType.ALLOW));
  }

  @Test
  void brokersWithoutRulesSaySo() {
    try (FakeCluster cluster = FakeCluster.start();
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      assertThatThrownBy(() -> admin.describeAcls(AclBindingFilter.ANY).values().get())
          .hasCauseInstanceOf(SecurityDisabledException.class);
    }
  }

  @Test
  void aPrincipalHasAType() {
    assertThatThrownBy(() -> FakeCluster.builder().deny("alice", Resource.anyTopic(), Operation.ALL))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("User:");
  }
}
