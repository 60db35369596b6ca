package dev.decant.spring.boot;

import dev.decant.runtime.RuntimeCheck;
import dev.decant.spring.kafka.DecantConsumerFactory;
import dev.decant.spring.kafka.DecantProducerFactory;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * Tells clients how many there will be, before the first container of a listener starts. Each takes a share of the
 * direct memory then, and all of them fit in the pod. What the application has set itself stays.
 */
final class ClientMemory implements SmartLifecycle {
  /** How many consumers share the part of direct memory that is for responses. */
  static final String CONSUMERS = "decant.fetch.memory.consumers";
  private static final String FETCH_MEMORY = "decant.fetch.memory.bytes";
  private static final int SHARE_OF_PRODUCERS = 4;
  /** Room for two of Kafka's largest requests. */
  private static final long LEAST_OF_PRODUCER = 2L * 1024 * 1024;
  /** Kafka's default. */
  private static final long MOST_OF_PRODUCER = 32L * 1024 * 1024;

  private final ApplicationContext context;
  private volatile boolean running;

  ClientMemory(ApplicationContext context) {
    this.context = context;
  }

  @Override
  public void start() {
    running = true;
    int consumers = consumers();
    for (ConsumerFactory<?, ?> factory : context.getBeansOfType(ConsumerFactory.class, false, false).values()) {
      if (factory instanceof DecantConsumerFactory<?, ?> own) {
        tell(own, consumers);
      }
    }
    for (ProducerFactory<?, ?> factory : context.getBeansOfType(ProducerFactory.class, false, false).values()) {
      if (factory instanceof DecantProducerFactory<?, ?> own) {
        tell(own, consumers);
      }
    }
  }

  private static void tell(DefaultKafkaConsumerFactory<?, ?> factory, int consumers) {
    Map<String, Object> settings = factory.getConfigurationProperties();
    if (consumers > 0 && !settings.containsKey(FETCH_MEMORY) && !settings.containsKey(CONSUMERS)) {
      factory.updateConfigs(Map.of(CONSUMERS, Integer.toString(consumers)));
    }
  }

  /** A transactional factory has a producer for each consumer whose records are part of a transaction. */
  private static void tell(DefaultKafkaProducerFactory<?, ?> factory, int consumers) {
    Map<String, Object> settings = factory.getConfigurationProperties();
    if (factory.transactionCapable() && consumers > 0 && !settings.containsKey(ProducerConfig.BUFFER_MEMORY_CONFIG)
        && !settings.containsKey(ProducerConfig.MAX_REQUEST_SIZE_CONFIG)) {
      factory.updateConfigs(Map.of(ProducerConfig.BUFFER_MEMORY_CONFIG,
          Long.toString(ofProducer(RuntimeCheck.directMemoryBytes(), consumers))));
    }
  }

  /** All of these producers together take a quarter of direct memory. */
  static long ofProducer(long directMemory, int producers) {
    return Math.clamp(directMemory / SHARE_OF_PRODUCERS / producers, LEAST_OF_PRODUCER, MOST_OF_PRODUCER);
  }

  /** Those of all containers, started or not. */
  private int consumers() {
    int consumers = 0;
    for (KafkaListenerEndpointRegistry registry : context.getBeansOfType(KafkaListenerEndpointRegistry.class, false,
        false).values()) {
      for (MessageListenerContainer container : registry.getListenerContainers()) {
        consumers += consumers(container);
      }
    }
    for (MessageListenerContainer container : context.getBeansOfType(MessageListenerContainer.class, false, false)
        .values()) {
      consumers += consumers(container);
    }
    return consumers;
  }

  private static int consumers(MessageListenerContainer container) {
    return container instanceof ConcurrentMessageListenerContainer<?, ?> several ? several.getConcurrency() : 1;
  }

  @Override
  public void stop() {
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Before the containers. */
  @Override
  public int getPhase() {
    return Integer.MIN_VALUE;
  }
}
