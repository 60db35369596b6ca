package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.assignor.Assignors;
import dev.decant.kafka.assignor.Subscriber;
import dev.decant.kafka.assignor.TopicLayout;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Partitioner;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Consumers as members of groups under the classic protocol, on a real broker, alone and beside Apache's. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@ExtendWith({QuietLog.class, PlainCluster.Shared.class})
class ClassicGroupTest {
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

  private static UnaryOperator<ConsumerBuilder<String, Long>> classic(String topic, Assignor assignor) {
    return builder -> builder.groupProtocol(GroupProtocol.CLASSIC).assignors(assignor)
        .heartbeatInterval(Duration.ofMillis(300)).sessionTimeout(Duration.ofSeconds(30)).subscribe(topic);
  }

  private static UnaryOperator<ConsumerBuilder<String, Long>> consumer(String topic) {
    return builder -> builder.groupProtocol(GroupProtocol.CONSUMER).subscribe(topic);
  }

  private static Consumer<String, Long> open(String topic, UnaryOperator<ConsumerBuilder<String, Long>> settings) {
    return settings.apply(client.consumer(Serdes.string(), Serdes.longs()).group(topic)
        .offsetReset(OffsetReset.EARLIEST)).open();
  }

  private static GroupReader reader(String topic, Queue<Long> values, Assignor assignor) {
    return new GroupReader(cluster.bootstrap(), topic, values, classic(topic, assignor));
  }

  private static void produce(String topic, int from, int to) throws InterruptedException {
    try (Producer<String, Long> producer = client.producer(Serdes.string(), Serdes.longs()).topic(topic)
        .partitioner(Partitioner.roundRobin()).open()) {
      for (long i = from; i < to; i++) {
        producer.send(null, i);
      }
      assertThat(producer.flush(DEADLINE)).isTrue();
    }
  }

  private static KafkaConsumer<String, Long> apache(String group, String assignor) {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", cluster.bootstrap(), "group.id", group,
        "auto.offset.reset", "earliest", "enable.auto.commit", "true", "heartbeat.interval.ms", "300",
        "session.timeout.ms", "30000", "auto.commit.interval.ms", "200"));
    if (assignor.equals("consumer")) {
      settings.put("group.protocol", "consumer");
      settings.remove("heartbeat.interval.ms");
      settings.remove("session.timeout.ms");
    } else {
      settings.put("partition.assignment.strategy", assignor);
    }
    return new KafkaConsumer<>(settings, new StringDeserializer(), new LongDeserializer());
  }

  private static String apacheName(Assignor assignor) {
    return "org.apache.kafka.clients.consumer." + switch (assignor.name()) {
      case "range" -> "RangeAssignor";
      case "roundrobin" -> "RoundRobinAssignor";
      default -> "CooperativeStickyAssignor";
    };
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as("time left for: " + what).isPositive();
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static List<Long> read(Consumer<String, Long> consumer, int count) throws InterruptedException {
    List<Long> values = new ArrayList<>();
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (values.size() < count && deadline - System.nanoTime() > 0) {
      consumer.poll(A_WHILE, record -> values.add(record.value()));
    }
    assertThat(values).hasSize(count);
    return values;
  }

  @ParameterizedTest
  @ValueSource(strings = {"range", "roundrobin", "cooperative-sticky"})
  void membersComeAndGoAndEachRecordIsReadOnceByWhoOwnsItsPartition(String name) throws InterruptedException {
    Assignor assignor = Assignors.named(name);
    String topic = "many-" + name;
    cluster.createTopic(topic, PARTITIONS);
    int total = 20_000;
    produce(topic, 0, total / 2);
    Queue<Long> values = new ConcurrentLinkedQueue<>();
    try (GroupReader first = reader(topic, values, assignor)) {
      await("the first reads", () -> first.read.get() > 100);
      try (GroupReader second = reader(topic, values, assignor); GroupReader third = reader(topic, values, assignor)) {
        await("all have partitions",
            () -> first.owned.size() == 2 && second.owned.size() == 2 && third.owned.size() == 2);
        produce(topic, total / 2, total);
        await("the others read", () -> second.read.get() > 100 && third.read.get() > 100);
        third.end();
        await("two share them", () -> first.owned.size() == 3 && second.owned.size() == 3);
      }
      await("one has all", () -> first.owned.size() == PARTITIONS);
      await("all is read", () -> values.size() >= total);
      if (assignor.kind() == Assignor.Kind.COOPERATIVE) {
        assertThat(first.revoked.get()).as("only what the others got").isEqualTo(PARTITIONS - 2);
      }
    }
    assertThat(values).as("each once").hasSize(total);
    assertThat(new HashSet<>(values)).hasSize(total);
  }

  @ParameterizedTest
  @ValueSource(strings = {"range", "roundrobin", "cooperative-sticky", "consumer"})
  void apachesConsumerJoinsOurGroup(String name) throws InterruptedException {
    Assignor assignor = name.equals("consumer") ? Assignors.range() : Assignors.named(name);
    String topic = "ours-first-" + name;
    cluster.createTopic(topic, PARTITIONS);
    Queue<Long> values = new ConcurrentLinkedQueue<>();
    try (GroupReader ours = reader(topic, values, assignor);
        KafkaConsumer<String, Long> apache = apache(topic,
            name.equals("consumer") ? name : apacheName(assignor))) {
      await("we have all", () -> ours.owned.size() == PARTITIONS);
      apache.subscribe(List.of(topic));
      shareAndRead(topic, ours, apache, values);
      apache.unsubscribe();
      await("we have all again", () -> ours.owned.size() == PARTITIONS);
      assertThat(ours.lost).hasValue(0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"range", "roundrobin", "cooperative-sticky", "consumer"})
  void weJoinTheGroupOfApachesConsumer(String name) throws InterruptedException {
    Assignor assignor = name.equals("consumer") ? Assignors.cooperativeSticky() : Assignors.named(name);
    String topic = "apache-first-" + name;
    cluster.createTopic(topic, PARTITIONS);
    Queue<Long> values = new ConcurrentLinkedQueue<>();
    try (KafkaConsumer<String, Long> apache = apache(topic, name.equals("consumer") ? name : apacheName(assignor))) {
      apache.subscribe(List.of(topic));
      await("they have all", () -> {
        apache.poll(A_WHILE);
        return apache.assignment().size() == PARTITIONS;
      });
      try (GroupReader ours = reader(topic, values, assignor)) {
        shareAndRead(topic, ours, apache, values);
        assertThat(ours.lost).hasValue(0);
      }
      await("they have all again", () -> {
        apache.poll(A_WHILE);
        return apache.assignment().size() == PARTITIONS;
      });
    }
  }

  @Test
  void weJoinAClassicGroupOfApachesConsumersUnderTheNewProtocol() throws InterruptedException {
    cluster.createTopic("apache-classic", PARTITIONS);
    Queue<Long> values = new ConcurrentLinkedQueue<>();
    try (KafkaConsumer<String, Long> apache = apache("apache-classic", apacheName(Assignors.cooperativeSticky()))) {
      apache.subscribe(List.of("apache-classic"));
      await("they have all", () -> {
        apache.poll(A_WHILE);
        return apache.assignment().size() == PARTITIONS;
      });
      try (GroupReader ours = new GroupReader(cluster.bootstrap(), "apache-classic", values,
          consumer("apache-classic"))) {
        shareAndRead("apache-classic", ours, apache, values);
        assertThat(ours.lost).hasValue(0);
      }
    }
  }

  /** In both roles: our leader understands the owned partitions of Apache's members, and their leader those of ours. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void cooperativeGroupMixedWithApachesMovesNoMoreThanItMust(boolean oursFirst) {
    String topic = oursFirst ? "sticky-ours" : "sticky-apache";
    cluster.createTopic(topic, PARTITIONS);
    Queue<Long> values = new ConcurrentLinkedQueue<>();
    Assignor sticky = Assignors.cooperativeSticky();
    try (KafkaConsumer<String, Long> apache = apache(topic, apacheName(sticky))) {
      apache.subscribe(List.of(topic));
      await("they have all, if they are first", () -> oursFirst || pollApache(apache) == PARTITIONS);
      try (GroupReader ours = reader(topic, values, sticky)) {
        await("we have all, if we are first", () -> !oursFirst || ours.owned.size() == PARTITIONS);
        await("both have half", () -> pollApache(apache) == 3 && ours.owned.size() == 3);
        try (GroupReader third = reader(topic, values, sticky)) {
          await("each has two", () -> pollApache(apache) == 2 && ours.owned.size() == 2 && third.owned.size() == 2);
        }
        await("both have half again", () -> pollApache(apache) == 3 && ours.owned.size() == 3);
        assertThat(ours.revoked).as("for the second and for the third member").hasValue(oursFirst ? 4 : 1);
        assertThat(ours.lost).hasValue(0);
      }
    }
  }

  private static int pollApache(KafkaConsumer<String, Long> apache) {
    apache.poll(A_WHILE);
    return apache.assignment().size();
  }

  private static void shareAndRead(String topic, GroupReader ours, KafkaConsumer<String, Long> apache,
      Queue<Long> values) throws InterruptedException {
    List<Long> theirs = new ArrayList<>();
    await("both have half", () -> {
      apache.poll(A_WHILE).forEach(record -> theirs.add(record.value()));
      return apache.assignment().size() == PARTITIONS / 2 && ours.owned.size() == PARTITIONS / 2;
    });
    produce(topic, 0, 600);
    await("all is read", () -> {
      apache.poll(A_WHILE).forEach(record -> theirs.add(record.value()));
      return theirs.size() + values.size() >= 600;
    });
    assertThat(theirs).hasSize(300);
    assertThat(values).hasSize(300).doesNotContainAnyElementsOf(theirs);
  }

  /** Each step is one of a rolling restart: somebody of the new protocol comes, somebody of the old one goes. */
  @ParameterizedTest
  @ValueSource(strings = {"range", "cooperative-sticky"})
  void groupIsMigratedWhileItReadsAndBackAgain(String name) throws InterruptedException {
    String topic = "migrated-" + name;
    cluster.createTopic(topic, PARTITIONS);
    Queue<Long> values = new ConcurrentLinkedQueue<>();
    produce(topic, 0, 600);
    try (GroupReader old = reader(topic, values, Assignors.named(name))) {
      await("the old one reads", () -> values.size() >= 600);
      try (GroupReader fresh = new GroupReader(cluster.bootstrap(), topic, values, consumer(topic))) {
        await("they share", () -> old.owned.size() == 3 && fresh.owned.size() == 3);
        produce(topic, 600, 1_200);
        await("both read", () -> values.size() >= 1_200);
        old.end();
        await("the new one has all", () -> fresh.owned.size() == PARTITIONS);
        produce(topic, 1_200, 1_800);
        await("the new one reads", () -> values.size() >= 1_800);
        try (GroupReader back = reader(topic, values, Assignors.named(name))) {
          await("they share again", () -> back.owned.size() == 3 && fresh.owned.size() == 3);
          fresh.end();
          await("the group is classic again", () -> back.owned.size() == PARTITIONS);
          produce(topic, 1_800, 2_400);
          await("all is read", () -> values.size() >= 2_400);
          assertThat(old.lost.get() + fresh.lost.get() + back.lost.get()).isZero();
        }
      }
    }
    assertThat(new HashSet<>(values)).hasSize(2_400);
    assertThat(values).as("each once").hasSize(2_400);
  }

  @Test
  void staticMemberThatComesBackGetsItsPartitionsAndNobodyElseNoticesIt() throws InterruptedException {
    cluster.createTopic("static-classic", PARTITIONS);
    Queue<Long> values = new ConcurrentLinkedQueue<>();
    try (GroupReader other = reader("static-classic", values, Assignors.range())) {
      await("the other has all", () -> other.owned.size() == PARTITIONS);
      List<TopicPartition> before = stay(GroupMembershipOperation.DEFAULT);
      int revoked = other.revoked.get();
      assertThat(stay(GroupMembershipOperation.LEAVE_GROUP)).containsExactlyInAnyOrderElementsOf(before);
      await("the other has all again", () -> other.owned.size() == PARTITIONS);
      assertThat(other.revoked.get() - revoked).as("one rebalance, when it left for good").isEqualTo(3);
    }
  }

  private static List<TopicPartition> stay(GroupMembershipOperation departure) throws InterruptedException {
    try (Consumer<String, Long> consumer = open("static-classic",
        b -> classic("static-classic", Assignors.range()).apply(b).groupInstance("till-1"))) {
      long deadline = System.nanoTime() + DEADLINE.toNanos();
      while (consumer.assignment().size() < PARTITIONS / 2 && deadline - System.nanoTime() > 0) {
        consumer.poll(A_WHILE, record -> {});
      }
      List<TopicPartition> assigned = consumer.assignment();
      assertThat(assigned).hasSize(PARTITIONS / 2);
      consumer.close(DEADLINE, departure);
      return assigned;
    }
  }

  @Test
  void secondConsumerWithAnInstanceIdFencesTheFirst() throws InterruptedException {
    cluster.createTopic("fenced-classic", PARTITIONS);
    UnaryOperator<ConsumerBuilder<String, Long>> settings = b -> classic("fenced-classic", Assignors.range()).apply(b)
        .groupInstance("till-1");
    try (Consumer<String, Long> first = open("fenced-classic", settings)) {
      await("it has all", () -> poll(first) == PARTITIONS);
      try (Consumer<String, Long> second = open("fenced-classic", settings)) {
        await("the other has all", () -> poll(second) == PARTITIONS);
        assertThatThrownBy(() -> {
          long deadline = System.nanoTime() + DEADLINE.toNanos();
          while (deadline - System.nanoTime() > 0) {
            first.poll(A_WHILE, record -> {});
          }
        }).isInstanceOf(KafkaException.class).hasMessageContaining("FENCED_INSTANCE_ID")
            .hasMessageContaining("give each an id of its own");
      }
    }
  }

  private static int poll(Consumer<String, Long> consumer) {
    try {
      consumer.poll(A_WHILE, record -> {});
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return consumer.assignment().size();
  }

  @Test
  void patternFindsTopicsThatAreCreatedLaterAndPartitionsThatAreAdded() throws Exception {
    cluster.createTopic("gauge-1", 1);
    cluster.createTopic("not-a-gauge-1", 1);
    try (Consumer<String, Long> consumer = open("gauges", b -> classic("", Assignors.range(), b).subscribePattern(
        "gauge-[0-9]").metadataMaxAge(Duration.ofMillis(200)))) {
      await("the one", () -> poll(consumer) == 1);
      cluster.createTopic("gauge-2", 2);
      await("the other", () -> poll(consumer) == 3);
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
        admin.createPartitions(Map.of("gauge-1", NewPartitions.increaseTo(4))).all().get(40, TimeUnit.SECONDS);
      }
      await("those that were added", () -> poll(consumer) == 6);
      assertThat(consumer.assignment()).allSatisfy(p -> assertThat(p.topic()).startsWith("gauge-"));
    }
  }

  private static ConsumerBuilder<String, Long> classic(String topic, Assignor assignor,
      ConsumerBuilder<String, Long> builder) {
    return classic(topic.isEmpty() ? "any" : topic, assignor).apply(builder);
  }

  @Test
  void topicThatOnlyAnotherMemberReadsIsDividedByTheLeaderAllTheSame() throws InterruptedException {
    cluster.createTopic("left", 2);
    cluster.createTopic("right", 2);
    Queue<Long> values = new ConcurrentLinkedQueue<>();
    try (GroupReader left = new GroupReader(cluster.bootstrap(), "both", values, classic("left", Assignors.range()))) {
      await("left", () -> left.owned.size() == 2);
      try (GroupReader right = new GroupReader(cluster.bootstrap(), "both", values,
          classic("right", Assignors.range()))) {
        await("right", () -> right.owned.equals(Set.of(new TopicPartition("right", 0), new TopicPartition("right", 1)))
            && left.owned.size() == 2);
      }
    }
  }

  @Test
  void memberThatIsThrownOutIsToldAndItsCommitIsRefusedWithAReason() throws Exception {
    cluster.createTopic("thrown", 2);
    produce("thrown", 0, 10);
    try (Consumer<String, Long> consumer = open("thrown",
        b -> classic("thrown", Assignors.range()).apply(b).autoCommit(false))) {
      read(consumer, 10);
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
        admin.removeMembersFromConsumerGroup("thrown", new RemoveMembersFromConsumerGroupOptions()).all()
            .get(40, TimeUnit.SECONDS);
      }
      assertThatThrownBy(() -> consumer.commit(Map.of(new TopicPartition("thrown", 0), new OffsetAndMetadata(5))))
          .isInstanceOf(KafkaException.class).hasMessageContaining("UNKNOWN_MEMBER_ID");
      assertThat(read(consumer, 10)).as("read again, nothing was committed").contains(0L);
      consumer.commit();
      assertThat(consumer.committed(new TopicPartition("thrown", 0)).values()).singleElement()
          .extracting(OffsetAndMetadata::offset).isEqualTo(5L);
    }
  }

  /** All to the member of the smallest id. */
  private static final class Greedy implements Assignor {
    @Override
    public String name() {
      return "greedy";
    }

    @Override
    public Kind kind() {
      return Kind.EAGER;
    }

    @Override
    public Map<String, List<TopicPartition>> assign(Map<String, TopicLayout> topics, List<Subscriber> members) {
      List<TopicPartition> all = new ArrayList<>();
      topics.forEach((name, layout) -> {
        for (int p = 0; p < layout.partitions(); p++) {
          all.add(new TopicPartition(name, p));
        }
      });
      return Map.of(members.getFirst().memberId(), all);
    }
  }

  @Test
  void applicationBringsItsOwnAssignor() throws InterruptedException {
    cluster.createTopic("greedy", PARTITIONS);
    Queue<Long> values = new ConcurrentLinkedQueue<>();
    try (GroupReader one = reader("greedy", values, new Greedy());
        GroupReader two = reader("greedy", values, new Greedy())) {
      produce("greedy", 0, 60);
      await("one of them has all", () -> one.owned.size() + two.owned.size() == PARTITIONS
          && (one.owned.isEmpty() || two.owned.isEmpty()) && values.size() >= 60);
    }
  }

  @Test
  void membersWithoutACommonAssignorAreToldWhichTheyHave() throws InterruptedException {
    cluster.createTopic("alien", PARTITIONS);
    try (Consumer<String, Long> first = open("alien", classic("alien", Assignors.range()))) {
      await("it has all", () -> poll(first) == PARTITIONS);
      try (Consumer<String, Long> second = open("alien", classic("alien", Assignors.roundRobin()))) {
        assertThatThrownBy(() -> second.poll(DEADLINE, record -> {})).isInstanceOf(KafkaException.class)
            .hasMessageContaining("INCONSISTENT_GROUP_PROTOCOL")
            .hasMessageContaining("this consumer has the assignors roundrobin");
      }
    }
  }

  @Test
  void sessionTimeoutThatTheBrokerRefusesIsNamed() {
    try (Consumer<String, Long> consumer = open("session",
        b -> classic("session", Assignors.range()).apply(b).sessionTimeout(Duration.ofMillis(500)))) {
      assertThatThrownBy(() -> consumer.poll(DEADLINE, record -> {})).isInstanceOf(KafkaException.class)
          .hasMessageContaining("session.timeout.ms is 500");
    }
  }
}
