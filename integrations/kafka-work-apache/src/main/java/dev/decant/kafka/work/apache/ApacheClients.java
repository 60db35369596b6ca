package dev.decant.kafka.work.apache;

import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;

/**
 * Makes the clients of a work, with settings that the work can rely on. The work owns the clients that it makes, and
 * closes them. Immutable.
 */
public final class ApacheClients {
  private final ClientSettings settings;
  private final Function<Map<String, Object>, Consumer<byte[], byte[]>> consumers;
  private final Function<Map<String, Object>, Producer<byte[], byte[]>> producers;
  private final Function<Map<String, Object>, Admin> admins;

  private ApacheClients(ClientSettings settings, Function<Map<String, Object>, Consumer<byte[], byte[]>> consumers,
      Function<Map<String, Object>, Producer<byte[], byte[]>> producers, Function<Map<String, Object>, Admin> admins) {
    this.settings = settings;
    this.consumers = consumers;
    this.producers = producers;
    this.admins = admins;
  }

  /**
   * Clients of kafka-clients: {@code KafkaConsumer}, and {@code KafkaProducer} and {@code Admin} if the work needs
   * them.
   *
   * <p>The work sets {@code enable.auto.commit} to false and both deserializers to those of bytes. It sets
   * {@code auto.offset.reset} to {@code earliest} if the settings do not have it. A producer and an admin get what
   * their configurations share with a consumer's, such as {@code bootstrap.servers} and security.
   *
   * @param consumerSettings by Kafka's names, as a {@code KafkaConsumer} takes them
   * @return the clients
   * @throws IllegalArgumentException if a setting contradicts the work
   */
  public static ApacheClients of(Map<String, Object> consumerSettings) {
    return new ApacheClients(ClientSettings.of(Objects.requireNonNull(consumerSettings, "consumerSettings")),
        KafkaConsumer::new, KafkaProducer::new, Admin::create);
  }

  /**
   * Settings of the producer of dead letters and of records in retry topics, which come before those of the consumer.
   * The work sets both serializers to those of bytes, and {@code max.block.ms} to 0, because a send must not delay
   * polls.
   *
   * @param producerSettings by Kafka's names
   * @return clients with these settings
   * @throws IllegalArgumentException if a setting contradicts the work
   */
  public ApacheClients producerSettings(Map<String, Object> producerSettings) {
    return new ApacheClients(settings.withProducer(Objects.requireNonNull(producerSettings, "producerSettings")),
        consumers, producers, admins);
  }

  /**
   * Another implementation of the consumer, such as {@code DecantConsumer}, or a consumer with interceptors around it.
   *
   * @param factory makes a new consumer of the settings that it gets, without a subscription
   * @return clients with this factory
   */
  public ApacheClients consumers(Function<Map<String, Object>, Consumer<byte[], byte[]>> factory) {
    return new ApacheClients(settings, Objects.requireNonNull(factory, "factory"), producers, admins);
  }

  /**
   * Another implementation of the producer.
   *
   * @param factory makes a new producer of the settings that it gets
   * @return clients with this factory
   */
  public ApacheClients producers(Function<Map<String, Object>, Producer<byte[], byte[]>> factory) {
    return new ApacheClients(settings, consumers, Objects.requireNonNull(factory, "factory"), admins);
  }

  /**
   * Another implementation of the admin, which creates topics if the work is asked to.
   *
   * @param factory makes a new admin of the settings that it gets
   * @return clients with this factory
   */
  public ApacheClients admins(Function<Map<String, Object>, Admin> factory) {
    return new ApacheClients(settings, consumers, producers, Objects.requireNonNull(factory, "factory"));
  }

  ClientSettings settings() {
    return settings;
  }

  Consumer<byte[], byte[]> consumer(Map<String, Object> of) {
    return Objects.requireNonNull(consumers.apply(of), "the factory of consumers has returned null");
  }

  Producer<byte[], byte[]> producer(Map<String, Object> of) {
    return Objects.requireNonNull(producers.apply(of), "the factory of producers has returned null");
  }

  Admin admin(Map<String, Object> of) {
    return Objects.requireNonNull(admins.apply(of), "the factory of admins has returned null");
  }
}
