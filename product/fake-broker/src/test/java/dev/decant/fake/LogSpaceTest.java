package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Ack;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests full logs in memory: a cluster reports them before the heap is full, and no client waits for ever. */
@Timeout(60)
class LogSpaceTest {
  /** Records were accepted until the heap was full, and then no request had a response any more. */
  @Test
  void recordsAreRefusedBeyondTheBoundUntilSomeAreDeleted() throws Exception {
    CountDownLatch full = new CountDownLatch(1);
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).topic("other", 1).logBytes(10_000)
        .whenLogsAreFull(full::countDown).start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Producer<byte[], byte[]> orders = client.producer(Serdes.bytes(), Serdes.bytes()).topic("orders").open();
        Producer<byte[], byte[]> others = client.producer(Serdes.bytes(), Serdes.bytes()).topic("other").open()) {
      for (int i = 0; i < 4; i++) {
        (i % 2 == 0 ? orders : others).sendAndWait(null, new byte[2_000]);
      }
      assertThat(full.getCount()).isEqualTo(1);
      CompletableFuture<Ack> refused = orders.sendAsync(null, new byte[2_000], null);
      assertThat(full.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(refused).isNotDone();
      assertThat(cluster.log("orders", 0).logEnd()).isEqualTo(2);
      cluster.deleteRecords("other", 0, 2);
      assertThat(refused.get(30, TimeUnit.SECONDS).offset()).isEqualTo(2);
    }
  }

  @Test
  void smallBatchesCountWithTheirObjects() throws Exception {
    CountDownLatch full = new CountDownLatch(1);
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).logBytes(1_000)
        .whenLogsAreFull(full::countDown).start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Producer<byte[], byte[]> orders = client.producer(Serdes.bytes(), Serdes.bytes()).topic("orders").open()) {
      for (int i = 0; i < 4; i++) { // about 70 bytes each
        orders.sendAndWait(null, new byte[1]);
      }
      var unused = orders.sendAsync(null, new byte[1], null);
      var second = orders.sendAsync(null, new byte[500], null);
      assertThat(full.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(second).isNotDone();
      orders.close(Duration.ZERO);
      assertThat(second).isCompletedExceptionally();
    }
  }

  /** The client sends it again on another connection, and does not wait for ever. */
  @Test
  void aRequestThatFindsNoMemoryEndsItsConnection() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      Fault fault = cluster.faults().on(ApiKey.PRODUCE).where(new OutOfMemoryOnce()::test).every().closeBefore();
      assertThat(orders.sendAsync("k", "v", null).get(20, TimeUnit.SECONDS).offset()).isZero();
      assertThat(fault.hits()).isZero();
    }
  }

  private static final class OutOfMemoryOnce {
    private boolean isOver;

    boolean test(ReceivedRequest request) {
      if (!isOver) {
        isOver = true;
        throw new OutOfMemoryError("as if the heap was full at " + request.api());
      }
      return false;
    }
  }

  @Test
  void numbersHaveBounds() {
    assertThatThrownBy(() -> FakeCluster.builder().logBytes(0)).hasMessage("logBytes: 0 is less than 1");
    assertThatThrownBy(() -> FakeCluster.builder().topic("orders", 100_001).start())
        .hasMessage("topic orders cannot have 100001 partitions; 1 to 100000 are possible");
    assertThatThrownBy(() -> FakeCluster.builder().brokers(3).firstPort(65_535).start())
        .hasMessage("firstPort: 65535 leaves too few ports for 3 brokers; it is at most 65533");
    for (int[] release : new int[][] {{2, 0}, {2, 9}, {3, 10}, {3, 42}, {4, 5}, {5, 0}, {1, 1}, {3, -1}}) {
      assertThatThrownBy(() -> FakeCluster.builder().release(release[0], release[1])).hasMessage("release "
          + release[0] + "." + release[1] + " is not one of 2.1 to 2.8, 3.0 to 3.9 and 4.0 to 4.4");
    }
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start()) {
      assertThatThrownBy(() -> cluster.addPartitions("orders", 100_001)).hasMessageContaining("1 to 100000");
      assertThatThrownBy(() -> cluster.recreateTopic("orders", 100_001)).hasMessageContaining("1 to 100000");
      assertThatThrownBy(() -> cluster.createTopic("paid", Integer.MAX_VALUE)).hasMessageContaining("1 to 100000");
    }
  }
}
