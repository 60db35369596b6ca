package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A loop that waits a minute for records is woken for other tasks. */
@Timeout(40)
class WorkWaitsTest {
  private FakeCluster kafka;
  private KafkaClient client;

  @BeforeEach
  void start() {
    kafka = FakeCluster.builder().inMemory().topic("orders", 1).topic("orders-dead", 1).start();
    client = KafkaClient.connect(kafka.bootstrap());
  }

  @AfterEach
  void stop() {
    client.close();
    kafka.close();
  }

  private void send(int records) throws InterruptedException {
    try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      for (int i = 0; i < records; i++) {
        orders.sendAndWait("key", Integer.toString(i));
      }
    }
  }

  private WorkBuilder<String, String> work() {
    return Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders")
        .commitEvery(Duration.ofMillis(50), Integer.MAX_VALUE);
  }

  @Test
  void whatIsDoneWhileNoRecordComesIsCommittedInTime() throws Exception {
    // The last record of a quiet topic was committed when the poll had waited for a minute.
    send(1);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch proceed = new CountDownLatch(1);
    try (Work work = work().open(record -> {
      begun.countDown();
      proceed.await();
    })) {
      begun.await();
      assertThat(work.status().underWay()).isOne(); // after this call the loop polls again
      proceed.countDown();
      kafka.awaitRequest(ApiKey.OFFSET_COMMIT, Duration.ofSeconds(20));
    }
  }

  @Test
  void whatAStageHasDoneWhileNoRecordComesIsCommittedInTime() throws Exception {
    send(1);
    CompletableFuture<Void> stage = new CompletableFuture<>();
    CountDownLatch begun = new CountDownLatch(1);
    try (Work work = work().openAsync((record, context) -> {
      begun.countDown();
      return stage;
    })) {
      begun.await();
      assertThat(work.status().underWay()).isOne();
      stage.complete(null);
      kafka.awaitRequest(ApiKey.OFFSET_COMMIT, Duration.ofSeconds(20));
    }
  }

  @Test
  void aPartitionAtItsBoundGoesOnWhenItHasRoomAgain() throws Exception {
    // The partition was paused, and the poll waited for records that could not come.
    send(40);
    CountDownLatch all = new CountDownLatch(40);
    try (Work work = work().order(Order.NONE).commitEvery(Duration.ofHours(1), Integer.MAX_VALUE).maxUnderWay(100, 2)
        .open(record -> all.countDown())) {
      assertThat(all.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
    }
  }

  @Test
  void aFailureEndsTheWorkThoughNoRecordComes() throws Exception {
    // The loop went on polling for a minute, and worked on later records of the key.
    send(1);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch proceed = new CountDownLatch(1);
    try (Work work = work().open(record -> {
      begun.countDown();
      proceed.await();
      throw new IllegalStateException("bad");
    })) {
      begun.await();
      assertThat(work.status().underWay()).isOne();
      CompletableFuture<Void> end = CompletableFuture.runAsync(() -> {
        try {
          work.awaitClose();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      });
      proceed.countDown();
      assertThatThrownBy(() -> end.get(20, TimeUnit.SECONDS)).hasRootCauseMessage("bad");
    }
  }
}
