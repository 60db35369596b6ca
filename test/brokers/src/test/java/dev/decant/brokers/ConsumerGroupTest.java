package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Partitioner;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Consumers as members of groups under the consumer protocol, on a real broker. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@ExtendWith({QuietLog.class, PlainCluster.Shared.class})
class ConsumerGroupTest {
  private static final Duration DEADLINE = Duration.ofSeconds(40);
  private static final Duration A_WHILE = Duration.ofMillis(200);
  private static final int PARTITIONS = 6;

  private static KafkaCluster cluster;
  private static KafkaClient client;

  @BeforeAll
  static void start() {
    cluster = PlainCluster.current();
    client = KafkaClient.connect(cluster.bootstrap());
  }

  @AfterAll
  static void stop() {
    client.close();
  }

  private static ConsumerBuilder<String, Long> member(String group) {
    return client.consumer(Serdes.string(), Serdes.longs()).group(group).offsetReset(OffsetReset.EARLIEST);
  }

  /** Records of which each partition has the same number; the values count from 0. */
  private static void produce(String topic, int from, int to) throws InterruptedException {
    try (Producer<String, Long> producer = client.producer(Serdes.string(), Serdes.longs()).topic(topic)
        .partitioner(Partitioner.roundRobin()).open()) {
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
          .allSatisfy((partition, offset) -> assertThat(offset.offset()).isEqualTo(100));
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
      ours.close(DEADLINE, GroupMembershipOperation.DEFAULT);
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

  private static GroupReader reader(String topic, Queue<Long> values) {
    return new GroupReader(cluster.bootstrap(), topic, values, builder -> builder.subscribe(topic));
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as("time left for: " + what).isPositive();
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void membersComeAndGoAndEachRecordIsReadOnceByWhoOwnsItsPartition() throws InterruptedException {
    cluster.createTopic("many", PARTITIONS);
    int total = 60_000;
    produce("many", 0, total / 2);
    Queue<Long> values = new ConcurrentLinkedQueue<>();
    try (GroupReader first = reader("many", values)) {
      await("the first reads", () -> first.read.get() > 100);
      try (GroupReader second = reader("many", values); GroupReader third = reader("many", values)) {
        await("all have partitions",
            () -> first.owned.size() == 2 && second.owned.size() == 2 && third.owned.size() == 2);
        produce("many", total / 2, total);
        await("the others read", () -> second.read.get() > 100 && third.read.get() > 100);
        third.end();
        await("two share them", () -> first.owned.size() == 3 && second.owned.size() == 3);
      }
      await("one has all", () -> first.owned.size() == PARTITIONS);
      await("all is read", () -> values.size() >= total);
      assertThat(first.lost).hasValue(0);
    }
    assertThat(values).as("each once").hasSize(total);
    assertThat(new HashSet<>(values)).hasSize(total);
  }

  @Test
  void groupIsSharedWithApachesConsumer() throws InterruptedException {
    cluster.createTopic("mixed", PARTITIONS);
    Queue<Long> values = new ConcurrentLinkedQueue<>();
    try (GroupReader ours = reader("mixed", values); KafkaConsumer<String, Long> apache = apacheMember("mixed")) {
      await("we have all", () -> ours.owned.size() == PARTITIONS);
      apache.subscribe(List.of("mixed"));
      List<Long> theirs = new ArrayList<>();
      await("they have half", () -> {
        apache.poll(A_WHILE).forEach(record -> theirs.add(record.value()));
        return apache.assignment().size() == PARTITIONS / 2 && ours.owned.size() == PARTITIONS / 2;
      });
      produce("mixed", 0, 600);
      await("all is read", () -> {
        apache.poll(A_WHILE).forEach(record -> theirs.add(record.value()));
        return theirs.size() + values.size() >= 600;
      });
      assertThat(theirs).hasSize(300);
      assertThat(values).hasSize(300).doesNotContainAnyElementsOf(theirs);
    }
  }

  @Test
  void staticMemberThatComesBackGetsItsPartitionsAndNobodyElseNoticesIt() throws InterruptedException {
    cluster.createTopic("static", PARTITIONS);
    Queue<Long> values = new ConcurrentLinkedQueue<>();
    try (GroupReader other = reader("static", values)) {
      await("the other has all", () -> other.owned.size() == PARTITIONS);
      List<TopicPartition> before = stay(other);
      Set<TopicPartition> ofTheOther = Set.copyOf(other.owned);
      assertThat(stay(other)).containsExactlyInAnyOrderElementsOf(before);
      assertThat(other.owned).isEqualTo(ofTheOther);
    }
  }

  /** Opens the static member, waits until it has its half, and closes it. */
  private static List<TopicPartition> stay(GroupReader other) throws InterruptedException {
    try (Consumer<String, Long> consumer = member("static").groupInstance("till-1").subscribe("static").open()) {
      long deadline = System.nanoTime() + DEADLINE.toNanos();
      while (consumer.assignment().size() < PARTITIONS / 2 && deadline - System.nanoTime() > 0) {
        consumer.poll(A_WHILE, record -> {});
      }
      assertThat(consumer.assignment()).hasSize(PARTITIONS / 2);
      assertThat(other.owned).hasSize(PARTITIONS / 2);
      return consumer.assignment();
    }
  }

  /** The broker looks for topics of an expression every ten seconds. */
  @Tag("full")
  @Test
  void expressionFindsTopicsAlsoThoseThatAreCreatedLater() throws InterruptedException {
    cluster.createTopic("meter-1", 1);
    produce("meter-1", 0, 10);
    try (Consumer<String, Long> consumer = member("expression").subscribePattern("meter-[0-9]").open()) {
      assertThat(read(consumer, 10)).contains(0L);
      cluster.createTopic("meter-2", 1);
      produce("meter-2", 10, 20);
      assertThat(read(consumer, 10)).contains(19L);
    }
  }

  @Test
  void expressionThatIsNoneIsAnErrorOfPoll() {
    try (Consumer<String, Long> consumer = member("nonsense").subscribePattern("meter-[").open()) {
      assertThatThrownBy(() -> consumer.poll(DEADLINE, record -> {})).isInstanceOf(KafkaException.class)
          .hasMessageContaining("INVALID_REGULAR_EXPRESSION");
    }
  }

  @Test
  void assignorThatTheBrokerDoesNotHaveIsAnErrorOfPoll() {
    try (Consumer<String, Long> consumer = member("assignor").assignor("fair").subscribe("any").open()) {
      assertThatThrownBy(() -> consumer.poll(DEADLINE, record -> {})).isInstanceOf(KafkaException.class)
          .hasMessageContaining("UNSUPPORTED_ASSIGNOR");
    }
  }

  @Test
  void withoutACommitReadingBeginsAtTheAgeThatTheResetNames() throws InterruptedException {
    cluster.createTopic("aged", 1);
    produce("aged", 0, 5);
    try (Consumer<String, Long> consumer = member("aged").offsetReset(OffsetReset.byDuration(Duration.ofHours(1)))
        .subscribe("aged").open()) {
      assertThat(read(consumer, 5)).containsExactly(0L, 1L, 2L, 3L, 4L);
    }
    try (Consumer<String, Long> consumer = member("aged-not").offsetReset(OffsetReset.byDuration(Duration.ZERO))
        .autoCommit(false).subscribe("aged").open()) {
      consumer.poll(A_WHILE, record -> {});
      long deadline = System.nanoTime() + DEADLINE.toNanos();
      while (consumer.assignment().isEmpty() && deadline - System.nanoTime() > 0) {
        consumer.poll(A_WHILE, record -> {});
      }
      assertThat(consumer.position("aged", 0, DEADLINE)).as("all records are older").isEqualTo(5);
    }
  }
}
