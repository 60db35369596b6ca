package dev.decant.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.Order;
import dev.decant.kafka.work.Work;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private FakeCluster kafka;
  private KafkaClient client;

  @BeforeEach
  void start() throws InterruptedException {
    kafka = FakeCluster.builder().inMemory().topic("orders", 1).start();
    client = KafkaClient.connect(kafka.bootstrap());
    try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      for (String value : new String[] {"good", "bad", "good", "waits", "waits"}) {
        orders.sendAndWait("key", value);
      }
    }
  }

  @AfterEach
  void stop() {
    client.close();
    kafka.close();
  }

  private double value(String name) {
    return registry.get("decant.kafka.work." + name).tag("group.id", "billing").meter().measure().iterator().next()
        .getValue();
  }

  private double records(String state) {
    return registry.get("decant.kafka.work.records").tag("state", state).gauge().value();
  }

  @Test
  void figuresOfTheWorkAreThoseOfItsStatus() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch waits = new CountDownLatch(1);
    try (Work work = Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders")
        .order(Order.BY_KEY).skipFailed().open(WorkMetrics.timed(registry, "billing", (record, context) -> {
          switch (String.valueOf(record.value())) {
            case "bad" -> throw new IllegalStateException("bad");
            case "waits" -> {
              waits.countDown();
              go.await();
            }
            default -> {
            }
          }
        }))) {
      WorkMetrics metrics = new WorkMetrics(work, "billing");
      assertThat(waits.await(20, TimeUnit.SECONDS)).isTrue();
      while (work.status().done() < 2) {
        Thread.onSpinWait();
      }
      metrics.bindTo(registry);
      assertThat(value("done")).isEqualTo(2);
      assertThat(value("attempts.failed")).isEqualTo(1);
      assertThat(value("records.failed")).isEqualTo(1);
      assertThat(records("working")).isEqualTo(1);
      assertThat(records("turn")).isEqualTo(1);
      assertThat(records("commit")).isZero();
      assertThat(value("oldest")).isPositive();
      assertThat(value("bytes")).isPositive();
      assertThat(value("healthy")).isEqualTo(1);
      assertThat(value("bound.pauses")).isZero();
      assertThat(registry.get("decant.kafka.work.attempt").tag("outcome", "failed").timer().count()).isEqualTo(1);
      assertThat(registry.get("decant.kafka.work.attempt").tag("outcome", "done").timer().count()).isEqualTo(2);
      go.countDown();
      metrics.close();
      assertThat(registry.find("decant.kafka.work.done").meter()).isNull();
    }
  }

  @Test
  void stagesAreTimedUntilTheyAreComplete() throws Exception {
    CountDownLatch all = new CountDownLatch(5);
    try (Work work = Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders")
        .skipFailed().openAsync(WorkMetrics.timedAsync(registry, "billing", (record, context) -> {
          boolean isBad = "bad".equals(record.value());
          return CompletableFuture.runAsync(() -> {
            all.countDown();
            if (isBad) {
              throw new IllegalStateException("bad");
            }
          });
        }))) {
      assertThat(all.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
    }
    assertThat(registry.get("decant.kafka.work.attempt").tag("outcome", "failed").timer().count()).isEqualTo(1);
    assertThat(registry.get("decant.kafka.work.attempt").tag("outcome", "done").timer().count()).isEqualTo(4);
  }
}
