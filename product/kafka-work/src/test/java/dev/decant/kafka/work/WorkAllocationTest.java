package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.fake.FakeCluster;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No thread of the work allocates for a record. */
@Tag("allocation")
@Timeout(120)
class WorkAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int RECORDS = 40_000;
  private static final int ROUNDS = 12;
  /** Bound for polls, commits and their responses. A single object for each record would be 640 kB. */
  private static final long MOST_BYTES = RECORDS * 4L;
  /** Bound with transactions, for their lists, offsets, requests and responses, too. */
  private static final long MOST_BYTES_OF_TRANSACTIONS = RECORDS * 12L;

  private final LongAdder handled = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  @ParameterizedTest
  @EnumSource(Order.class)
  void nothingIsAllocatedPerRecord(Order order) throws Exception {
    try (FakeCluster kafka = FakeCluster.builder().topic("orders", 3).start();
        KafkaClient client = KafkaClient.builder(kafka.bootstrap()).clientId("work").build();
        Producer<byte[], byte[]> orders = client.producer(Serdes.bytes(), Serdes.bytes()).topic("orders").open();
        Work work = Work.on(client, Serdes.bytes(), Serdes.bytes()).group("g" + order).subscribe("orders")
            .order(order).concurrency(2).open(record -> {
              bytes.add(record.valueLength());
              handled.increment();
            })) {
      assertThat(leastAllocated(orders, work)).as("bytes for %s records", RECORDS).isLessThanOrEqualTo(MOST_BYTES);
    }
  }

  @Test
  void nothingIsAllocatedPerResult() throws Exception {
    byte[] result = new byte[100];
    try (FakeCluster kafka = FakeCluster.builder().topic("orders", 3).topic("bills", 3).start();
        KafkaClient client = KafkaClient.builder(kafka.bootstrap()).clientId("work").build();
        Producer<byte[], byte[]> orders = client.producer(Serdes.bytes(), Serdes.bytes()).topic("orders").open();
        Work work = Work.on(client, Serdes.bytes(), Serdes.bytes()).group("g").subscribe("orders")
            .concurrency(2).exactlyOnce("work").open((record, context) -> {
              context.produce("bills", result, result, null);
              handled.increment();
            })) {
      long least = leastAllocated(orders, work);
      assertThat(least).as("bytes for %s records", RECORDS).isLessThanOrEqualTo(MOST_BYTES_OF_TRANSACTIONS);
    }
  }

  /** Returns the bytes allocated for {@code RECORDS} records, in the best of some rounds. */
  private long leastAllocated(Producer<byte[], byte[]> orders, Work work) throws InterruptedException {
    byte[][] keys = new byte[200][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = ("key-" + i).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }
    long least = Long.MAX_VALUE;
    long sent = 0;
    for (int round = 0; round < ROUNDS && least > MOST_BYTES; round++) {
      long before = allocated();
      for (int i = 0; i < RECORDS; i++) {
        orders.send(keys[i % keys.length], keys[i % keys.length]);
      }
      sent += RECORDS;
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (handled.sum() < sent) {
        assertThat(deadline - System.nanoTime()).as(work.status().toString()).isPositive();
        LockSupport.parkNanos(1_000_000);
      }
      least = Math.min(least, allocated() - before);
    }
    return least;
  }

  /** Returns the bytes allocated by the loop, the workers, and the client's thread, which fetches for them. */
  private static long allocated() {
    long sum = 0;
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("decant-work")) {
        sum += THREADS.getThreadAllocatedBytes(thread.threadId());
      }
    }
    return sum;
  }
}
