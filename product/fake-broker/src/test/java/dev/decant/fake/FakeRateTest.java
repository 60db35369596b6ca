package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that a fake cluster is fast enough for load tests. The time is that of its thread on a CPU, so neither the
 * client nor other processes count. This test prints the figure of docs/testing.md.
 */
@Tag("long")
@Timeout(120)
class FakeRateTest {
  private static final int RECORDS = 1_000_000;
  private static final int BYTES = 100;
  private static final long LEAST_A_SECOND = 200_000;

  @Test
  void carriesTwoHundredThousandRecordsInASecondOfOneCore() throws Exception {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    try (FakeCluster cluster = FakeCluster.builder().topic("load", 6).start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Producer<byte[], byte[]> producer = client.producer(Serdes.bytes(), Serdes.bytes()).topic("load")
            .linger(Duration.ofMillis(5)).open()) {
      long thread = Thread.getAllStackTraces().keySet().stream()
          .filter(t -> t.getName().startsWith("decant-fake-cluster")).findFirst().orElseThrow().threadId();
      byte[] value = new byte[BYTES];
      long before = threads.getThreadCpuTime(thread);
      for (int i = 0; i < RECORDS; i++) {
        producer.send(null, value);
      }
      assertThat(producer.flush(Duration.ofMinutes(1))).isTrue();
      long nanos = threads.getThreadCpuTime(thread) - before;
      long stored = 0;
      for (int p = 0; p < 6; p++) {
        stored += cluster.log("load", p).logEnd();
      }
      assertThat(stored).isEqualTo(RECORDS);
      long aSecond = RECORDS * Duration.ofSeconds(1).toNanos() / nanos;
      System.out.println(aSecond + " records per second of the cluster's thread on a CPU");
      assertThat(aSecond).isGreaterThan(LEAST_A_SECOND);
    }
  }
}
