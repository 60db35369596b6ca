package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

/** Meters of native clients do not have the names of those that Boot's binders make. */
class NativeMeterNamesTest {
  private static final String REBALANCES = "kafka.consumer.coordinator.rebalance.total";

  @Test
  void metersOfNativeClientsHaveNamesOfTheirOwnAndThoseOfBootKeepTheirs() {
    Contexts.runner().withBean(MeterRegistry.class, SimpleMeterRegistry::new).run(context -> {
      MeterRegistry registry = context.getBean(MeterRegistry.class);
      Counter boots = Counter.builder(REBALANCES)
          .tags("client.id", "consumer-1", "kafka.version", "4.3.1", "spring.id", "kafkaConsumerFactory.consumer-1")
          .register(registry);
      assertThat(context.getBean(KafkaClient.class).status().open()).isTrue();

      assertThat(registry.find(REBALANCES).meters()).containsExactly(boots);
      assertThat(registry.find("decant." + REBALANCES).tag("client.id", "kafkaClient").meters()).hasSize(1);
      assertThat(registry.getMeters()).noneMatch(
          meter -> meter.getId().getName().startsWith("kafka.") && meter.getId().getTag("kafka.version") == null);
    });
  }

  @Test
  void othersMetersKeepTheirNames() {
    Contexts.runner().withBean(MeterRegistry.class, SimpleMeterRegistry::new).run(context -> {
      Counter own = context.getBean(MeterRegistry.class).counter("kafka.orders", "shop", "a");
      assertThat(own.getId().getName()).isEqualTo("kafka.orders");
    });
  }
}
