package dev.decant.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.kafka.annotation.DltHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.event.ListenerContainerIdleEvent;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.requestreply.ReplyingKafkaTemplate;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** An application of Spring Boot as its users write them: nothing in it names Decant. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Shop {
  /** What listeners were given. */
  static final class Seen {
    final BlockingQueue<ConsumerRecord<String, String>> orders = new LinkedBlockingQueue<>();
    final BlockingQueue<List<String>> batches = new LinkedBlockingQueue<>();
    final BlockingQueue<String> manual = new LinkedBlockingQueue<>();
    final BlockingQueue<String> filtered = new LinkedBlockingQueue<>();
    final BlockingQueue<String> attempts = new LinkedBlockingQueue<>();
    final BlockingQueue<String> dead = new LinkedBlockingQueue<>();
    final BlockingQueue<String> idle = new LinkedBlockingQueue<>();
    /** The classes of the clients beneath what Spring wraps around them. */
    final BlockingQueue<Class<?>> clients = new LinkedBlockingQueue<>();
    final AtomicBoolean refuseOnce = new AtomicBoolean(true);
  }

  @Bean
  Seen seen(ProducerFactory<?, ?> producers, ConsumerFactory<?, ?> consumers) {
    Seen seen = new Seen();
    watch(producers, seen);
    watchConsumers(consumers, seen);
    return seen;
  }

  private static <K, V> void watch(ProducerFactory<K, V> factory, Seen seen) {
    factory.addPostProcessor((Producer<K, V> producer) -> {
      seen.clients.add(producer.getClass());
      return producer;
    });
  }

  private static <K, V> void watchConsumers(ConsumerFactory<K, V> factory, Seen seen) {
    factory.addPostProcessor((Consumer<K, V> consumer) -> {
      seen.clients.add(consumer.getClass());
      return consumer;
    });
  }

  @Bean
  MeterRegistry meters() {
    return new SimpleMeterRegistry();
  }

  @Bean
  ThreadPoolTaskScheduler taskScheduler() {
    return new ThreadPoolTaskScheduler();
  }

  @Bean
  ConcurrentKafkaListenerContainerFactory<String, String> manualFactory(ConsumerFactory<String, String> consumers) {
    var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
    factory.setConsumerFactory(consumers);
    factory.getContainerProperties().setAckMode(AckMode.MANUAL);
    return factory;
  }

  @Bean
  ConcurrentKafkaListenerContainerFactory<String, String> filteringFactory(ConsumerFactory<String, String> consumers) {
    var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
    factory.setConsumerFactory(consumers);
    factory.setRecordFilterStrategy(record -> record.value().startsWith("test-"));
    return factory;
  }

  @Bean
  ConcurrentKafkaListenerContainerFactory<String, String> idleFactory(ConsumerFactory<String, String> consumers) {
    var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
    factory.setConsumerFactory(consumers);
    factory.getContainerProperties().setIdleEventInterval(100L);
    return factory;
  }

  /** Not a bean itself: Boot would leave out its own template. */
  record Asking(ReplyingKafkaTemplate<String, String, String> template) implements AutoCloseable {
    @Override
    public void close() {
      template.stop();
    }
  }

  @Bean
  Asking asking(ProducerFactory<String, String> producers,
      @Qualifier("manualFactory") ConcurrentKafkaListenerContainerFactory<String, String> containers) {
    var container = containers.createContainer("answers");
    container.getContainerProperties().setGroupId("answers");
    container.getContainerProperties().setAckMode(AckMode.BATCH);
    ReplyingKafkaTemplate<String, String, String> template = new ReplyingKafkaTemplate<>(producers, container);
    template.afterPropertiesSet();
    template.start();
    return new Asking(template);
  }

  @Bean
  Listeners listeners(Seen seen) {
    return new Listeners(seen);
  }

  static final class Listeners {
    private final Seen seen;

    Listeners(Seen seen) {
      this.seen = seen;
    }

    @KafkaListener(id = "orders", topics = "orders", concurrency = "2")
    void onOrder(ConsumerRecord<String, String> order) {
      seen.orders.add(order);
    }

    @KafkaListener(id = "batches", topics = "batches", batch = "true", properties = "max.poll.records=5")
    void onBatch(List<String> values) {
      seen.batches.add(values);
    }

    /** Not acknowledged at first, and seen again for that. */
    @KafkaListener(id = "manual", topics = "manual", containerFactory = "manualFactory")
    void onManual(String value, Acknowledgment acknowledgment) {
      seen.manual.add(value);
      if (seen.refuseOnce.compareAndSet(true, false)) {
        acknowledgment.nack(java.time.Duration.ofMillis(1));
      } else {
        acknowledgment.acknowledge();
      }
    }

    @KafkaListener(id = "filtered", topics = "filtered", containerFactory = "filteringFactory")
    void onFiltered(String value) {
      seen.filtered.add(value);
    }

    @RetryableTopic(attempts = "2", numPartitions = "1")
    @KafkaListener(id = "retried", topics = "retried")
    void onRetried(String value) {
      seen.attempts.add(value);
      throw new IllegalStateException("as the test wants it");
    }

    @DltHandler
    void onDead(String value) {
      seen.dead.add(value);
    }

    @KafkaListener(id = "asked", topics = "asked")
    @SendTo
    String onAsked(String value) {
      return value + "!";
    }

    @KafkaListener(id = "idle", topics = "idle", containerFactory = "idleFactory")
    void onIdle(String value) {}

    @EventListener(condition = "event.listenerId.startsWith('idle')")
    void onEvent(ListenerContainerIdleEvent event) {
      seen.idle.offer(event.getListenerId());
    }
  }

  static KafkaTemplate<String, String> template(org.springframework.context.ApplicationContext context) {
    @SuppressWarnings("unchecked")
    KafkaTemplate<String, String> template = context.getBean("kafkaTemplate", KafkaTemplate.class);
    return template;
  }
}
