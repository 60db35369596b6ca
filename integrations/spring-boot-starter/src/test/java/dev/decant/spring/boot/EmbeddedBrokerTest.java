package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.decant.kafka.apache.DecantProducer;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.kafka.test.context.EmbeddedKafka;
import org.springframework.test.context.TestContextManager;
import org.springframework.util.ClassUtils;

/** A test as applications have it, with Spring Kafka's broker. */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class EmbeddedBrokerTest {
  /** Annotated as an application's test; started by hand, because not each line's class path here has the broker. */
  @EmbeddedKafka(partitions = 2, topics = {"orders", "batches", "manual", "filtered", "retried", "asked", "answers",
      "idle"})
  @SpringBootTest(classes = Shop.class, webEnvironment = SpringBootTest.WebEnvironment.NONE, properties = {
      "spring.kafka.bootstrap-servers=${spring.embedded.kafka.brokers}", "spring.kafka.consumer.group-id=shop",
      "spring.kafka.consumer.auto-offset-reset=earliest"})
  static final class OfAnApplication {}

  @Test
  void theApplicationRunsOnTheEmbeddedBroker() throws Exception {
    assumeTrue(ClassUtils.isPresent("kafka.server.KafkaConfig", getClass().getClassLoader()), "no broker here");
    TestContextManager manager = new TestContextManager(OfAnApplication.class);
    try (ConfigurableApplicationContext context = (ConfigurableApplicationContext) manager.getTestContext()
        .getApplicationContext()) {
      assertThat(Shop.template(context).send("orders", "key", "value").get(60, TimeUnit.SECONDS)).isNotNull();
      Shop.Seen seen = context.getBean(Shop.Seen.class);
      ConsumerRecord<String, String> record = seen.orders.poll(60, TimeUnit.SECONDS);
      assertThat(record).isNotNull().satisfies(order -> assertThat(order.value()).isEqualTo("value"));
      assertThat(seen.clients).contains(DecantProducer.class);
    }
  }
}
