package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterPartitionReassignmentsOptions;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.PartitionReassignment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.InvalidReplicaAssignmentException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.NoReassignmentInProgressException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that partitions move to other brokers (KIP-455), as Apache's administrators and clients see it. */
@Timeout(60)
class ReassignmentsTest {
  private static final TopicPartition P0 = new TopicPartition("orders", 0);

  private final FakeCluster cluster = FakeCluster.builder().brokers(3).start();
  private final Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));

  @BeforeEach
  void createTopic() throws Exception {
    get(admin.createTopics(List.of(new NewTopic("orders", Map.of(0, List.of(1, 2))))).all());
  }

  @AfterEach
  void close() {
    admin.close();
    cluster.close();
  }

  private static <T> T get(KafkaFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  private void move(Integer... brokers) throws Exception {
    get(moving(P0, brokers));
  }

  private KafkaFuture<Void> moving(TopicPartition partition, Integer... brokers) {
    return admin.alterPartitionReassignments(
        Map.of(partition, Optional.of(new NewPartitionReassignment(List.of(brokers))))).all();
  }

  private TopicPartitionInfo described() throws Exception {
    return Objects.requireNonNull(get(admin.describeTopics(List.of("orders")).allTopicNames()).get("orders"))
        .partitions().getFirst();
  }

  private static List<Integer> ids(List<Node> nodes) {
    return nodes.stream().map(Node::id).toList();
  }

  private Map<TopicPartition, PartitionReassignment> ongoing() throws Exception {
    return get(admin.listPartitionReassignments().reassignments());
  }

  private void produce(String value) throws Exception {
    try (KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      producer.send(new ProducerRecord<>("orders", 0, null, value)).get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void movedPartitionIsLedByItsFirstNewReplicaWithAllItsRecords() throws Exception {
    try (KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      producer.send(new ProducerRecord<>("orders", 0, null, "before")).get(20, TimeUnit.SECONDS);
      move(3);
      producer.send(new ProducerRecord<>("orders", 0, null, "after")).get(20, TimeUnit.SECONDS);
    }
    assertThat(described().leader().id()).isEqualTo(3);
    assertThat(ids(described().replicas())).containsExactly(3);
    assertThat(ids(described().isr())).containsExactly(3);
    assertThat(ongoing()).isEmpty();
    assertThat(cluster.log("orders", 0).texts()).containsExactly("before", "after");
  }

  @Test
  void leaderThatStaysGoesOnLeadingInALaterEpoch() throws Exception {
    move(3, 1);
    assertThat(described().leader().id()).isEqualTo(1);
    assertThat(ids(described().replicas())).containsExactly(3, 1);
    assertThat(cluster.log("orders", 0).leaderEpoch()).isEqualTo(1);
    move(1, 3);
    assertThat(ids(described().replicas())).containsExactly(1, 3);
    assertThat(cluster.log("orders", 0).leaderEpoch()).as("an order of the same replicas").isEqualTo(1);
  }

  @Test
  void moveWaitsForADeadBroker() throws Exception {
    produce("kept");
    cluster.broker(3).kill();
    move(3);
    PartitionReassignment moving = Objects.requireNonNull(ongoing().get(P0));
    assertThat(moving.replicas()).containsExactly(3, 1, 2);
    assertThat(moving.addingReplicas()).containsExactly(3);
    assertThat(moving.removingReplicas()).containsExactly(1, 2);
    assertThat(described().leader().id()).isEqualTo(1);
    cluster.broker(3).restart();
    assertThat(ongoing()).isEmpty();
    assertThat(described().leader().id()).isEqualTo(3);
    assertThat(ids(described().replicas())).containsExactly(3);
  }

  @Test
  void moveIsCancelledWhileItWaits() throws Exception {
    cluster.broker(3).kill();
    move(3, 2);
    get(admin.alterPartitionReassignments(Map.of(P0, Optional.empty())).all());
    assertThat(ids(described().replicas())).containsExactlyInAnyOrder(1, 2);
    assertThat(ongoing()).isEmpty();
    fails(admin.alterPartitionReassignments(Map.of(P0, Optional.empty())).all(),
        NoReassignmentInProgressException.class, "No partition reassignment is in progress.");
  }

  @Test
  void impossibleMovesAreRefused() throws Exception {
    fails(moving(new TopicPartition("absent", 0), 1), UnknownTopicOrPartitionException.class, "named absent");
    fails(moving(new TopicPartition("orders", 7), 1), UnknownTopicOrPartitionException.class, "orders:7");
    fails(moving(P0, 9), InvalidReplicaAssignmentException.class, "broker 9");
    fails(moving(P0, 1, 1), InvalidReplicaAssignmentException.class, "more than once");
    fails(admin.alterPartitionReassignments(Map.of(P0, Optional.of(new NewPartitionReassignment(List.of(1)))),
        new AlterPartitionReassignmentsOptions().allowReplicationFactorChange(false)).all(),
        InvalidReplicationFactorException.class, "from 2 to 1");
    assertThat(ids(described().replicas())).containsExactly(1, 2);
  }

  private static void fails(KafkaFuture<?> future, Class<? extends Exception> error, String message) {
    assertThatThrownBy(() -> get(future)).isInstanceOf(ExecutionException.class).cause().isInstanceOf(error)
        .hasMessageContaining(message);
  }
}
