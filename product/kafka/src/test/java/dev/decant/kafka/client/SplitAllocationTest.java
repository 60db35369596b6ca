package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a topic that accepts smaller batches than its producer makes, for hours. Each half once took 1.4 MB of heap,
 * and all of them were kept for ever.
 */
@Tag("allocation")
@Timeout(60)
class SplitAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final Duration LATER = Duration.ofSeconds(20);
  private static final int RECORDS = 64;
  /** One batch is refused and split in two, twice: three refusals, each with an exception and its stack. */
  private static final int MOST_BYTES = 64 * 1024;

  private final ScriptedBroker broker = ScriptedBroker.start(1);
  private final KafkaClient client = KafkaClient.builder(broker.address()).clientId("splits").build();
  private int acknowledged;

  @AfterEach
  void close() {
    try (broker) {
      client.close();
    }
  }

  @Test
  void splittingABatchTakesLittleHeap() throws InterruptedException {
    long ioThread = Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().equals("decant-splits"))
        .findFirst().orElseThrow().threadId();
    SendListener listener = new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        acknowledged++;
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        throw new AssertionError(error);
      }
    };
    broker.always(ApiKey.PRODUCE, ProduceResponses.refusalAbove(3_000));
    long least = Long.MAX_VALUE;
    int runs = 20;
    try (Producer<byte[], byte[]> producer = client.producer(Serdes.bytes(), Serdes.bytes()).topic(ScriptedBroker.TOPIC)
        .linger(Duration.ofMinutes(5)).open()) {
      byte[] value = new byte[150];
      for (int run = 0; run < runs; run++) {
        long before = THREADS.getCurrentThreadAllocatedBytes() + THREADS.getThreadAllocatedBytes(ioThread);
        for (int i = 0; i < RECORDS; i++) {
          producer.send(null, value, i, listener);
        }
        assertThat(producer.flush(LATER)).isTrue();
        long after = THREADS.getCurrentThreadAllocatedBytes() + THREADS.getThreadAllocatedBytes(ioThread);
        least = Math.min(least, after - before);
      }
    }
    assertThat(acknowledged).isEqualTo(runs * RECORDS);
    assertThat(broker.requests(ApiKey.PRODUCE)).as("split in four").hasSizeGreaterThanOrEqualTo(7 * runs);
    assertThat(least).isLessThan(MOST_BYTES);
  }
}
