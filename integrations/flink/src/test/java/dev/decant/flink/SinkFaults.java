package dev.decant.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.KafkaCluster;
import java.util.List;
import java.util.Random;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** Rounds of a job that writes numbers exactly once, while things go wrong; three brokers and one Flink cluster. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SinkFaults {
  private static final int COUNT = 2_500;
  private static final int PER_SECOND = 500;
  private static final int MISHAPS = 4;
  private static final long SEED = Long.getLong("decant.faults.seed", new Random().nextLong() >>> 32);
  /** Brokers that start soon matter more here than fast ones. */
  private static final List<String> JVM = List.of("-Xms64m", "-Xmx384m", "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1");

  private KafkaCluster kafka;
  private Job flink;
  private int oldestTaskManager;

  @BeforeAll
  void start() throws Exception {
    kafka = KafkaCluster.builder().brokers(3).jvmArguments(JVM).inMemory().start();
    flink = Job.start(2, 2);
  }

  @AfterAll
  void stop() throws Exception {
    FaultySink.end();
    flink.close();
    kafka.close();
  }

  final void round(int number) throws Exception {
    long seed = SEED + number;
    String topic = "numbers-" + number;
    kafka.createTopic(topic, 3, 3);
    boolean pooling = number % 2 == 1;
    Mishaps mishaps = new Mishaps(seed, MISHAPS, kafka, flink, oldestTaskManager);
    FaultySink.begin(mishaps);
    try {
      flink.submit(Job.plan(new FaultySink(Job.decant(kafka.bootstrap(), topic, DeliveryGuarantee.EXACTLY_ONCE,
          pooling ? TransactionNamingStrategy.POOLING : TransactionNamingStrategy.INCREMENTING)), COUNT, PER_SECOND,
          number % 3 != 0), null);
      flink.await();
      mishaps.repair();
      FaultySink.end();
      Committed.requireEachOnce(Committed.values(kafka.bootstrap(), topic), COUNT);
      assertThat(mishaps.log()).as("mishaps").isNotEmpty();
    } catch (Exception | AssertionError e) {
      throw new AssertionError("round " + number + ", -Ddecant.faults.seed=" + SEED + ", after " + mishaps.log(), e);
    } finally {
      oldestTaskManager = mishaps.oldestTaskManager();
    }
    System.out.println("round " + number + ", seed " + seed + ": " + mishaps.log());
  }
}
