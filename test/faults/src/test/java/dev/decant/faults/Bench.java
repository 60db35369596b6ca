package dev.decant.faults;

import dev.decant.testkit.BrokerNode;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.fault.FaultProxy;
import java.time.Duration;
import java.util.Random;

/** What a scenario works with: the cluster, its load, and chance. One thread. */
final class Bench {
  static final int BROKERS = 3;
  private static final Duration RESTART = Duration.ofSeconds(60);

  final KafkaCluster cluster;
  final String topic;
  final Workload load;
  final Random random;

  Bench(KafkaCluster cluster, String topic, Workload load, long seed) {
    this.cluster = cluster;
    this.topic = topic;
    this.load = load;
    this.random = new Random(seed);
  }

  int anyBroker() {
    return 1 + random.nextInt(BROKERS);
  }

  BrokerNode anyLeader() {
    return cluster.leader(topic, random.nextInt(Workload.PARTITIONS));
  }

  FaultProxy proxy(int broker) {
    return cluster.proxy(broker);
  }

  /** How clients call a broker. */
  String nameOf(int broker) {
    return "127.0.0.1:" + proxy(broker).port();
  }

  int between(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  /** Lets the present faults last. */
  void hold(int leastMillis, int mostMillis) throws InterruptedException {
    Thread.sleep(between(leastMillis, mostMillis));
  }

  void restart(BrokerNode node) {
    node.restart(RESTART);
  }

  /** Ends all faults and waits until the cluster is whole. */
  void mend() {
    for (int broker = 1; broker <= BROKERS; broker++) {
      proxy(broker).heal();
      BrokerNode node = cluster.node(broker);
      if (node.isAlive()) {
        node.resume();
      } else {
        restart(node);
      }
    }
    cluster.awaitInSync(topic);
  }
}
