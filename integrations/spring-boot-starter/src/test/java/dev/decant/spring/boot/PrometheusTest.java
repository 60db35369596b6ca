package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.junit.FakeKafka;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;

/** An application with both kinds of clients shows Prometheus the meters of both. */
@FakeKafka(topics = "orders=2")
@SpringBootTest(classes = PrometheusTest.Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE,
    properties = {"spring.kafka.consumer.group-id=shop", "spring.kafka.consumer.auto-offset-reset=earliest"})
@Timeout(60)
class PrometheusTest {
  /** Names that both kinds of clients have; native ones have them with {@code decant_} before. */
  private static final List<String> SHARED = List.of("kafka_consumer_coordinator_assigned_partitions",
      "kafka_consumer_fetch_manager_records_consumed_total", "kafka_consumer_fetch_manager_records_lag_max",
      "kafka_consumer_last_poll_seconds_ago", "kafka_consumer_coordinator_rebalance_total");

  @Autowired
  private KafkaTemplate<String, String> template;

  @Autowired
  private KafkaClient client;

  @Autowired
  private PrometheusMeterRegistry registry;

  @Autowired
  private Application application;

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {
    private final BlockingQueue<String> orders = new LinkedBlockingQueue<>();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();

    @Bean
    PrometheusMeterRegistry prometheus() {
      PrometheusMeterRegistry made = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
      made.config().onMeterRegistrationFailed((id, reason) -> failures.add(id + ": " + reason));
      return made;
    }

    @Bean
    Listener listener() {
      return new Listener(orders);
    }

    /**
     * Puts what it gets into a queue.
     *
     * @param orders the queue
     */
    record Listener(BlockingQueue<String> orders) {
      @KafkaListener(topics = "orders")
      void onOrder(String order) {
        orders.add(order);
      }
    }
  }

  @Test
  void theMetersOfSpringsClientsAndOfANativeOneAreAllThere() throws Exception {
    template.send("orders", "key", "paid").get(30, TimeUnit.SECONDS);
    assertThat(application.orders.poll(30, TimeUnit.SECONDS)).isEqualTo("paid");
    try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders").open();
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("native")
            .subscribe("orders").offsetReset(OffsetReset.EARLIEST).open()) {
      producer.sendAndWait("key", "native");
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      int[] read = {0};
      while (read[0] < 2 && System.nanoTime() < deadline) {
        consumer.poll(Duration.ofMillis(100), any -> read[0]++);
      }
      List<String> lines = registry.scrape().lines().toList();
      for (String meter : SHARED) {
        assertThat(lines).as(meter)
            .anyMatch(line -> line.startsWith("decant_" + meter + "{client_id=\"kafkaClient\""))
            .anyMatch(line -> line.startsWith(meter + "{client_id=\"consumer-shop-1\""));
      }
      assertThat(application.failures).as("meters that the registry refused").isEmpty();
    }
  }
}
