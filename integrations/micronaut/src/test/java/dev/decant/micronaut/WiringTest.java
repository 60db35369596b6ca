package dev.decant.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import io.micronaut.configuration.kafka.DefaultProducerFactory;
import io.micronaut.configuration.kafka.KafkaConsumerFactory;
import io.micronaut.configuration.kafka.ProducerFactory;
import io.micronaut.configuration.kafka.ProducerRegistry;
import io.micronaut.configuration.kafka.config.AbstractKafkaConsumerConfiguration;
import io.micronaut.configuration.kafka.config.DefaultKafkaConsumerConfiguration;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Parameter;
import io.micronaut.context.annotation.Prototype;
import io.micronaut.context.annotation.Replaces;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.exceptions.ConfigurationException;
import io.micronaut.core.type.Argument;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which clients an application gets. None of them has a broker: opening one needs no network. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class WiringTest {
  private static final String OWN = "own.factories";

  @Test
  void theDependencyAloneGivesDecantsClients() {
    try (ApplicationContext context = Applications.start("localhost:1", Map.of())) {
      assertThat(context.getBean(ProducerFactory.class)).isExactlyInstanceOf(DecantProducerFactory.class);
      assertThat(producer(context)).isExactlyInstanceOf(DecantProducer.class);
      try (Consumer<?, ?> consumer = consumer(context)) {
        assertThat(consumer).isExactlyInstanceOf(DecantConsumer.class);
      }
    }
  }

  @Test
  void aPropertyGoesBackToApachesClients() {
    try (ApplicationContext context = Applications.start("localhost:1", Map.of("decant.enabled", false))) {
      assertThat(context.getBean(ProducerFactory.class)).isExactlyInstanceOf(DefaultProducerFactory.class);
      assertThat(producer(context)).isExactlyInstanceOf(KafkaProducer.class);
      try (Consumer<?, ?> consumer = consumer(context)) {
        assertThat(consumer).isExactlyInstanceOf(KafkaConsumer.class);
      }
    }
  }

  /** If two beans replace the same one, Micronaut uses neither. */
  @Test
  void factoriesOfTheApplicationStay() {
    try (ApplicationContext context = Applications.start("localhost:1", Map.of(OWN, true))) {
      assertThat(context.getBean(ProducerFactory.class)).isExactlyInstanceOf(OwnProducers.class);
      assertThat(producer(context)).isExactlyInstanceOf(MockProducer.class);
      try (Consumer<?, ?> consumer = consumer(context)) {
        assertThat(consumer).isExactlyInstanceOf(MockConsumer.class);
      }
    }
  }

  @Test
  void aSettingThatDecantRefusesIsOneLineWithAWayBack() {
    try (ApplicationContext context = Applications.start("localhost:1",
        Map.of("kafka.client.dns.lookup", "resolve_canonical_bootstrap_servers_only", "kafka.client.id",
            "shop\nfront"))) {
      List<String> lines = Stream.of(catchThrowable(() -> producer(context)), catchThrowable(() -> consumer(context)))
          .map(failure -> refusal(failure).getMessage()).toList();

      String rest = " of client.id shop?front: client.dns.lookup: Decant tries every address of a name; use"
          + " use_all_dns_ips or remove it. Correct the setting. If Apache's client takes it, decant.enabled=false goes"
          + " back to Apache's clients.";
      assertThat(lines).containsExactly("Decant cannot open the producer" + rest,
          "Decant cannot open the consumer" + rest);
    }
  }

  @Test
  void oneDeserializerAloneIsRefusedAsMicronautDoes() {
    try (ApplicationContext context = Applications.start("localhost:1", Map.of())) {
      DefaultKafkaConsumerConfiguration<String, String> configuration = configuration(context);
      configuration.setKeyDeserializer(new StringDeserializer());

      assertThat(refusal(catchThrowable(() -> context.createBean(Consumer.class, configuration))))
          .hasMessage("Both the [keyDeserializer] and [valueDeserializer] must be set when setting either");
    }
  }

  private static Producer<String, String> producer(ApplicationContext context) {
    return context.getBean(ProducerRegistry.class).getProducer("shop", Argument.STRING, Argument.STRING);
  }

  @SuppressWarnings({"rawtypes", "unchecked"}) // Micronaut's beans are raw
  private static DefaultKafkaConsumerConfiguration<String, String> configuration(ApplicationContext context) {
    AbstractKafkaConsumerConfiguration defaults = context.getBean(AbstractKafkaConsumerConfiguration.class);
    return new DefaultKafkaConsumerConfiguration<>(defaults);
  }

  @SuppressWarnings("unchecked") // Micronaut's beans are raw
  private static Consumer<String, String> consumer(ApplicationContext context) {
    DefaultKafkaConsumerConfiguration<String, String> configuration = configuration(context);
    configuration.setKeyDeserializer(new StringDeserializer());
    configuration.setValueDeserializer(new StringDeserializer());
    return context.createBean(Consumer.class, configuration);
  }

  private static ConfigurationException refusal(@Nullable Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConfigurationException refusal) {
        return refusal;
      }
    }
    throw new AssertionError("no refusal", failure);
  }

  @Singleton
  @Replaces(DefaultProducerFactory.class)
  @Requires(property = OWN)
  static class OwnProducers implements ProducerFactory {
    @Override
    public <K, V> Producer<K, V> createProducer(Properties config, Serializer<K> ks, Serializer<V> vs) {
      return new MockProducer<>(true, ks, vs);
    }
  }

  @Factory
  @Requires(property = OWN)
  static class OwnConsumers {
    @Prototype
    @Replaces(bean = Consumer.class, factory = KafkaConsumerFactory.class)
    <K, V> Consumer<K, V> consumer(@Parameter AbstractKafkaConsumerConfiguration<K, V> configuration) {
      return new MockConsumer<>(OffsetResetStrategy.EARLIEST);
    }
  }
}
