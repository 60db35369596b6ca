package dev.decant.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 400, unit = TimeUnit.SECONDS)
class KafkaClusterTest {
  @Test
  void oneNodeServesTopicsAndComesBackWithItsDataAfterAKill() {
    try (KafkaCluster cluster = KafkaCluster.start()) {
      cluster.createTopic("orders", 3);
      assertThat(cluster.endOffsets("orders")).containsExactly(0, 0, 0);
      cluster.settle();
      BrokerNode node = cluster.node(1);
      long firstPid = node.pid();

      node.kill();
      assertThat(node.isAlive()).isFalse();
      node.restart(Duration.ofMinutes(3));

      assertThat(node.pid()).isNotEqualTo(firstPid);
      assertThat(cluster.endOffsets("orders")).containsExactly(0, 0, 0);
      cluster.deleteTopic("orders");
      createsAndDeletesSeveralTopicsAtOnce(cluster);
    }
  }

  private static void createsAndDeletesSeveralTopicsAtOnce(KafkaCluster cluster) {
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
  void threeNodesShareThePartitionsAndSurviveTheLossOfOne() {
    try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).start()) {
      cluster.createTopic("orders", 6);
      assertThat(cluster.bootstrap().split(",", -1)).hasSize(3);
      BrokerNode lost = cluster.leader("orders", 0);

      lost.suspend();
      lost.resume();
      lost.kill();

      assertThat(cluster.endOffsets("orders")).hasSize(6);
      lost.restart(Duration.ofMinutes(3));
      lost.stop();
      assertThat(lost.isAlive()).isFalse();
    }
  }

  @Test
  void brokersMayKeepTheirLogsInMemory() {
    try (KafkaCluster cluster = KafkaCluster.builder().inMemory().start()) {
      cluster.createScratchTopic("scratch", 2);

      assertThat(cluster.endOffsets("scratch")).containsExactly(0, 0);
      cluster.settle();
      cluster.deleteTopic("scratch");
    }
  }

  @Test
  void withFaultProxiesClientsMeetThemAndBrokersDoNot() throws IOException {
    try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).faultProxies(1).start()) {
      assertThat(cluster.bootstrap()).contains(":" + cluster.proxy(2).port())
          .doesNotContain(":" + cluster.node(2).port());
      assertThat(cluster.directBootstrap()).contains(":" + cluster.node(2).port());
      for (int id = 1; id <= 3; id++) {
        cluster.proxy(id).cut();
      }
      cluster.createTopic("orders", 6);
      cluster.awaitInSync("orders");
      assertThat(cluster.endOffsets("orders")).hasSize(6);

      assertThatThrownBy(() -> connect(cluster.proxy(1).port())).isInstanceOf(ConnectException.class);
      cluster.proxy(1).heal();
      connect(cluster.proxy(1).port());

      cluster.node(1).suspend();
      assertThat(cluster.node(1).isSuspended()).isTrue();
      cluster.node(1).resume();
      assertThat(cluster.node(1).isSuspended()).isFalse();
      cluster.node(3).stop();
      cluster.node(3).restart(Duration.ofMinutes(3));
      cluster.awaitInSync("orders");
    }
  }

  private static void connect(int port) throws IOException {
    new Socket(InetAddress.getLoopbackAddress(), port).close();
  }

  @Test
  void aClusterWithoutProxiesSaysHowToGetThem() {
    try (KafkaCluster cluster = KafkaCluster.start()) {
      assertThat(cluster.directBootstrap()).isEqualTo(cluster.bootstrap());
      assertThatThrownBy(() -> cluster.proxy(1)).isInstanceOf(ClusterException.class)
          .hasMessageContaining("faultProxies(seed)");
    }
  }

  @Test
  void whatABrokerRefusesIsAnErrorThatNamesBrokerAndRequest() {
    try (KafkaCluster cluster = KafkaCluster.start()) {
      assertThatThrownBy(() -> cluster.endOffsets("no-such-topic")).isInstanceOf(ClusterException.class)
          .hasMessageContaining("broker 1").hasMessageContaining("ends no-such-topic");
      cluster.node(1).kill();
      assertThatThrownBy(() -> cluster.endOffsets("orders")).isInstanceOf(ClusterException.class)
          .hasMessageContaining("no broker of the cluster is running");
    }
  }

  @Test
  void aSettingThatTheBrokerDoesNotTakeEndsTheStartWithItsLog() {
    assertThatThrownBy(() -> KafkaCluster.builder().setting("process.roles", "juggler").start())
        .isInstanceOf(ClusterException.class)
        .hasMessageStartingWith("broker 1 does not start: it does not take a setting:")
        .hasMessageContaining("; the end of its log:\n").hasMessageContaining("juggler");
  }
}
