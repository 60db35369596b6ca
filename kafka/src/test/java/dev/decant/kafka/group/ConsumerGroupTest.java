package dev.decant.kafka.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaClient;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.Departure;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Consumers as members of groups under the consumer protocol, on a real broker. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@ExtendWith(QuietLog.class)
class ConsumerGroupTest {
  private static final Duration DEADLINE = Duration.ofSeconds(40);
  private static final Duration A_WHILE = Duration.ofMillis(200);
  private static final int PARTITIONS = 6;

  private static KafkaCluster cluster;
  private static KafkaClient client;

  @BeforeAll
  static void start() {
    cluster = KafkaCluster.builder().setting("group.consumer.min.heartbeat.interval.ms", "200")
        .setting("group.consumer.heartbeat.interval.ms", "300").setting("group.consumer.min.session.timeout.ms", "2000")
        .setting("group.consumer.session.timeout.ms", "3000").start();
    client = KafkaClient.connect(cluster.bootstrap());
  }

  @AfterAll
  static void stop() {
    client.close();
    cluster.close();
  }

  private static ConsumerBuilder<String, Long> member(String group) {
    return client.consumer(Serdes.string(), Serdes.longs()).group(group).offsetReset(OffsetReset.EARLIEST);
  }

  /** Records of which each partition has the same number; the values count from 0. */
  private static void produce(String topic, int from, int to) throws InterruptedException {
    try (Producer<String, Long> producer = client.producer(Serdes.string(), Serdes.longs()).topic(topic)
        .partitioner(dev.decant.kafka.producer.Partitioner.roundRobin()).open()) {
      for (long i = from; i < to; i++) {
        producer.send(null, i);
      }
      assertThat(producer.flush(DEADLINE)).isTrue();
    }
  }

  /** Polls until there were so many records. */
  private static List<Long> read(Consumer<String, Long> consumer, int count) throws InterruptedException {
    List<Long> values = new ArrayList<>();
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (values.size() < count && deadline - System.nanoTime() > 0) {
      consumer.poll(A_WHILE, record -> values.add(record.value()));
    }
    assertThat(values).hasSize(count);
    return values;
  }

  private static Map<String, Object> apache(String group) {
    return Map.of("bootstrap.servers", cluster.bootstrap(), "group.id", group, "group.protocol", "consumer",
        "auto.offset.reset", "earliest", "enable.auto.commit", "false");
  }

  private static KafkaConsumer<String, Long> apacheMember(String group) {
    return new KafkaConsumer<>(apache(group), new StringDeserializer(), new LongDeserializer());
  }

  @Test
  void memberReadsAllPartitionsAndItsSuccessorGoesOnWhereItCommitted() throws InterruptedException {
    cluster.createTopic("succession", PARTITIONS);
    produce("succession", 0, 600);
    try (Consumer<String, Long> first = member("succession").subscribe("succession").open()) {
      assertThat(read(first, 600)).doesNotHaveDuplicates();
      assertThat(first.assignment()).hasSize(PARTITIONS);
    }
    produce("succession", 600, 660);
    try (Consumer<String, Long> second = member("succession").subscribe("succession").open()) {
      assertThat(new TreeSet<>(read(second, 60)).first()).isEqualTo(600);
      Map<TopicPartition, OffsetAndMetadata> committed = second.committed(new TopicPartition("succession", 0),
          new TopicPartition("succession", 1));
      assertThat(committed).containsOnlyKeys(new TopicPartition("succession", 0), new TopicPartition("succession", 1))
          .allSatisfy((_, offset) -> assertThat(offset.offset()).isEqualTo(100));
    }
  }

  @Test
  void apacheTakesOverWhereWeCommittedAndWeWhereItDid() throws InterruptedException {
    cluster.createTopic("relay", PARTITIONS);
    produce("relay", 0, 300);
    try (Consumer<String, Long> ours = member("relay").subscribe("relay").autoCommit(false).open()) {
      read(ours, 300);
      ours.commit();
      produce("relay", 300, 360);
      read(ours, 60); // and commits them not
      ours.close(DEADLINE, Departure.USUAL);
    }
    List<Long> theirs = new ArrayList<>();
    try (KafkaConsumer<String, Long> apache = apacheMember("relay")) {
      apache.subscribe(List.of("relay"));
      long deadline = System.nanoTime() + DEADLINE.toNanos();
      while (theirs.size() < 60 && deadline - System.nanoTime() > 0) {
        apache.poll(A_WHILE).forEach(record -> theirs.add(record.value()));
      }
      apache.commitSync();
    }
    assertThat(new TreeSet<>(theirs)).hasSize(60).first().isEqualTo(300L);
    produce("relay", 360, 400);
    try (Consumer<String, Long> ours = member("relay").subscribe("relay").open()) {
      assertThat(new TreeSet<>(read(ours, 40)).first()).isEqualTo(360);
    }
  }
}
