package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.junit.FakeKafka;
import dev.decant.spring.boot.OpenClients.Open;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.KafkaListener;

/** The end of an application. */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@FakeKafka(topics = "orders")
class ShutdownTest {
  private static final int RECORDS = 1_000;

  /** Counts what it is given. */
  static final class Counting {
    final AtomicInteger records = new AtomicInteger();
    final CountDownLatch first = new CountDownLatch(1);

    @KafkaListener(topics = "orders")
    void onOrder(String value) {
      records.incrementAndGet();
      first.countDown();
    }
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Orders {
    @Bean
    Counting counting() {
      return new Counting();
    }
  }

  /** Records that were sent are stored, those that were handled are committed, and no client is left. */
  @Test
  void aClosedApplicationHasSentAndCommittedAll(FakeCluster kafka) throws Exception {
    Map<String, Object> properties = Map.of("spring.kafka.producer.properties.linger.ms", "5000");
    List<CompletableFuture<?>> sent = new ArrayList<>();
    List<Open> open = new ArrayList<>();
    try (ConfigurableApplicationContext context = ApplicationTest.run(kafka.bootstrap(), Orders.class, properties)) {
      for (int i = 0; i < RECORDS; i++) {
        sent.add(Shop.template(context).send("orders", "value-" + i));
      }
      Shop.template(context).flush();
      assertThat(context.getBean(Counting.class).first.await(60, TimeUnit.SECONDS)).isTrue();
      sent.add(Shop.template(context).send("orders", "the last"));
      open.addAll(context.getBean(OpenClients.class).open());
    }
    assertThat(sent).allMatch(CompletableFuture::isDone).noneMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(open).hasSize(2).noneMatch(each -> each.client().status().open());
    assertThat(kafka.log("orders", 0).logEnd()).isEqualTo(RECORDS + 1);
  }

  /** What one run has handled does not come to the next. */
  @Test
  void offsetsAreCommittedAtTheEnd(FakeCluster kafka) throws Exception {
    int total = 0;
    for (int run = 0; run < 2; run++) {
      ConfigurableApplicationContext context = ApplicationTest.run(kafka.bootstrap(), Orders.class, Map.of());
      Counting counting = context.getBean(Counting.class);
      List<CompletableFuture<?>> sent = new ArrayList<>();
      for (int i = 0; i < RECORDS; i++) {
        sent.add(Shop.template(context).send("orders", "value-" + i));
      }
      assertThat(sent).hasSize(RECORDS);
      assertThat(counting.first.await(60, TimeUnit.SECONDS)).isTrue();
      context.close();
      total += counting.records.get();
    }
    ConfigurableApplicationContext context = ApplicationTest.run(kafka.bootstrap(), Orders.class, Map.of());
    Counting counting = context.getBean(Counting.class);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (total + counting.records.get() < 2 * RECORDS && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
    context.close();
    assertThat(total + counting.records.get()).isEqualTo(2 * RECORDS);
  }
}
