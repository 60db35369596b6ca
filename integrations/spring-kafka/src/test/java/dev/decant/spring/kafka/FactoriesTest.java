package dev.decant.spring.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.MicrometerConsumerListener;
import org.springframework.kafka.core.MicrometerProducerListener;
import org.springframework.kafka.core.ProducerFactory;

/** The factories alone: no client here ever reaches a broker. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
@SuppressWarnings("try") // a resource may serve its block by being open: the block need not name it
class FactoriesTest {
  private static final Map<String, Object> NOWHERE = Map.of("bootstrap.servers", "127.0.0.1:1", "client.id", "nobody");
  private static final Duration AT_ONCE = Duration.ZERO;

  /** Remembers how it was configured. */
  private static final class Upper extends StringSerializer {
    final List<Boolean> configured = new ArrayList<>();

    @Override
    public void configure(Map<String, ?> configs, boolean isKey) {
      configured.add(isKey);
    }
  }

  private static final class Lower extends StringDeserializer {
    final List<Boolean> configured = new ArrayList<>();

    @Override
    public void configure(Map<String, ?> configs, boolean isKey) {
      configured.add(isKey);
    }
  }

  private static void makeAndClose(DecantProducerFactory<String, String> factory) {
    List<Producer<String, String>> raw = new ArrayList<>();
    factory.addPostProcessor(producer -> {
      raw.add(producer);
      return producer;
    });
    factory.createProducer();
    factory.createProducer();
    factory.destroy();

    assertThat(raw).hasSize(1).hasOnlyElementsOfType(DecantProducer.class);
  }

  private static void makeAndClose(DecantConsumerFactory<String, String> factory) {
    try (Consumer<String, String> consumer = factory.createConsumer("group", "suffix")) {
      assertThat(consumer).isInstanceOf(DecantConsumer.class);
    }
  }

  @Test
  void everyConstructorOfTheProducerFactoryMakesDecantsProducers() {
    Upper keys = new Upper();
    Upper values = new Upper();
    Supplier<@Nullable Serializer<String>> own = StringSerializer::new;

    makeAndClose(new DecantProducerFactory<>(Map.of("bootstrap.servers", "127.0.0.1:1", "key.serializer",
        StringSerializer.class, "value.serializer", StringSerializer.class.getName())));
    makeAndClose(new DecantProducerFactory<>(NOWHERE, keys, values));
    assertThat(keys.configured).containsExactly(true);
    assertThat(values.configured).containsExactly(false);
    makeAndClose(new DecantProducerFactory<>(NOWHERE, keys, values, false));
    assertThat(keys.configured).hasSize(1);
    makeAndClose(new DecantProducerFactory<>(NOWHERE, own, () -> values));
    assertThat(values.configured).hasSize(2);
    makeAndClose(new DecantProducerFactory<>(NOWHERE, own, () -> values, false));
    assertThat(values.configured).hasSize(2);
  }

  @Test
  void everyConstructorOfTheConsumerFactoryMakesDecantsConsumers() {
    Lower keys = new Lower();
    Lower values = new Lower();
    Supplier<@Nullable Deserializer<String>> own = StringDeserializer::new;
    Supplier<@Nullable Deserializer<String>> none = () -> null;
    Map<String, Object> named = Map.of("bootstrap.servers", "127.0.0.1:1", "key.deserializer", StringDeserializer.class,
        "value.deserializer", StringDeserializer.class.getName());

    makeAndClose(new DecantConsumerFactory<>(named));
    makeAndClose(new DecantConsumerFactory<>(named, none, none));
    makeAndClose(new DecantConsumerFactory<>(NOWHERE, keys, values));
    assertThat(keys.configured).containsExactly(true);
    assertThat(values.configured).containsExactly(false);
    makeAndClose(new DecantConsumerFactory<>(NOWHERE, keys, values, false));
    assertThat(keys.configured).hasSize(1);
    makeAndClose(new DecantConsumerFactory<>(NOWHERE, own, () -> values));
    assertThat(values.configured).hasSize(2);
    DecantConsumerFactory<String, String> factory = new DecantConsumerFactory<>(NOWHERE, own, () -> values, false);
    makeAndClose(factory);
    assertThat(values.configured).hasSize(2);
    factory.setConfigureDeserializers(true);
    makeAndClose(factory);
    assertThat(values.configured).hasSize(3);
  }

  @Test
  void aFactoryWithoutSuppliersTakesTheDeserializersThatTheSettingsName() {
    Supplier<@Nullable Deserializer<String>> none = null;
    DecantConsumerFactory<String, String> factory = new DecantConsumerFactory<>(
        Map.of("bootstrap.servers", "127.0.0.1:1", "key.deserializer", StringDeserializer.class, "value.deserializer",
            StringDeserializer.class),
        none, none);

    assertThat(factory.getKeyDeserializer()).isNull();
    makeAndClose(factory);
  }

  @Test
  void aCopyOfAProducerFactoryIsOneOfDecantToo() {
    DecantProducerFactory<String, String> factory = new DecantProducerFactory<>(NOWHERE, StringSerializer::new,
        StringSerializer::new);
    factory.setTransactionIdPrefix("prefix-");
    factory.setPhysicalCloseTimeout(7);
    ProducerFactory.Listener<String, String> listener = new ProducerFactory.Listener<>() {
    };
    factory.addListener(listener);

    ProducerFactory<String, String> copy = factory.copyWithConfigurationOverride(Map.of("linger.ms", "3"));

    assertThat(copy).isInstanceOf(DecantProducerFactory.class);
    assertThat(copy.getConfigurationProperties()).containsEntry("linger.ms", "3").containsEntry("client.id", "nobody");
    assertThat(copy.getTransactionIdPrefix()).isEqualTo("prefix-");
    assertThat(copy.getPhysicalCloseTimeout()).hasSeconds(7);
    assertThat(copy.getListeners()).containsExactly(listener);
    assertThat(factory.copyWithConfigurationOverride(Map.of("transactional.id", "other-")).getTransactionIdPrefix())
        .isEqualTo("other-");
  }

  private static final class Heard implements ConsumerFactory.Listener<String, String> {
    final List<String> events = new ArrayList<>();

    @Override
    public void consumerAdded(String id, Consumer<String, String> consumer) {
      events.add("added " + id);
    }

    @Override
    public void consumerRemoved(@Nullable String id, Consumer<String, String> consumer) {
      events.add("removed " + id);
    }
  }

  @Test
  void listenersOfTheConsumerFactoryHearOfEachConsumerOnce() {
    DecantConsumerFactory<String, String> factory = new DecantConsumerFactory<>(NOWHERE, new StringDeserializer(),
        new StringDeserializer());
    Heard heard = new Heard();
    factory.setBeanName("factory");
    factory.addListener(heard);

    Consumer<String, String> consumer = factory.createConsumer("group", "-1");
    consumer.close();
    consumer.close();
    factory.createConsumer("group", "-2").close(CloseOptions.timeout(AT_ONCE));

    assertThat(heard.events).containsExactly("added factory.nobody-1", "removed factory.nobody-1",
        "added factory.nobody-2", "removed factory.nobody-2");
  }

  @Test
  void metersOfBothClientsAreThere() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    DecantConsumerFactory<String, String> consumers = new DecantConsumerFactory<>(NOWHERE, new StringDeserializer(),
        new StringDeserializer());
    consumers.addListener(new MicrometerConsumerListener<>(registry));
    DecantProducerFactory<String, String> producers = new DecantProducerFactory<>(NOWHERE, new StringSerializer(),
        new StringSerializer());
    producers.addListener(new MicrometerProducerListener<>(registry));
    try (Consumer<String, String> unused = consumers.createConsumer("group", "")) {
      producers.createProducer();

      assertThat(registry.find("kafka.consumer.fetch.manager.records.consumed.total").meters()).isNotEmpty();
      assertThat(registry.find("kafka.producer.record.send.total").meters()).isNotEmpty();
    } finally {
      producers.destroy();
    }
    assertThat(registry.find("kafka.consumer.fetch.manager.records.consumed.total").meters()).isEmpty();
    assertThat(registry.find("kafka.producer.record.send.total").meters()).isEmpty();
  }

  /** Its meters would be gone while it runs. */
  @Test
  void listenersHearNothingOfACloseThatIsRefused() {
    List<String> removed = new ArrayList<>();
    DecantConsumerFactory<String, String> factory = new DecantConsumerFactory<>(NOWHERE, new Lower(), new Lower());
    factory.addListener(new ConsumerFactory.Listener<>() {
      @Override
      public void consumerRemoved(@Nullable String id, Consumer<String, String> consumer) {
        removed.add(String.valueOf(id));
      }
    });
    Consumer<String, String> consumer = factory.createConsumer("group", "suffix");
    assertThatThrownBy(() -> consumer.close(CloseOptions.timeout(Duration.ofMillis(-1))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(removed).isEmpty();
    consumer.close();
    assertThat(removed).hasSize(1);
  }
}
