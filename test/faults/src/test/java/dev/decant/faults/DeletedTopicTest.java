package dev.decant.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.testkit.KafkaCluster;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A topic is deleted and made again while it is written and read. Records of the former topic are gone, whatever was
 * told of them, and each has one outcome; records that are sent when the new topic is there are stored in it, and the
 * group reads them.
 */
@Tag("full")
@Timeout(600)
@ExtendWith({SharedCluster.class, LoggedErrors.class})
class DeletedTopicTest {
  private static final int TIMES = 2;

  @ParameterizedTest
  @EnumSource(GroupProtocol.class)
  void producerAndGroupGoOnWithTheTopicThatIsMadeAgain(GroupProtocol protocol, KafkaCluster cluster)
      throws InterruptedException {
    long seed = Seeds.next("deleted topic, " + protocol);
    String topic = "deleted-" + protocol.text() + "-" + Long.toHexString(seed);
    LoadSettings settings = LoadSettings.usual();
    cluster.createTopic(topic, Workload.PARTITIONS);
    try (KafkaClient client = Workload.connect(cluster, settings);
        GroupReader reader = new GroupReader(client, topic, protocol);
        Workload load = new Workload(client, topic, seed, settings)) {
      load.awaitProgress();
      reader.awaitRecordsAfter(new int[Workload.SENDERS]);
      for (int i = 0; i < TIMES; i++) {
        cluster.deleteTopic(topic);
        cluster.createTopic(topic, Workload.PARTITIONS);
        load.awaitProgress();
        reader.awaitRecordsAfter(load.sent());
      }
      int[] sentBefore = load.sent();
      load.awaitProgress();
      List<Outcomes> outcomes = load.finish();
      assertThat(reader.wrongRecords()).isEmpty();
      System.out.println(topic + ": " + load.acknowledged() + " acknowledged, " + load.failed() + " failed; reader: "
          + reader);
      Delivered.assertIn(Stored.read(cluster, topic), outcomes, sentBefore, seed);
      for (Outcomes of : outcomes) {
        assertThat(of.firstError()).satisfiesAnyOf(error -> assertThat(error).isNull(),
            error -> assertThat(error).hasMessageContaining(topic));
      }
    }
    cluster.deleteTopic(topic);
  }
}
