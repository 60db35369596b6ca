package dev.decant.faults;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.fault.Direction;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * In Apache's client a batch that expired while its bytes were still being written gave its memory back, and what was
 * written into it next went to the topic of the first (KAFKA-19012): no checksum covers the topic. Here two producers
 * share connections that take bytes so slowly that each request is being written for seconds, and have little memory,
 * which is poisoned as soon as it is given back. What lands must be what was sent, where it was sent to.
 */
@Tag("full")
@Timeout(600)
@ExtendWith({SharedCluster.class, LoggedErrors.class})
class UnfinishedWritesTest {
  private static final int BYTES_PER_SECOND = 30_000;
  private static final int RESETS = 8;
  private static final Duration DELIVERY_TIMEOUT = Duration.ofMillis(1500);

  /** The first time-out has the client end connections in the middle of writes, with the second it is the network. */
  @ParameterizedTest
  @ValueSource(ints = {1000, 20_000})
  void memoryOfRequestsThatAreGivenUpWhileTheyAreWrittenGoesNowhereElse(int requestTimeoutMillis,
      KafkaCluster cluster) throws InterruptedException {
    long seed = Seeds.next("unfinished writes, request timeout " + requestTimeoutMillis + " ms");
    LoadSettings settings = new LoadSettings(Duration.ofMillis(requestTimeoutMillis), DELIVERY_TIMEOUT, 1 << 20,
        64 * 1024, 1_000_000, true);
    String a = "a-" + Long.toHexString(seed);
    String b = "b-" + Long.toHexString(seed);
    cluster.createTopic(a, Workload.PARTITIONS);
    cluster.createTopic(b, Workload.PARTITIONS);
    try (KafkaClient client = Workload.connect(cluster, settings);
        Workload toA = new Workload(client, a, seed, settings);
        Workload toB = new Workload(client, b, ~seed, settings)) {
      toA.awaitProgress();
      toB.awaitProgress();
      try {
        leaveWritesUnfinished(cluster, new Random(seed));
        toA.awaitFailures();
        toB.awaitFailures();
      } finally {
        for (int broker = 1; broker <= Bench.BROKERS; broker++) {
          cluster.proxy(broker).heal();
        }
      }
      toA.awaitProgress();
      toB.awaitProgress();
      List<Outcomes> ofA = toA.finish();
      List<Outcomes> ofB = toB.finish();
      FaultRun.judge(cluster, a, seed, ofA, toA.trace());
      FaultRun.judge(cluster, b, ~seed, ofB, toB.trace());
    }
    cluster.deleteTopic(a);
    cluster.deleteTopic(b);
  }

  private static void leaveWritesUnfinished(KafkaCluster cluster, Random random) throws InterruptedException {
    for (int broker = 1; broker <= Bench.BROKERS; broker++) {
      cluster.proxy(broker).bandwidth(Direction.TO_BROKER, BYTES_PER_SECOND);
    }
    for (int i = 0; i < RESETS; i++) {
      Thread.sleep(200 + random.nextInt(600)); // so long the fault lasts
      cluster.proxy(1 + random.nextInt(Bench.BROKERS)).reset();
    }
  }
}
