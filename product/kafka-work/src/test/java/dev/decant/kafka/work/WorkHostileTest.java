package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is given to the work may be at fault: executors, predicates, exceptions, stages. The work goes on. */
@Timeout(40)
class WorkHostileTest {
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

  private void send(String... values) throws InterruptedException {
    try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      for (String value : values) {
        orders.sendAndWait("key " + value.length(), value);
      }
    }
  }

  private WorkBuilder<String, String> work() {
    return Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anExecutorThatRefusesIsAskedAgain(boolean isError) throws Exception {
    // Nobody asked it again before another record came; an error of it took the records that a worker had.
    send("a", "bb", "ccc");
    AtomicInteger asked = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(3);
    try (ExecutorService threads = Executors.newCachedThreadPool();
        Work work = work().concurrency(3).on(task -> {
          if (asked.getAndIncrement() < 3) {
            if (isError) {
              throw new OutOfMemoryError("no thread");
            }
            throw new RejectedExecutionException("no thread");
          }
          threads.execute(task);
        }).open(record -> all.countDown())) {
      assertThat(all.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
      assertThat(work.drain(Duration.ofSeconds(20))).isTrue();
    }
  }

  @Test
  void anExecutorMayRunTasksWhereItIsAsked() throws Exception {
    send("a", "bb", "ccc", "a");
    CountDownLatch all = new CountDownLatch(4);
    try (Work work = work().concurrency(3).on(Runnable::run).open(record -> all.countDown())) {
      assertThat(all.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
      assertThat(work.drain(Duration.ofSeconds(20))).isTrue();
    }
  }

  @Test
  void aRecordThatThePoolHasNoRoomForGoesAlone() throws Exception {
    // The page of the small record before left too little of the pool, and nothing was ever taken again.
    send("small", "x".repeat(230_000), "small again");
    CountDownLatch all = new CountDownLatch(3);
    try (Work work = work().maxBytesUnderWay(1).open(record -> all.countDown())) {
      assertThat(all.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
    }
  }
}
