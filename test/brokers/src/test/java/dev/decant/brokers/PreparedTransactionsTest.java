package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.PreparedTransaction;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.TransactionState;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.ChildJvm;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.RepositoryJars;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process prepares transactions and is killed; this one ends them. The brokers have two-phase commits enabled
 * (KIP-939), as far as their release implements them.
 */
@Tag("full")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PreparedTransactionsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private static KafkaCluster cluster;
  private static KafkaClient client;

  @TempDir
  private Path directory = Path.of("");

  @BeforeAll
  static void start() {
    cluster = KafkaCluster.builder().setting("unstable.api.versions.enable", "true")
        .setting("transaction.two.phase.commit.enable", "true")
        .setting("transaction.abort.timed.out.transaction.cleanup.interval.ms", "500").start();
    client = KafkaClient.connect(cluster.bootstrap());
  }

  @AfterAll
  static void stop() {
    client.close();
    cluster.close();
  }

  /** Prepares a transaction for each id in a JVM that is killed then. */
  private List<PreparedTransaction> prepareAndDie(String topic, List<String> ids) {
    String classPath = Stream.of(PreparingJvm.class, KafkaClient.class, RecordBatchHeader.class, BufferPool.class)
        .map(RepositoryJars::locationOf).collect(Collectors.joining(File.pathSeparator));
    ChildJvm jvm = ChildJvm.start("the preparing JVM", List.of("-Xmx128m", "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1", "-cp", classPath, PreparingJvm.class.getName(), cluster.bootstrap(), topic),
        directory.resolve("log"));
    try {
      return ids.stream().map(id -> {
        String[] answer = jvm.ask(id, TIMEOUT).split(" ", -1);
        return new PreparedTransaction(id, Long.parseLong(answer[0]), Short.parseShort(answer[1]));
      }).toList();
    } finally {
      jvm.kill();
    }
  }

  private static TransactionException refusedCommit(PreparedTransaction left) {
    try (Transactions resumed = client.transactions(left.transactionalId()).resume(left)) {
      return catchThrowableOfType(TransactionException.class, () -> resumed.commit(TIMEOUT));
    }
  }

  private static void commit(PreparedTransaction left) throws InterruptedException {
    try (Transactions resumed = client.transactions(left.transactionalId()).resume(left)) {
      resumed.commit(TIMEOUT);
    }
  }

  private static void abort(PreparedTransaction left) throws InterruptedException {
    try (Transactions resumed = client.transactions(left.transactionalId()).resume(left)) {
      resumed.abort(TIMEOUT);
    }
  }

  @Test
  void whatAKilledProcessHasPreparedIsCommittedOrAborted() throws InterruptedException {
    String topic = cluster.createTopic(1);
    List<PreparedTransaction> left = prepareAndDie(topic, List.of("committed", "aborted", "reopened"));
    commit(left.get(0));
    commit(left.get(0)); // again, as after a restart before the first commit was noted
    abort(left.get(1));
    abort(left.get(1));
    assertThat(refusedCommit(left.get(1)).code()).isEqualTo(ErrorCode.INVALID_TXN_STATE);
    try (Transactions reopened = client.transactions("reopened").open()) { // aborts it, and fences
      assertThat(reopened.state()).isEqualTo(TransactionState.READY);
      assertThat(refusedCommit(left.get(2)))
          .hasMessageContaining("another client has opened the transactional id since");
    }
    assertThat(committed(topic)).containsExactly("committed");
  }

  private static PreparedTransaction prepare(String id, String topic, boolean twoPhase) throws InterruptedException {
    try (Transactions tx = client.transactions(id).timeout(Duration.ofSeconds(1)).twoPhaseCommit(twoPhase).open();
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic(topic)
            .transactions(tx).open()) {
      tx.begin();
      producer.send("k", id);
      return tx.prepare(TIMEOUT).orElseThrow();
    }
  }

  @Test
  void onlyATwoPhaseTransactionOutlivesItsTimeout() throws InterruptedException {
    String kept = cluster.createTopic(1);
    String lost = cluster.createTopic(1);
    PreparedTransaction twoPhase = prepare("two-phase", kept, true);
    PreparedTransaction plain = prepare("plain", lost, false);
    while (cluster.endOffsets(lost)[0] < 2) { // until the marker is there; each look asks the broker
      assertThat(cluster.endOffsets(kept)[0]).isEqualTo(1);
    }
    assertThat(refusedCommit(plain).code()).isIn(ErrorCode.INVALID_TXN_STATE, ErrorCode.PRODUCER_FENCED);
    commit(twoPhase);
    assertThat(committed(kept)).containsExactly("two-phase");
    assertThat(committed(lost)).isEmpty();
  }

  /** Brokers up to 4.4 refuse KIP-939's keepPreparedTxn; this test tells when one does not. */
  @Test
  void keepingAPreparedTransactionIsRefusedByBrokersThatDoNotImplementIt() {
    TransactionException refused = catchThrowableOfType(TransactionException.class,
        () -> client.transactions("kept").twoPhaseCommit(true).openPrepared());
    assertThat(refused.code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION);
  }

  private static List<String> committed(String topic) {
    List<String> values = new ArrayList<>();
    TopicPartition partition = new TopicPartition(topic, 0);
    Map<String, Object> settings = Map.of("bootstrap.servers", cluster.bootstrap(), "auto.offset.reset", "earliest",
        "isolation.level", "read_committed");
    try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(List.of(partition));
      long end = cluster.endOffsets(topic)[0];
      while (consumer.position(partition) < end) {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> values.add(record.value()));
      }
    }
    return values;
  }
}
