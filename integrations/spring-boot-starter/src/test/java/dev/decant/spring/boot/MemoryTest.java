package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.annotation.KafkaListener;

/** Memory that fits in a pod without a setting. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MemoryTest {
  private final ApplicationContextRunner runner = Contexts.runner().withUserConfiguration(Listeners.class)
      .withPropertyValues("spring.kafka.consumer.group-id=shop", "spring.kafka.listener.auto-startup=false");

  static final class Listeners {
    @KafkaListener(topics = "a", concurrency = "3")
    void a(String value) {}

    @KafkaListener(topics = "b")
    void b(String value) {}
  }

  @Test
  void consumersKnowHowManyTheyAre() {
    runner.run(context -> {
      assertThat(context).hasNotFailed();
      assertThat(Contexts.consumers(context).getConfigurationProperties())
          .containsEntry(ClientMemory.CONSUMERS, "4");
      assertThat(Contexts.producers(context).getConfigurationProperties()).doesNotContainKey("buffer.memory");
    });
  }

  @Test
  void whatTheApplicationSetsStays() {
    runner.withPropertyValues("spring.kafka.consumer.properties.decant.fetch.memory.bytes=8388608",
        "spring.kafka.producer.buffer-memory=5MB", "spring.kafka.producer.transaction-id-prefix=t-").run(context -> {
          assertThat(Contexts.consumers(context).getConfigurationProperties())
              .doesNotContainKey(ClientMemory.CONSUMERS);
          assertThat(Contexts.producers(context).getConfigurationProperties().get("buffer.memory"))
              .hasToString("5242880");
        });
  }

  @Test
  void transactionalProducersOfListenersShareAQuarterOfDirectMemory() {
    long mib = 1 << 20;
    assertThat(ClientMemory.ofProducer(192 * mib, 1)).isEqualTo(32 * mib);
    assertThat(ClientMemory.ofProducer(192 * mib, 8)).isEqualTo(6 * mib);
    assertThat(ClientMemory.ofProducer(192 * mib, 1_000)).isEqualTo(2 * mib);
    runner.withPropertyValues("spring.kafka.producer.transaction-id-prefix=t-").run(context -> assertThat(
        Contexts.producers(context).getConfigurationProperties()).containsKey("buffer.memory"));
  }
}
