package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.event.Registration;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.event.ConsumerListener;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorReport;
import dev.decant.kafka.producer.Acks;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.BrokerNode;
import dev.decant.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reading from followers, and from leaders that have lost records, in a real cluster of three racks. */
@Tag("full")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
@SuppressWarnings("try") // a resource may serve its block by being open: the block need not name it
class ReplicaTest {
  private static final Duration RESTART = Duration.ofSeconds(90);
  private static KafkaCluster cluster;

  @BeforeAll
  static void start() {
    cluster = KafkaCluster.builder().brokers(3).racks("a", "b", "c").setting("min.insync.replicas", "1")
        .setting("unclean.leader.election.enable", "true").start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static String rack(BrokerNode node) {
    return String.valueOf((char) ('a' + node.id() - 1));
  }

  private static void send(KafkaClient client, String topic, String... values) throws InterruptedException {
    try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic(topic)
        .acks(Acks.ALL).open()) {
      for (String value : values) {
        producer.sendAndWait(null, value);
      }
    }
  }

  private static List<String> read(Consumer<String, String> consumer, int count) throws InterruptedException {
    List<String> values = new ArrayList<>();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
    while (values.size() < count && deadline - System.nanoTime() > 0) {
      consumer.poll(Duration.ofSeconds(1), record -> values.add(record.value()));
    }
    return values;
  }

  @Test
  void recordsComeFromTheFollowerInTheRackOfTheReaderAndFromTheLeaderOnceThatIsGone() throws InterruptedException {
    cluster.createTopic("near", 1, 3);
    cluster.awaitInSync("near");
    BrokerNode leader = cluster.leader("near", 0);
    BrokerNode follower = cluster.replicas("near", 0).stream().filter(n -> n.id() != leader.id()).findFirst()
        .orElseThrow();
    Queue<String> sources = new ConcurrentLinkedQueue<>();
    try (KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Registration unused = client.events().watchConsumers(new ConsumerListener() {
          @Override
          public void onFetched(String broker, int partitions, int bytes) {
            if (partitions > 0) {
              sources.add(broker);
            }
          }
        });
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
            .offsetReset(OffsetReset.EARLIEST).rack(rack(follower)).open()) {
      consumer.assign("near", 0);
      send(client, "near", "1", "2", "3");
      assertThat(read(consumer, 3)).containsExactly("1", "2", "3");
      assertThat(sources).containsOnly("127.0.0.1:" + follower.port());
      sources.clear();

      follower.kill();
      send(client, "near", "4", "5");
      assertThat(read(consumer, 2)).containsExactly("4", "5");
      assertThat(sources).contains("127.0.0.1:" + cluster.leader("near", 0).port());
    }
    follower.restart(RESTART);
  }

  /** A replica that has missed a record becomes the leader, because the one that has it is gone. */
  @Test
  void afterAnUncleanElectionReadingGoesOnWhereTheLogDiverged() throws InterruptedException {
    cluster.createTopic("unclean", 1, 2);
    cluster.awaitInSync("unclean");
    BrokerNode first = cluster.leader("unclean", 0);
    BrokerNode second = cluster.replicas("unclean", 0).stream().filter(n -> n.id() != first.id()).findFirst()
        .orElseThrow();
    try (KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
            .offsetReset(OffsetReset.LATEST).open()) {
      send(client, "unclean", "kept");
      second.kill();
      send(client, "unclean", "lost", "lost too");
      consumer.assign("unclean", 0);
      consumer.seek("unclean", 0, 0);
      assertThat(read(consumer, 3)).containsExactly("kept", "lost", "lost too");
      first.kill();
      second.restart(RESTART);
      send(client, "unclean", "new");
      assertThat(read(consumer, 1)).containsExactly("new");
      assertThat(consumer.position("unclean", 0, RESTART)).isEqualTo(2);
      assertThat(client.status().lastErrors()).extracting(ErrorReport::kind).contains(ErrorKind.LOG_TRUNCATED);
    }
    first.restart(RESTART);
  }
}
