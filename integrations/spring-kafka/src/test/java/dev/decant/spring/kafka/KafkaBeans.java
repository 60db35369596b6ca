package dev.decant.spring.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;

/** What the application of each test has: the two factories, a template and containers of listeners. */
@Configuration(proxyBeanMethods = false)
@EnableKafka
class KafkaBeans {
  /** The clients that factories have made, as they are beneath what Spring wraps around them. */
  static final class Clients {
    final List<Producer<?, ?>> producers = new CopyOnWriteArrayList<>();
    final List<Consumer<?, ?>> consumers = new CopyOnWriteArrayList<>();
  }

  /** For tests: a bean is looked up by its class, and a template's class does not say its types. */
  record Sender(KafkaTemplate<String, String> template) {}

  /** The cluster of a test: a real one or a fake one. */
  record Brokers(String bootstrap) {}

  static AnnotationConfigApplicationContext start(String bootstrap, Class<?>... beans) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.getBeanFactory().registerSingleton("brokers", new Brokers(bootstrap));
    context.register(KafkaBeans.class);
    context.register(beans);
    context.refresh();
    return context;
  }

  static Map<String, Object> producerConfigs(String bootstrap) {
    return new HashMap<>(Map.of("bootstrap.servers", bootstrap, "key.serializer", StringSerializer.class,
        "value.serializer", StringSerializer.class));
  }

  static Map<String, Object> consumerConfigs(String bootstrap) {
    return new HashMap<>(Map.of("bootstrap.servers", bootstrap, "key.deserializer", StringDeserializer.class,
        "value.deserializer", StringDeserializer.class, "auto.offset.reset", "earliest", "isolation.level",
        "read_committed"));
  }

  @Bean
  Clients clients() {
    return new Clients();
  }

  @Bean
  ProducerFactory<String, String> producers(Brokers brokers, Clients clients) {
    DecantProducerFactory<String, String> factory = new DecantProducerFactory<>(producerConfigs(brokers.bootstrap()));
    factory.addPostProcessor(producer -> {
      clients.producers.add(producer);
      return producer;
    });
    return factory;
  }

  @Bean
  KafkaTemplate<String, String> template(ProducerFactory<String, String> producers) {
    return new KafkaTemplate<>(producers);
  }

  @Bean
  Sender sender(KafkaTemplate<String, String> template) {
    return new Sender(template);
  }

  @Bean
  ConsumerFactory<String, String> consumers(Brokers brokers, Clients clients) {
    DecantConsumerFactory<String, String> factory = new DecantConsumerFactory<>(consumerConfigs(brokers.bootstrap()));
    factory.addPostProcessor(consumer -> {
      clients.consumers.add(consumer);
      return consumer;
    });
    return factory;
  }

  @Bean
  ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory(
      ConsumerFactory<String, String> consumers) {
    var containers = new ConcurrentKafkaListenerContainerFactory<String, String>();
    containers.setConsumerFactory(consumers);
    return containers;
  }
}
