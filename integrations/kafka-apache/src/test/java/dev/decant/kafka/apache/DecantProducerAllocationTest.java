package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The bytes per record beyond the objects of Apache's interface: the runtime's own counters of the sending thread and
 * the I/O thread, the least of many runs.
 */
@ExtendWith(RealCluster.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@SuppressWarnings("FutureReturnValueIgnored") // flush waits for the records
@Tag("allocation")
class DecantProducerAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int RECORDS = 2_000;
  private static final int RUNS = 60;
  /** The future. Its metadata is made when it is asked for; with a callback, each record has metadata, too. */
  private static final int FUTURE_BYTES = 72;
  private static final int METADATA_BYTES = 48;

  private static long ioThread(String name) {
    return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals(name)).findFirst()
        .orElseThrow().threadId();
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "keyed", "placed", "callback"})
  void recordCostsItsFutureAlone(String kind) {
    String topic = RealCluster.current().createTopic(2);
    byte[] key = "key".getBytes(StandardCharsets.UTF_8);
    byte[] value = new byte[100];
    ProducerRecord<byte[], byte[]> record = switch (kind) {
      case "keyed" -> new ProducerRecord<>(topic, key, value);
      case "placed" -> new ProducerRecord<>(topic, 1, 1_700_000_000_000L, key, value);
      default -> new ProducerRecord<>(topic, value);
    };
    boolean calls = kind.equals("callback");
    long[] offsets = new long[1];
    try (DecantProducer<byte[], byte[]> producer = new DecantProducer<>(
        Map.of("bootstrap.servers", RealCluster.current().bootstrap(), "client.id", "allocation-" + kind, "linger.ms",
            5),
        new ByteArraySerializer(), new ByteArraySerializer())) {
      long ioThread = ioThread("decant-allocation-" + kind);
      long least = Long.MAX_VALUE;
      for (int run = 0; run < RUNS; run++) {
        long before = THREADS.getCurrentThreadAllocatedBytes() + THREADS.getThreadAllocatedBytes(ioThread);
        for (int i = 0; i < RECORDS; i++) {
          if (calls) {
            producer.send(record, (metadata, failure) -> offsets[0] = metadata.offset());
          } else {
            producer.send(record);
          }
        }
        producer.flush();
        long bytes = THREADS.getCurrentThreadAllocatedBytes() + THREADS.getThreadAllocatedBytes(ioThread) - before;
        least = Math.min(least, bytes);
      }
      int bound = FUTURE_BYTES + (calls ? METADATA_BYTES + Callbacks.BYTES : 0);
      assertThat(least / (double) RECORDS).as("bytes for a record").isLessThan(bound + 4);
    }
  }

  /** The lambda of the test itself. */
  private static final class Callbacks {
    private static final int BYTES = 16;
  }
}
