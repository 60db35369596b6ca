package dev.decant.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.testkit.KafkaCluster;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A consumer of assigned partitions sees each record once and in order; its application hears of nothing. */
@Tag("full")
@Timeout(600)
@ExtendWith({SharedCluster.class, LoggedErrors.class})
class ConsumerFaultsTest {
  @ParameterizedTest
  @EnumSource(value = Scenario.class, names = {"SLOW_AND_SLICED", "NETWORK_CUT", "LINK_DEAD"})
  void eachStoredRecordIsSeenOnceAndInOrder(Scenario scenario, KafkaCluster cluster) throws InterruptedException {
    long seed = Seeds.next("consumer under " + scenario);
    String topic = FaultRun.newTopic(cluster, "read", scenario, seed);
    List<List<Stored.Entry>> seen;
    Stored stored;
    try (KafkaClient client = Workload.connect(cluster, scenario.load());
        FollowingConsumer consumer = new FollowingConsumer(client, topic);
        Workload load = new Workload(client, topic, seed, scenario.load())) {
      List<Outcomes> outcomes = FaultRun.disturb(cluster, topic, scenario, load, seed);
      stored = FaultRun.judge(cluster, topic, seed, outcomes, load.trace());
      seen = consumer.finish(stored.records());
      assertThat(consumer.failures()).as("what poll threw").isEmpty();
    }
    for (int p = 0; p < seen.size(); p++) {
      assertThat(seen.get(p)).as("partition %d, seed %d", p, seed).isEqualTo(stored.partitions().get(p));
    }
    cluster.deleteTopic(topic);
  }
}
