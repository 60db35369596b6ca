package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.confluent.parallelconsumer.internal.StandIn;
import java.net.URL;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * parallel-consumer reads whether a {@code KafkaProducer} has transactions, and treated each {@code DecantProducer} as
 * one without.
 */
@Isolated("it sets the context class loader")
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ParallelConsumerTest {
  private final ClassLoader context = Thread.currentThread().getContextClassLoader();

  @AfterEach
  void restore() {
    Thread.currentThread().setContextClassLoader(context);
  }

  /** A loader with a class file of the library, as on a program's class path. */
  private void addLibrary() {
    Thread.currentThread().setContextClassLoader(new ClassLoader(context) {
      @Override
      public @Nullable URL getResource(String name) {
        return super.getResource(name.equals("io/confluent/parallelconsumer/ParallelConsumerOptions.class")
            ? "io/confluent/parallelconsumer/internal/StandIn.class"
            : name);
      }
    });
  }

  private static DecantProducer<String, String> producer(Object... more) {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", "127.0.0.1:1", "max.block.ms", "50"));
    for (int i = 0; i < more.length; i += 2) {
      settings.put((String) more[i], more[i + 1]);
    }
    return new DecantProducer<>(settings, new StringSerializer(), new StringSerializer());
  }

  @Test
  void aTransactionalProducerSendsNothingForIt() {
    addLibrary();
    DecantProducer<String, String> producer = producer("transactional.id", "orders");

    assertThatThrownBy(() -> StandIn.send(producer)).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("give it Apache's KafkaProducer, or leave out transactional.id");
    assertThatThrownBy(() -> producer.send(new ProducerRecord<>("topic", "value")).get())
        .as("another caller gets what it gets without the library").hasMessageNotContaining("parallel-consumer");

    producer.close(Duration.ZERO);
  }

  @Test
  void aProducerWithoutTransactionsIsTaken() {
    addLibrary();
    DecantProducer<String, String> producer = producer();

    StandIn.send(producer);

    producer.close(Duration.ZERO);
  }

  private static DecantConsumer<String, String> consumer(boolean autoCommit) {
    return new DecantConsumer<>(Map.of("bootstrap.servers", "127.0.0.1:1", "group.id", "orders", "enable.auto.commit",
        autoCommit), new StringDeserializer(), new StringDeserializer());
  }

  /** The library's own check knows only Apache's classes. */
  @Test
  void aConsumerThatCommitsByItselfIsRefused() {
    try (DecantConsumer<String, String> consumer = consumer(true)) {
      assertThatThrownBy(() -> StandIn.group(consumer)).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("set enable.auto.commit=false");
      assertThat(consumer.groupMetadata().groupId()).isEqualTo("orders");
    }
    try (DecantConsumer<String, String> consumer = consumer(false)) {
      assertThat(List.of(StandIn.group(consumer).groupId())).containsExactly("orders");
    }
  }
}
