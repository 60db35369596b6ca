package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.spring.kafka.DecantConsumerFactory;
import dev.decant.spring.kafka.DecantProducerFactory;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;

/** Boot's cluster, of which connection details tell, and another one with factories of the application. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TwoClustersTest {
  /** Beans that are no candidates for Boot's places: Boot's own stay. */
  @EnableKafka
  @Configuration(proxyBeanMethods = false)
  static class Audits {
    final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    @Bean(defaultCandidate = false)
    static ProducerFactory<String, String> auditProducers(@Value("${audits}") String servers) {
      return new DecantProducerFactory<>(Map.of("bootstrap.servers", servers), new StringSerializer(),
          new StringSerializer());
    }

    @Bean(defaultCandidate = false)
    static ConsumerFactory<String, String> auditConsumers(@Value("${audits}") String servers) {
      return new DecantConsumerFactory<>(Map.of("bootstrap.servers", servers,
          ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest"), new StringDeserializer(), new StringDeserializer());
    }

    @Bean(defaultCandidate = false)
    static KafkaTemplate<String, String> auditTemplate(
        @Qualifier("auditProducers") ProducerFactory<String, String> producers) {
      return new KafkaTemplate<>(producers);
    }

    @Bean(defaultCandidate = false)
    static ConcurrentKafkaListenerContainerFactory<String, String> auditContainers(
        @Qualifier("auditConsumers") ConsumerFactory<String, String> consumers) {
      var containers = new ConcurrentKafkaListenerContainerFactory<String, String>();
      containers.setConsumerFactory(consumers);
      return containers;
    }

    @KafkaListener(topics = "events", groupId = "shop", autoStartup = "${listening}")
    void onOrder(String value) {
      seen.add("order " + value);
    }

    @KafkaListener(topics = "events", groupId = "shop", containerFactory = "auditContainers",
        autoStartup = "${listening}")
    void onAudit(String value) {
      seen.add("audit " + value);
    }
  }

  private static ApplicationContextRunner runner(String orders, String audits, boolean listening) {
    return Contexts.withConnectionDetails(Contexts.runner(), Map.of("getBootstrapServers", List.of(orders)))
        .withUserConfiguration(Audits.class).withPropertyValues("audits=" + audits, "listening=" + listening,
            "spring.kafka.consumer.auto-offset-reset=earliest");
  }

  @SuppressWarnings("unchecked")
  private static KafkaTemplate<String, String> template(ApplicationContext context, String name) {
    return context.getBean(name, KafkaTemplate.class);
  }

  @Test
  void factoriesOfAnotherClusterStandBesideBoots() {
    runner("127.0.0.1:1", "127.0.0.1:2", false).run(context -> {
      assertThat(context).hasNotFailed();
      ConsumerFactory<?, ?> boots = context.getBean("kafkaConsumerFactory", ConsumerFactory.class);
      assertThat(boots).isInstanceOf(DecantConsumerFactory.class);
      assertThat(context.getBean("kafkaListenerContainerFactory", ConcurrentKafkaListenerContainerFactory.class)
          .getConsumerFactory()).isSameAs(boots);
      ConsumerFactory<?, ?> audits = context.getBean("auditConsumers", ConsumerFactory.class);
      for (ConsumerFactory<?, ?> each : List.of(boots, audits)) {
        assertThat(each.getConfigurationProperties()).containsEntry(ClientMemory.CONSUMERS, "2");
      }
      try (var producer = context.getBean("auditProducers", ProducerFactory.class).createProducer();
          var consumer = audits.createConsumer("shop", "")) {
        assertThat(context.getBean(OpenClients.class).open()).hasSize(2);
        assertThat(List.of(producer, consumer)).hasSize(2);
      }
    });
  }

  @Test
  @Tag("full")
  void eachListenerReadsItsCluster() {
    try (FakeCluster first = FakeCluster.builder().topic("events", 1).start();
        FakeCluster second = FakeCluster.builder().topic("events", 1).start()) {
      runner(first.bootstrap(), second.bootstrap(), true).run(context -> {
        assertThat(context).hasNotFailed();
        template(context, "kafkaTemplate").send("events", "k", "1").get(60, TimeUnit.SECONDS);
        template(context, "auditTemplate").send("events", "k", "2").get(60, TimeUnit.SECONDS);
        BlockingQueue<String> seen = context.getBean(Audits.class).seen;
        assertThat(List.of(String.valueOf(seen.poll(60, TimeUnit.SECONDS)),
            String.valueOf(seen.poll(60, TimeUnit.SECONDS)))).containsExactlyInAnyOrder("order 1", "audit 2");
        Set<String> clusters = context.getBean(OpenClients.class).open().stream()
            .map(open -> open.client().clusterId().orElse(ClusterState.UNKNOWN)).collect(Collectors.toSet());
        assertThat(clusters).hasSize(2);
        assertThat(HealthTest.health(context, "decantHealthIndicator")).contains("UP").contains(clusters);
      });
    }
  }
}
