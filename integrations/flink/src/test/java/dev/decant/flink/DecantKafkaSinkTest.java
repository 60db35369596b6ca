package dev.decant.flink;

import dev.decant.testkit.KafkaCluster;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs with the sink in a Flink cluster of this JVM, on a real broker. */
@Tag("full")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class DecantKafkaSinkTest {
  private static final TransactionNamingStrategy INCREMENTING = TransactionNamingStrategy.INCREMENTING;

  private static final int COUNT = 40_000; // for half a minute, on a slow machine too
  private static final int SOME = 500;
  private static final int CANCELLED = 5;

  private static KafkaCluster kafka;
  private static Job flink;

  @TempDir
  private Path directory = Path.of("");

  @BeforeAll
  static void start() throws Exception {
    kafka = KafkaCluster.start();
    flink = Job.start(1, 2);
  }

  @AfterAll
  static void stop() throws Exception {
    flink.close();
    kafka.close();
  }

  @ParameterizedTest
  @EnumSource
  void jobWritesEachElementWithEachGuarantee(DeliveryGuarantee guarantee) throws Exception {
    String topic = kafka.createTopic(3);
    flink.submit(Job.plan(Job.decant(kafka.bootstrap(), topic, guarantee, INCREMENTING), 500, 1_000, true), null);
    flink.await();
    Committed.requireEachOnce(Committed.values(kafka.bootstrap(), topic), 500);
  }

  @ParameterizedTest
  @EnumSource
  void jobGoesFromFlinksSinkToThisOneAndBackByASavepoint(TransactionNamingStrategy naming) throws Exception {
    String topic = kafka.createTopic(3);
    run(topic, apaches(topic, naming), null, 1_000);
    String first = flink.saveAndCancel(directory);
    run(topic, decants(topic, naming), first, 1_000);
    String second = flink.saveAndCancel(directory);
    run(topic, apaches(topic, naming), second, 1_000);
    String third = flink.stop(directory);
    run(topic, decants(topic, naming), third, 20_000);
    flink.await();
    Committed.requireEachOnce(Committed.values(kafka.bootstrap(), topic), COUNT);
  }

  /** A cancelled subtask whose close throws takes its task manager with it. */
  @ParameterizedTest
  @EnumSource
  void taskManagerOutlivesJobsThatAreCancelledWithUnsentRecords(DeliveryGuarantee guarantee) throws Exception {
    String topic = kafka.createTopic(3);
    for (int i = 0; i < CANCELLED; i++) {
      long before = end(topic);
      flink.submit(Job.plan(Job.lingering(kafka.bootstrap(), topic, guarantee), COUNT, 10_000, true), null);
      awaitRecords(topic, before);
      flink.cancel();
    }
    flink.submit(Job.plan(Job.decant(kafka.bootstrap(), topic, guarantee, INCREMENTING), 1, 1_000, true), null);
    flink.await(); // for ever, without a task manager
  }

  private static Sink<String> apaches(String topic, TransactionNamingStrategy naming) {
    return Job.apaches(kafka.bootstrap(), topic, naming);
  }

  private static Sink<String> decants(String topic, TransactionNamingStrategy naming) {
    return Job.decant(kafka.bootstrap(), topic, DeliveryGuarantee.EXACTLY_ONCE, naming);
  }

  /** Submits a job and waits until it has written some records, open ones among them; each look asks the broker. */
  private static void run(String topic, Sink<String> sink, @Nullable String savepoint, int perSecond)
      throws Exception {
    long before = end(topic);
    flink.submit(Job.plan(sink, COUNT, perSecond, true), savepoint);
    awaitRecords(topic, before);
  }

  private static void awaitRecords(String topic, long before) {
    while (end(topic) < before + SOME) {
      Thread.onSpinWait();
    }
  }

  private static long end(String topic) {
    return Arrays.stream(kafka.endOffsets(topic)).sum();
  }
}
