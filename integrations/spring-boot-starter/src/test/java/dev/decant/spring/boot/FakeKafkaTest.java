package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.Fault;
import dev.decant.fake.junit.FakeBootstrap;
import dev.decant.fake.junit.FakeKafka;
import dev.decant.kafka.apache.DecantProducer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;

/** A Boot application's test gets a fake cluster from one annotation, without a property of its own. */
@FakeKafka(topics = "orders=2")
@SpringBootTest(classes = FakeKafkaTest.Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE,
    properties = {"spring.kafka.consumer.group-id=shop", "spring.kafka.consumer.auto-offset-reset=earliest"})
@Timeout(60)
class FakeKafkaTest {
  @Autowired
  private FakeCluster kafka;

  @Autowired
  private KafkaTemplate<String, String> template;

  @Autowired
  private Application application;

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {
    private final BlockingQueue<String> orders = new LinkedBlockingQueue<>();

    @Bean
    Application.Listener listener() {
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
  void theApplicationRunsOnTheFakeAndItsSendsAreRetried(FakeCluster given, @FakeBootstrap String bootstrap,
      @Value("${spring.kafka.bootstrap-servers}") String property) throws Exception {
    assertThat(given).isSameAs(kafka);
    assertThat(property).isEqualTo(bootstrap).isEqualTo(kafka.bootstrap());
    Fault lost = kafka.faults().add("Produce topic=orders close-after");
    template.send("orders", "key", "paid").get(30, TimeUnit.SECONDS);
    assertThat(application.orders.poll(30, TimeUnit.SECONDS)).isEqualTo("paid");
    assertThat(lost.hits()).isEqualTo(1);
    assertThat(application.orders.poll()).as("stored once").isNull();
  }

  @Test
  void theClientsAreDecants() {
    Producer<String, String> producer = template.getProducerFactory().createProducer();
    try {
      assertThat(producer.toString()).contains(DecantProducer.class.getSimpleName());
    } finally {
      producer.close();
    }
  }

  @Nested
  class Within {
    @Test
    void hasTheSameContextAndCluster(FakeCluster given) {
      assertThat(given).isSameAs(kafka);
    }
  }
}
