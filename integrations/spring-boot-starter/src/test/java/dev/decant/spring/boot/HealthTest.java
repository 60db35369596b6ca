package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Method;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** What Actuator shows of clients that reach no broker. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
@SuppressWarnings("try") // a resource may serve its block by being open: the block need not name it
class HealthTest {
  private final ApplicationContextRunner runner = Contexts.runner()
      .withPropertyValues("management.endpoints.web.exposure.include=*", "management.endpoints.jmx.exposure.include=*");

  /** Boot's two lines have the same class in different packages. */
  static String health(ApplicationContext context, String name) throws ReflectiveOperationException {
    Object indicator = context.getBean(name);
    Method method = indicator.getClass().getMethod("health");
    method.setAccessible(true);
    return String.valueOf(method.invoke(indicator));
  }

  @Test
  void anApplicationThatHasSentNothingIsWell() {
    runner.run(context -> {
      assertThat(context).hasNotFailed();
      assertThat(health(context, "decantHealthIndicator")).contains("UP");
      try (Producer<?, ?> unused = Contexts.producers(context).createProducer()) {
        assertThat(health(context, "decantHealthIndicator")).contains("UP").contains("clients=1");
        assertThat(context.getBean(DecantEndpoint.class).report().clients()).singleElement()
            .satisfies(client -> assertThat(client.kind()).isEqualTo("producer"));
      }
    });
  }

  /** A request for metadata that gets no response in time shows that no broker can be reached. */
  private static void ask(Producer<?, ?> producer) {
    try {
      producer.partitionsFor("any");
    } catch (org.apache.kafka.common.errors.TimeoutException e) {
      // as it has to be
    }
  }

  @Test
  void anApplicationWhoseBrokersCannotBeReachedIsNotReadyAndAlive() {
    runner.withPropertyValues("spring.kafka.producer.properties.max.block.ms=1").run(context -> {
      try (Producer<?, ?> producer = Contexts.producers(context).createProducer()) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!health(context, "decantHealthIndicator").contains("DOWN") && System.nanoTime() < deadline) {
          ask(producer);
        }
        assertThat(health(context, "decantHealthIndicator")).contains("DOWN").contains("unknown");
        assertThat(health(context, "decantLivenessHealthIndicator")).contains("UP");
        DecantEndpoint.Client client = context.getBean(DecantEndpoint.class).report().clients().getFirst();
        assertThat(client.ready()).isFalse();
        assertThat(client.live()).isTrue();
        assertThat(client.problems()).isNotEmpty();
        assertThat(client.cluster()).isNull();
      }
    });
  }

  @Test
  void whatIsClosedIsNotShown() {
    runner.run(context -> {
      Contexts.consumers(context).createConsumer("group", "").close();
      assertThat(context.getBean(DecantEndpoint.class).report().clients()).isEmpty();
    });
  }

  @Test
  void healthCanBeTurnedOff() {
    runner.withPropertyValues("management.health.decant.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean("decantHealthIndicator"));
  }

  @Test
  void theNativeClientHasTheSettingsOfSpringKafkaAndIsOpenedWhenItIsAskedFor() {
    runner.withPropertyValues("spring.application.name=shop", "spring.kafka.consumer.group-id=billing",
        "spring.kafka.producer.properties.linger.ms=7").withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .run(context -> {
          assertThat(context).hasNotFailed();
          assertThat(context.getBean(OpenClients.class).open()).isEmpty();
          KafkaClient client = context.getBean(KafkaClient.class);
          var strings = dev.decant.kafka.serialization.Serdes.string();
          assertThat(client.producer(strings, strings).settings()).containsEntry("linger.ms", "7");
          assertThat(client.consumer(strings, strings).settings()).containsEntry("group.id", "billing");
          assertThat(context.getBean(OpenClients.class).open()).singleElement()
              .satisfies(open -> assertThat(open.kind()).isEqualTo("native"));
          assertThat(context.getBean(MeterRegistry.class).find("decant.kafka.live").tag("client.id", "kafkaClient")
              .gauge()).isNotNull();
        });
  }

  @Test
  void aClientOfTheApplicationTakesThePlaceOfTheStarters() {
    KafkaClient own = KafkaClient.connect("127.0.0.1:1");
    runner.withBean("own", KafkaClient.class, () -> own).run(context -> {
      assertThat(context).hasSingleBean(KafkaClient.class);
      assertThat(context.getBean(OpenClients.class).open()).singleElement()
          .satisfies(open -> assertThat(open.id()).isEqualTo("own"));
    });
    assertThat(own.status().open()).as("closed with the context").isFalse();
  }

  @Test
  void differentClustersOfProducersAndConsumersAreNoNativeClient() {
    runner.withPropertyValues("spring.kafka.consumer.bootstrap-servers=127.0.0.1:2").run(context -> {
      assertThat(context).hasNotFailed();
      org.assertj.core.api.Assertions.assertThatThrownBy(() -> context.getBean(KafkaClient.class)).rootCause()
          .hasMessageContaining("bootstrap.servers").hasMessageContaining("define a bean KafkaClient");
    });
  }

  @Test
  void nothingOfItIsThereIfTheStarterIsOff() {
    runner.withPropertyValues("decant.enabled=false").run(context -> assertThat(context)
        .doesNotHaveBean(DecantEndpoint.class).doesNotHaveBean("decantHealthIndicator")
        .doesNotHaveBean(KafkaClient.class));
  }
}
