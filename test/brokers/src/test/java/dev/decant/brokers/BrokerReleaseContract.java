package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignors;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.IsolationLevel;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Partitioner;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.KafkaClusterBuilder;
import dev.decant.testkit.RepositoryJars;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** What works with a real broker of one release of Kafka, with Apache's client of 4.x beside ours. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BrokerReleaseContract {
  /** The release that the test kit brings. */
  static final String OWN = "4.3";
  private static final Duration LATER = Duration.ofSeconds(30);
  private static final Duration A_WHILE = Duration.ofMillis(100);

  private final String release;
  private @Nullable KafkaCluster started;
  private @Nullable KafkaClient connected;

  BrokerReleaseContract(String release) {
    this.release = release;
  }

  @BeforeAll
  void start() {
    KafkaClusterBuilder builder = KafkaCluster.builder();
    if (!release.equals(OWN)) {
      builder.brokerJars(RepositoryJars.locate(BrokerReleaseContract.class, "kafka-" + release + ".classpath",
          "org.apache.kafka:kafka_2.13:VERSION").stream().map(Path::of).toList());
    }
    KafkaCluster cluster = builder.start();
    started = cluster;
    connected = KafkaClient.connect(cluster.bootstrap());
  }

  @AfterAll
  void stop() {
    if (connected != null) {
      connected.close();
    }
    if (started != null) {
      started.close();
    }
  }

  private KafkaCluster cluster() {
    return Objects.requireNonNull(started, "started");
  }

  private KafkaClient client() {
    return Objects.requireNonNull(connected, "connected");
  }

  private boolean hasConsumerProtocol() {
    return release.startsWith("4.");
  }

  private void produce(String topic, long from, long to) throws InterruptedException {
    try (Producer<String, Long> producer = client().producer(Serdes.string(), Serdes.longs()).topic(topic)
        .partitioner(Partitioner.roundRobin()).open()) {
      for (long i = from; i < to; i++) {
        producer.send(null, i);
      }
      assertThat(producer.flush(LATER)).isTrue();
    }
  }

  private ConsumerBuilder<String, Long> consumer() {
    return client().consumer(Serdes.string(), Serdes.longs()).offsetReset(OffsetReset.EARLIEST);
  }

  private ConsumerBuilder<String, Long> classic(ConsumerBuilder<String, Long> builder, String topic) {
    return builder.groupProtocol(GroupProtocol.CLASSIC).assignors(Assignors.range())
        .heartbeatInterval(Duration.ofMillis(300)).subscribe(topic);
  }

  private static List<Long> read(Consumer<String, Long> consumer, int count) throws InterruptedException {
    List<Long> values = new ArrayList<>();
    long deadline = System.nanoTime() + LATER.toNanos();
    while (values.size() < count && deadline - System.nanoTime() > 0) {
      consumer.poll(A_WHILE, record -> values.add(record.value()));
    }
    return values;
  }

  private static List<Long> read(KafkaConsumer<String, Long> consumer, int count) {
    List<Long> values = new ArrayList<>();
    long deadline = System.nanoTime() + LATER.toNanos();
    while (values.size() < count && deadline - System.nanoTime() > 0) {
      consumer.poll(A_WHILE).forEach(record -> values.add(record.value()));
    }
    return values;
  }

  private KafkaConsumer<String, Long> apacheConsumer(Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", cluster().bootstrap(),
        "auto.offset.reset", "earliest", "heartbeat.interval.ms", "300"));
    settings.putAll(more);
    return new KafkaConsumer<>(settings, new StringDeserializer(), new LongDeserializer());
  }

  private KafkaProducer<String, Long> apacheProducer(Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", cluster().bootstrap()));
    settings.putAll(more);
    return new KafkaProducer<>(settings, new StringSerializer(), new LongSerializer());
  }

  private static Long[] numbers(long from, long to) {
    return LongStream.range(from, to).boxed().toArray(Long[]::new);
  }

  @Test
  void recordsGoFromUsToApacheAndBack() throws Exception {
    String topic = cluster().createTopic(1);
    var partition = new org.apache.kafka.common.TopicPartition(topic, 0);
    produce(topic, 0, 100);
    try (var theirs = apacheConsumer(Map.of()); var producer = apacheProducer(Map.of())) {
      theirs.assign(List.of(partition));
      assertThat(read(theirs, 100)).containsExactly(numbers(0, 100));
      for (long i = 100; i < 200; i++) {
        producer.send(new ProducerRecord<>(topic, "k", i)).get();
      }
    }
    try (Consumer<String, Long> ours = consumer().open()) {
      ours.assign(topic, 0);
      assertThat(read(ours, 200)).containsExactly(numbers(0, 200));
      assertThat(ours.endOffsets(new TopicPartition(topic, 0))).containsValue(200L);
    }
  }

  @Test
  void committedTransactionsOfBothAreSeenByBothAndAbortedOnesAreNot() throws Exception {
    String topic = cluster().createTopic(1);
    try (Transactions tx = client().transactions("ours-" + release).open();
        Producer<String, Long> ours = client().producer(Serdes.string(), Serdes.longs()).topic(topic)
            .transactions(tx).open();
        var theirs = apacheProducer(Map.of("transactional.id", "theirs-" + release))) {
      theirs.initTransactions();
      for (long i = 0; i < 6; i++) {
        boolean commits = i % 3 != 1;
        tx.begin();
        ours.send("k", commits ? i : -1);
        if (commits) {
          tx.commit(LATER);
        } else {
          assertThat(ours.flush(LATER)).isTrue();
          tx.abort(LATER);
        }
        theirs.beginTransaction();
        theirs.send(new ProducerRecord<>(topic, "k", commits ? 100 + i : -1)).get();
        if (commits) {
          theirs.commitTransaction();
        } else {
          theirs.abortTransaction();
        }
      }
    }
    Long[] expected = {0L, 100L, 2L, 102L, 3L, 103L, 5L, 105L};
    try (var consumer = apacheConsumer(Map.of("isolation.level", "read_committed"))) {
      consumer.assign(List.of(new org.apache.kafka.common.TopicPartition(topic, 0)));
      assertThat(read(consumer, expected.length)).containsExactly(expected);
    }
    try (Consumer<String, Long> consumer = consumer().isolationLevel(IsolationLevel.READ_COMMITTED).open()) {
      consumer.assign(topic, 0);
      assertThat(read(consumer, expected.length)).containsExactly(expected);
    }
  }

  @Test
  void groupGoesOnWhereTheOtherClientHasCommitted() throws InterruptedException {
    String topic = cluster().createTopic(1);
    produce(topic, 0, 10);
    try (Consumer<String, Long> ours = classic(consumer().group(topic), topic).open()) {
      assertThat(read(ours, 10)).containsExactly(numbers(0, 10));
      ours.commit();
      assertThat(ours.committed(new TopicPartition(topic, 0)).values()).extracting(OffsetAndMetadata::offset)
          .containsExactly(10L);
    }
    produce(topic, 10, 20);
    try (var theirs = apacheConsumer(Map.of("group.id", topic, "enable.auto.commit", "false"))) {
      theirs.subscribe(List.of(topic));
      assertThat(read(theirs, 10)).containsExactly(numbers(10, 20));
      theirs.commitSync();
    }
    produce(topic, 20, 30);
    try (Consumer<String, Long> ours = classic(consumer().group(topic), topic).open()) {
      assertThat(read(ours, 10)).containsExactly(numbers(20, 30));
    }
  }

  @Test
  void membersOfBothClientsShareTheTopicsOfAGroup() throws InterruptedException {
    String topic = cluster().createTopic(6);
    Queue<Long> values = new ConcurrentLinkedQueue<>();
    try (GroupReader ours = new GroupReader(cluster().bootstrap(), topic, values,
        builder -> classic(builder, topic));
        var theirs = apacheConsumer(Map.of("group.id", topic, "partition.assignment.strategy",
            "org.apache.kafka.clients.consumer.RangeAssignor"))) {
      theirs.subscribe(List.of(topic));
      long deadline = System.nanoTime() + LATER.toNanos();
      while (ours.owned.size() != 3 || theirs.assignment().size() != 3) {
        assertThat(deadline - System.nanoTime()).as("time left, with %s and %s", ours.owned, theirs.assignment())
            .isPositive();
        theirs.poll(A_WHILE);
      }
      produce(topic, 0, 60);
      while (values.size() < 60) {
        assertThat(deadline - System.nanoTime()).as("time left, with %s", values).isPositive();
        theirs.poll(A_WHILE).forEach(record -> values.add(record.value()));
      }
      assertThat(ours.read.get()).isEqualTo(30);
    }
    assertThat(values).containsExactlyInAnyOrder(numbers(0, 60));
  }

  @Test
  void offsetsAreCommittedWithATransaction() throws InterruptedException {
    String from = cluster().createTopic(1);
    String to = cluster().createTopic(1);
    TopicPartition source = new TopicPartition(from, 0);
    produce(from, 0, 5);
    try (Consumer<String, Long> ours = classic(consumer().group(from).autoCommit(false), from).open();
        Transactions tx = client().transactions("copy-" + release).open();
        Producer<String, Long> producer = client().producer(Serdes.string(), Serdes.longs()).topic(to)
            .transactions(tx).open()) {
      List<Long> values = read(ours, 5);
      GroupMetadata group = ours.groupMetadata();
      tx.begin();
      values.forEach(value -> producer.send("k", value));
      tx.sendOffsets(Map.of(source, new OffsetAndMetadata(3)), group, LATER);
      tx.abort(LATER);
      assertThat(ours.committed(source)).doesNotContainKey(source);
      tx.begin();
      values.forEach(value -> producer.send("k", value));
      tx.sendOffsets(Map.of(source, new OffsetAndMetadata(5)), group, LATER);
      tx.commit(LATER);
      assertThat(ours.committed(source).values()).extracting(OffsetAndMetadata::offset).containsExactly(5L);
    }
    try (var consumer = apacheConsumer(Map.of("isolation.level", "read_committed"))) {
      consumer.assign(List.of(new org.apache.kafka.common.TopicPartition(to, 0)));
      assertThat(read(consumer, 5)).containsExactly(numbers(0, 5));
    }
  }

  @Test
  void staticMemberComesBackToItsPartitions() throws InterruptedException {
    String topic = cluster().createTopic(2);
    produce(topic, 0, 10);
    for (int round = 0; round < 2; round++) {
      try (Consumer<String, Long> ours = classic(consumer().group(topic).groupInstance("one").autoCommit(false),
          topic).open()) {
        assertThat(read(ours, 10)).containsExactlyInAnyOrder(numbers(0, 10));
      }
    }
  }

  @Test
  void consumerProtocolIsThereFrom40OnAndBeforeAnErrorThatNamesTheOtherOne() throws InterruptedException {
    String topic = cluster().createTopic(1);
    produce(topic, 0, 10);
    try (Consumer<String, Long> ours = consumer().group(topic).groupProtocol(GroupProtocol.CONSUMER).subscribe(topic)
        .open()) {
      if (hasConsumerProtocol()) {
        assertThat(read(ours, 10)).containsExactly(numbers(0, 10));
      } else {
        assertThatThrownBy(() -> read(ours, 10)).isInstanceOf(KafkaException.class)
            .hasMessageContaining("the consumer protocol needs brokers of Kafka 4.0 or later: "
                + "use group.protocol=classic");
      }
    }
  }
}
