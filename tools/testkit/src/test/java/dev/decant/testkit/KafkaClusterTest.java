package dev.decant.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster of one node. Most tests share it; it keeps its logs in memory, where the system has room for that. */
@Timeout(value = 400, unit = TimeUnit.SECONDS)
class KafkaClusterTest {
  private static KafkaCluster cluster;

  @BeforeAll
  static void start() {
    cluster = KafkaCluster.builder().inMemory().start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void oneNodeServesTopicsAndComesBackWithItsDataAfterAKill() {
    cluster.createTopic("orders", 3);
    assertThat(cluster.endOffsets("orders")).containsExactly(0, 0, 0);
    cluster.settle();
    BrokerNode node = cluster.node(1);
    long firstPid = node.pid();

    node.kill();
    assertThat(node.isAlive()).isFalse();
    assertThatThrownBy(() -> cluster.endOffsets("orders")).isInstanceOf(ClusterException.class)
        .hasMessageContaining("no broker of the cluster is running");
    node.restart(Duration.ofMinutes(3));

    assertThat(node.pid()).isNotEqualTo(firstPid);
    assertThat(cluster.endOffsets("orders")).containsExactly(0, 0, 0);
    cluster.deleteTopic("orders");
  }

  @Test
  void severalTopicsAreCreatedAndDeletedAtOnce() {
    List<String> topics = List.of("b-2", "a-1", "c-3");
    cluster.createTopics(topics, 2);
    assertThat(cluster.endOffsets(topics)).hasSize(3).allSatisfy(ends -> assertThat(ends).containsExactly(0, 0));
    assertThatThrownBy(() -> cluster.createTopics(topics, 2)).isInstanceOf(ClusterException.class)
        .hasMessageContaining("create 3 topics from b-2 2 1");
    cluster.deleteTopics(List.of("b-2", "no-such-topic", "c-3"));
    assertThatThrownBy(() -> cluster.endOffsets("b-2")).isInstanceOf(ClusterException.class);
    assertThat(cluster.endOffsets("a-1")).containsExactly(0, 0);
  }

  @Test
  void brokersMayKeepTheirLogsInMemory() {
    cluster.createScratchTopic("scratch", 2);

    assertThat(cluster.endOffsets("scratch")).containsExactly(0, 0);
    cluster.settle();
    cluster.deleteTopic("scratch");
  }

  @Test
  void aClusterWithoutProxiesSaysHowToGetThem() {
    assertThat(cluster.directBootstrap()).isEqualTo(cluster.bootstrap());
    assertThatThrownBy(() -> cluster.proxy(1)).isInstanceOf(ClusterException.class)
        .hasMessageContaining("faultProxies(seed)");
  }

  @Test
  void whatABrokerRefusesIsAnErrorThatNamesBrokerAndRequest() {
    assertThatThrownBy(() -> cluster.endOffsets("no-such-topic")).isInstanceOf(ClusterException.class)
        .hasMessageContaining("broker 1").hasMessageContaining("ends no-such-topic");
  }

  @Test
  void aSettingThatTheBrokerDoesNotTakeEndsTheStartWithItsLog() {
    assertThatThrownBy(() -> KafkaCluster.builder().setting("process.roles", "juggler").start())
        .isInstanceOf(ClusterException.class)
        .hasMessageStartingWith("broker 1 does not start: it does not take a setting:")
        .hasMessageContaining("; the end of its log:\n").hasMessageContaining("juggler");
  }
}
