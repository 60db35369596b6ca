package dev.decant.spring.kafka;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;
import org.springframework.kafka.listener.MessageListener;

/** An application of Spring's own factories: it sends records by a template, and a container listens to them. */
public final class Listening {
  private static final int RECORDS = 20;

  private Listening() {}

  /** Counts what the factory says of its consumers. */
  private static final class Counted implements ConsumerFactory.Listener<String, String> {
    private final AtomicInteger added = new AtomicInteger();
    private final AtomicInteger removed = new AtomicInteger();

    @Override
    public void consumerAdded(@Nullable String id, Consumer<String, String> consumer) {
      added.incrementAndGet();
      System.out.println("added " + id + " " + (consumer instanceof KafkaConsumer));
    }

    @Override
    public void consumerRemoved(@Nullable String id, Consumer<String, String> consumer) {
      removed.incrementAndGet();
    }
  }

  /** Puts a proxy of the producer's own class before it, as aspects do. */
  @SuppressWarnings("unchecked")
  private static Producer<String, String> proxied(Producer<String, String> producer) {
    ProxyFactory proxies = new ProxyFactory();
    proxies.setTarget(producer);
    return (Producer<String, String>) proxies.getProxy();
  }

  /**
   * Sends and listens.
   *
   * @param arguments the brokers and a topic
   * @throws Exception of the clients
   */
  public static void main(String[] arguments) throws Exception {
    String brokers = arguments[0];
    String topic = arguments[1];
    var producers = new DefaultKafkaProducerFactory<>(Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers),
        new StringSerializer(), new StringSerializer());
    producers.addPostProcessor(Listening::proxied);
    var consumers = new DefaultKafkaConsumerFactory<>(Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers,
        ConsumerConfig.GROUP_ID_CONFIG, "listening", ConsumerConfig.CLIENT_ID_CONFIG, "listening",
        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest"), new StringDeserializer(), new StringDeserializer());
    Counted counted = new Counted();
    consumers.addListener(counted);
    List<String> listened = new CopyOnWriteArrayList<>();
    CountDownLatch all = new CountDownLatch(RECORDS);
    ContainerProperties properties = new ContainerProperties(topic);
    properties.setMessageListener((MessageListener<String, String>) entry -> {
      listened.add(entry.value());
      all.countDown();
    });
    var container = new KafkaMessageListenerContainer<>(consumers, properties);
    container.start();
    KafkaTemplate<String, String> template = new KafkaTemplate<>(producers);
    for (int i = 0; i < RECORDS; i++) {
      template.send(topic, "key", "value-" + i).get(30, TimeUnit.SECONDS);
    }
    boolean isComplete = all.await(30, TimeUnit.SECONDS);
    container.stop();
    producers.destroy();
    System.out.println("listened " + isComplete + " " + String.join(",", listened));
    System.out.println("consumers " + counted.added + " " + counted.removed);
  }
}
