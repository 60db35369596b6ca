package dev.decant.micronaut;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Starts an application, and waits for what happens in it. */
final class Applications {
  static final int SECONDS = 40;
  private static final Duration DEADLINE = Duration.ofSeconds(SECONDS);
  private static final Duration A_WHILE = Duration.ofMillis(50);

  private Applications() {}

  /**
   * Starts one.
   *
   * @param bootstrap of the cluster
   * @param properties in addition
   */
  static ApplicationContext start(String bootstrap, Map<String, Object> properties) {
    Map<String, Object> all = new HashMap<>(properties);
    all.put("kafka.bootstrap.servers", bootstrap);
    all.put("kafka.consumers.default.auto.offset.reset", "earliest");
    all.put("micronaut.application.name", "shop");
    return ApplicationContext.run(all);
  }

  /**
   * Starts the application of a test.
   *
   * @param bootstrap of the cluster
   * @param test whose beans it has
   * @param decant false for Apache's clients
   */
  static ApplicationContext start(String bootstrap, String test, boolean decant) {
    return start(bootstrap, Map.of("test", test, "run", run(decant), "decant.enabled", decant));
  }

  /** A part of the names of topics and groups, which the two runs of a test do not share. */
  static String run(boolean decant) {
    return decant ? "decant" : "apache";
  }

  /** All clients that Micronaut has made as beans. */
  @Singleton
  @Requires(property = "test")
  static class Clients {
    final List<Object> made = new CopyOnWriteArrayList<>();
  }

  @Singleton
  @Requires(property = "test")
  static class MadeProducers implements BeanCreatedEventListener<Producer<?, ?>> {
    private final Clients clients;

    MadeProducers(Clients clients) {
      this.clients = clients;
    }

    @Override
    public Producer<?, ?> onCreated(BeanCreatedEvent<Producer<?, ?>> event) {
      clients.made.add(event.getBean());
      return event.getBean();
    }
  }

  @Singleton
  @Requires(property = "test")
  static class MadeConsumers implements BeanCreatedEventListener<Consumer<?, ?>> {
    private final Clients clients;

    MadeConsumers(Clients clients) {
      this.clients = clients;
    }

    @Override
    public Consumer<?, ?> onCreated(BeanCreatedEvent<Consumer<?, ?>> event) {
      clients.made.add(event.getBean());
      return event.getBean();
    }
  }

  /** Fails if a client is of the wrong kind, or if there is none. */
  static void checkClients(ApplicationContext context, boolean decant) {
    assertThat(context.getBean(Clients.class).made).isNotEmpty().allMatch(
        client -> (client instanceof DecantProducer || client instanceof DecantConsumer) == decant);
  }

  static <T> List<T> take(BlockingQueue<T> queue, int count) throws InterruptedException {
    List<T> taken = new ArrayList<>();
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (taken.size() < count) {
      T next = queue.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      assertThat(next).as("%s of %s have come: %s", taken.size(), count, taken).isNotNull();
      taken.add(next);
    }
    return taken;
  }

  /** Waits until a group has committed an offset in partition 0 of a topic. */
  static void awaitCommitted(String bootstrap, String group, String topic, long offset) {
    TopicPartition partition = new TopicPartition(topic, 0);
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    try (KafkaConsumer<String, String> consumer = oracle(bootstrap, group)) {
      long last = -1;
      while (last != offset && deadline - System.nanoTime() > 0) {
        OffsetAndMetadata committed = consumer.committed(Set.of(partition), DEADLINE).get(partition);
        last = committed == null ? -1 : committed.offset();
      }
      assertThat(last).as("committed by %s", group).isEqualTo(offset);
    }
  }

  /** The values of partition 0 of a topic that begin with a text, without those of aborted transactions. */
  static List<String> values(String bootstrap, String topic, String prefix, int count) {
    List<String> values = new ArrayList<>();
    TopicPartition partition = new TopicPartition(topic, 0);
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    try (KafkaConsumer<String, String> consumer = oracle(bootstrap, "oracle")) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      while (values.size() < count && deadline - System.nanoTime() > 0) {
        consumer.poll(A_WHILE).forEach(record -> values.add(record.value()));
        values.removeIf(value -> !value.startsWith(prefix));
      }
    }
    return values;
  }

  private static KafkaConsumer<String, String> oracle(String bootstrap, String group) {
    return new KafkaConsumer<>(Map.of("bootstrap.servers", bootstrap, "group.id", group, "enable.auto.commit", "false",
        "isolation.level", "read_committed"), new StringDeserializer(), new StringDeserializer());
  }

  static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as("nanoseconds left").isPositive();
      LockSupport.parkNanos(A_WHILE.toNanos());
    }
  }
}
