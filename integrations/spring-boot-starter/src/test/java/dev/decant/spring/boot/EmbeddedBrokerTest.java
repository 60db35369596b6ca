package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.apache.DecantProducer;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIf;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.kafka.test.context.EmbeddedKafka;
import org.springframework.util.ClassUtils;

/** A test as applications have it, with Spring Kafka's broker. */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@DisabledIf("hasNoBroker")
@EmbeddedKafka(partitions = 2, topics = {"orders", "batches", "manual", "filtered", "retried", "asked", "answers",
    "idle"})
@SpringBootTest(classes = Shop.class, webEnvironment = SpringBootTest.WebEnvironment.NONE, properties = {
    "spring.kafka.bootstrap-servers=${spring.embedded.kafka.brokers}", "spring.kafka.consumer.group-id=shop",
    "spring.kafka.consumer.auto-offset-reset=earliest"})
class EmbeddedBrokerTest {
  /** The brokers of Spring Kafka's newer releases need jars that not every repository has. */
  static boolean hasNoBroker() {
    return !ClassUtils.isPresent("kafka.server.KafkaConfig", EmbeddedBrokerTest.class.getClassLoader());
  }

  @Test
  void theApplicationRunsOnTheEmbeddedBroker(@Autowired ApplicationContext context) throws Exception {
    Shop.template(context).send("orders", "key", "value").get(60, TimeUnit.SECONDS);
    Shop.Seen seen = context.getBean(Shop.Seen.class);
    ConsumerRecord<String, String> record = seen.orders.poll(60, TimeUnit.SECONDS);
    assertThat(record).isNotNull().satisfies(order -> assertThat(order.value()).isEqualTo("value"));
    assertThat(seen.clients).contains(DecantProducer.class);
  }
}
