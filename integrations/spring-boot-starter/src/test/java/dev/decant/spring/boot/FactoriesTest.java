package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.spring.kafka.DecantConsumerFactory;
import dev.decant.spring.kafka.DecantProducerFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.transaction.KafkaTransactionManager;

/** Which factories an application gets. No client here ever reaches a broker. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FactoriesTest {
  private static final String REFUSED = "spring.kafka.producer.properties.client.dns.lookup="
      + "resolve_canonical_bootstrap_servers_only";
  private static final String[] SETTINGS = {"spring.kafka.client-id=orders",
      "spring.kafka.properties.metrics.num.samples=3",
      "spring.kafka.security.protocol=SASL_PLAINTEXT", "spring.kafka.producer.acks=1",
      "spring.kafka.producer.compression-type=gzip", "spring.kafka.producer.properties.linger.ms=7",
      "spring.kafka.producer.value-serializer=org.apache.kafka.common.serialization.ByteArraySerializer",
      "spring.kafka.consumer.group-id=billing", "spring.kafka.consumer.auto-offset-reset=earliest",
      "spring.kafka.consumer.isolation-level=read-committed", "spring.kafka.consumer.max-poll-records=11",
      "spring.kafka.consumer.bootstrap-servers=127.0.0.1:2",
      "spring.kafka.consumer.properties.max.poll.interval.ms=60000"};

  private final ApplicationContextRunner runner = Contexts.runner();

  private static Map<String, Object> settings(ConsumerFactory<?, ?> factory) {
    Map<String, Object> settings = new HashMap<>(factory.getConfigurationProperties());
    settings.remove(ClientMemory.CONSUMERS);
    return settings;
  }

  @Test
  void theFactoriesAreDecantsWithAllSettingsOfBoots() {
    Map<String, Object> producers = new HashMap<>();
    Map<String, Object> consumers = new HashMap<>();
    runner.withPropertyValues(SETTINGS).withPropertyValues("decant.enabled=false").run(context -> {
      assertThat(context).hasNotFailed();
      assertThat(Contexts.producers(context)).isExactlyInstanceOf(DefaultKafkaProducerFactory.class);
      assertThat(Contexts.consumers(context)).isExactlyInstanceOf(DefaultKafkaConsumerFactory.class);
      assertThat(context).doesNotHaveBean(OpenClients.class);
      producers.putAll(Contexts.producers(context).getConfigurationProperties());
      consumers.putAll(settings(Contexts.consumers(context)));
    });
    assertThat(producers).containsEntry("linger.ms", "7").containsEntry("acks", "1");

    runner.withPropertyValues(SETTINGS).run(context -> {
      assertThat(context).hasNotFailed();
      ProducerFactory<?, ?> producerFactory = context.getBean("kafkaProducerFactory", ProducerFactory.class);
      ConsumerFactory<?, ?> consumerFactory = context.getBean("kafkaConsumerFactory", ConsumerFactory.class);
      assertThat(producerFactory).isInstanceOf(DecantProducerFactory.class);
      assertThat(consumerFactory).isInstanceOf(DecantConsumerFactory.class);
      assertThat(producerFactory.getConfigurationProperties()).isEqualTo(producers);
      assertThat(settings(consumerFactory)).isEqualTo(consumers);
      assertThat(context.getBean(KafkaTemplate.class).getProducerFactory()).isSameAs(producerFactory);
      assertThat(context.getBean(ConcurrentKafkaListenerContainerFactory.class).getConsumerFactory())
          .isSameAs(consumerFactory);
    });
  }

  @Test
  void thePrefixOfTransactionalIdsIsKept() {
    runner.withPropertyValues("spring.kafka.producer.transaction-id-prefix=orders-").run(context -> {
      assertThat(context).hasSingleBean(KafkaTransactionManager.class);
      assertThat(Contexts.producers(context).getTransactionIdPrefix()).isEqualTo("orders-");
      assertThat(Contexts.producers(context).transactionCapable()).isTrue();
    });
  }

  /** A customizer may keep the factory, to reset it later: it has to be the one that is used, and once. */
  @Test
  void customizersSeeDecantsFactoriesOnce() {
    List<Object> seen = new ArrayList<>();
    ApplicationContextRunner customized = Contexts.withCustomizer(runner, "DefaultKafkaProducerFactoryCustomizer",
        factory -> {
          seen.add(factory);
          ((DefaultKafkaProducerFactory<?, ?>) factory).setPhysicalCloseTimeout(7);
        });
    Contexts.withCustomizer(customized, "DefaultKafkaConsumerFactoryCustomizer", seen::add).run(context -> {
      assertThat(context).hasNotFailed();
      assertThat(seen).containsExactlyInAnyOrder(Contexts.producers(context),
          Contexts.consumers(context));
      assertThat(Contexts.producers(context).getPhysicalCloseTimeout()).hasSeconds(7);
    });
  }

  @Test
  void aCustomizerThatFailsStopsTheStart() {
    Contexts.withCustomizer(runner, "DefaultKafkaProducerFactoryCustomizer", factory -> {
      throw new IllegalStateException("no such thing");
    }).run(context -> assertThat(context).getFailure().rootCause().isInstanceOf(IllegalStateException.class)
        .hasMessage("no such thing"));
  }

  /** Another cluster's, or one of another class. */
  @Configuration(proxyBeanMethods = false)
  static class OwnFactory {
    @Bean
    ProducerFactory<Object, Object> audits() {
      return new DefaultKafkaProducerFactory<>(Map.of("bootstrap.servers", "127.0.0.1:3"));
    }
  }

  @Test
  void aFactoryOfTheApplicationIsLeftAlone() {
    runner.withUserConfiguration(OwnFactory.class).run(context -> {
      assertThat(context).hasSingleBean(ProducerFactory.class);
      assertThat(Contexts.producers(context)).isExactlyInstanceOf(DefaultKafkaProducerFactory.class);
      assertThat(Contexts.consumers(context)).isInstanceOf(DecantConsumerFactory.class);
      assertThat(conditions(context)).contains("found beans of type").contains("audits");
    });
  }

  /** Boot makes a factory for its containers then, which is no bean. */
  @Configuration(proxyBeanMethods = false)
  static class TypedFactory {
    @Bean
    ConsumerFactory<Integer, Integer> numbers() {
      return new DefaultKafkaConsumerFactory<>(Map.of("bootstrap.servers", "127.0.0.1:3"));
    }
  }

  @Test
  void theContainersOfBootAreDecantsBesideAFactoryOfOtherTypes() {
    runner.withUserConfiguration(TypedFactory.class).run(context -> {
      ConcurrentKafkaListenerContainerFactory<?, ?> containers = context.getBean("kafkaListenerContainerFactory",
          ConcurrentKafkaListenerContainerFactory.class);
      ConsumerFactory<?, ?> contained = containers.getConsumerFactory();
      assertThat(contained).isInstanceOf(DecantConsumerFactory.class);
      assertThat(contained.getConfigurationProperties().get("bootstrap.servers")).asString().contains("127.0.0.1:1");
      assertThat(Contexts.consumers(context)).isExactlyInstanceOf(DefaultKafkaConsumerFactory.class);
    });
  }

  private static String conditions(ApplicationContext context) {
    StringBuilder text = new StringBuilder();
    ConditionEvaluationReport.get(((org.springframework.context.ConfigurableApplicationContext) context)
        .getBeanFactory()).getConditionAndOutcomesBySource().forEach((source, outcomes) -> {
          if (source.startsWith("dev.decant")) {
            outcomes.forEach(each -> text.append(source).append(' ').append(each.getOutcome().getMessage())
                .append('\n'));
          }
        });
    return text.toString();
  }

  @Test
  void theConditionsReportSaysWhichConfigurationOfBootWasFound() {
    runner.run(context -> assertThat(conditions(context)).contains(Contexts.bootsKafka().getName()));
  }

  @Test
  void aRefusedSettingStopsTheStartWithALine() {
    runner.withPropertyValues(REFUSED).run(context -> {
      assertThat(context).hasFailed();
      FailureAnalysis analysis = new RefusedSettingsAnalyzer().analyze(context.getStartupFailure());
      assertThat(analysis).isNotNull();
      assertThat(analysis.getDescription()).isEqualTo("Decant refuses a Kafka setting:\n"
          + "    client.dns.lookup: Decant tries every address of a name; use use_all_dns_ips or remove it");
      assertThat(analysis.getAction()).contains("decant.unsupported-settings=apache", "decant.enabled=false");
    });
  }

  @Test
  void apachesClientsAreKeptForARefusedSettingIfTheApplicationSaysSo() {
    runner.withPropertyValues(REFUSED, "decant.unsupported-settings=apache").run(context -> {
      assertThat(context).hasNotFailed();
      assertThat(Contexts.producers(context)).isExactlyInstanceOf(DefaultKafkaProducerFactory.class);
      assertThat(Contexts.producers(context).getConfigurationProperties())
          .containsKey("client.dns.lookup");
      assertThat(Contexts.consumers(context)).isInstanceOf(DecantConsumerFactory.class);
    });
  }
}
