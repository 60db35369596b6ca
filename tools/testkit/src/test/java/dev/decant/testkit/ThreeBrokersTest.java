package dev.decant.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Node;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster of three nodes behind fault proxies. Each test leaves all of them running. */
@Tag("full")
@Timeout(value = 400, unit = TimeUnit.SECONDS)
class ThreeBrokersTest {
  private static KafkaCluster cluster;

  @BeforeAll
  static void start() {
    cluster = KafkaCluster.builder().brokers(3).faultProxies(1).start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void threeNodesShareThePartitionsAndSurviveTheLossOfOne() {
    cluster.createTopic("orders", 6);
    assertThat(cluster.bootstrap().split(",", -1)).hasSize(3);
    BrokerNode lost = cluster.leader("orders", 0);

    lost.suspend();
    assertThat(lost.isSuspended()).isTrue();
    lost.resume();
    assertThat(lost.isSuspended()).isFalse();
    lost.kill();

    assertThat(cluster.endOffsets("orders")).hasSize(6);
    lost.restart(Duration.ofMinutes(3));
    cluster.awaitInSync("orders");
  }

  @Test
  void clientsMeetTheFaultProxiesAndBrokersDoNot() throws IOException {
    assertThat(cluster.bootstrap()).contains(":" + cluster.proxy(2).port())
        .doesNotContain(":" + cluster.node(2).port());
    assertThat(cluster.directBootstrap()).contains(":" + cluster.node(2).port());
    for (int id = 1; id <= 3; id++) {
      cluster.proxy(id).cut();
    }
    cluster.createTopic("bills", 6);
    cluster.awaitInSync("bills");
    assertThat(cluster.endOffsets("bills")).hasSize(6);

    assertThatThrownBy(() -> connect(cluster.proxy(1).port())).isInstanceOf(ConnectException.class);
    for (int id = 1; id <= 3; id++) {
      cluster.proxy(id).heal();
    }
    connect(cluster.proxy(1).port());
  }

  private static void connect(int port) throws IOException {
    new Socket(InetAddress.getLoopbackAddress(), port).close();
  }

  @Test
  void aNodeThatMovesIsFoundAtItsNewAddressOnly() throws Exception {
    cluster.createTopic("moved", 6);
    int former = cluster.proxy(2).port();
    assertThatThrownBy(() -> cluster.move(2)).isInstanceOf(ClusterException.class).hasMessageContaining("is alive");
    assertThat(cluster.proxy(2).port()).isEqualTo(former);

    cluster.node(2).stop();
    int port = cluster.move(2).port();
    cluster.node(2).restart(Duration.ofMinutes(3));

    assertThat(port).isNotEqualTo(former);
    assertThat(cluster.bootstrap()).contains(":" + port).doesNotContain(":" + former);
    assertThatThrownBy(() -> connect(former)).isInstanceOf(ConnectException.class);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + cluster.proxy(1).port()))) {
      assertThat(admin.describeCluster().nodes().get()).filteredOn(node -> node.id() == 2)
          .extracting(Node::port).containsExactly(port);
    }
    cluster.awaitInSync("moved");
  }

  @Test
  void aNodeThatWasStoppedInGoodOrderComesBack() {
    cluster.createTopic("stocks", 6);
    BrokerNode node = cluster.node(3);

    node.stop();
    assertThat(node.isAlive()).isFalse();

    node.restart(Duration.ofMinutes(3));
    cluster.awaitInSync("stocks");
  }
}
