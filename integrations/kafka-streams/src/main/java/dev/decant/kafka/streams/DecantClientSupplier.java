package dev.decant.kafka.streams;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaClientSupplier;

/**
 * Has a {@code KafkaStreams} instance read and write with Decant's clients. Hand it to the constructor that takes a
 * client supplier. The admin client is Apache's.
 *
 * <p>With {@code group.protocol=streams} Kafka Streams constructs its main consumers itself, so they remain Apache's.
 * The producers, the restore consumers and the global consumer are Decant's then, too.
 *
 * <p>Threads: any. Each call makes a client, which Kafka Streams closes.
 */
public class DecantClientSupplier implements KafkaClientSupplier {
  /** Makes a supplier without state: one serves any number of instances. */
  public DecantClientSupplier() {}

  /**
   * Makes the client that creates internal topics.
   *
   * @param config of an admin client
   * @return Apache's
   */
  @Override
  public Admin getAdmin(Map<String, Object> config) {
    return Admin.create(Objects.requireNonNull(config, "config"));
  }

  /**
   * Makes the producer of a stream thread.
   *
   * @param config of a producer
   * @return Decant's
   */
  @Override
  public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
    return new DecantProducer<>(Objects.requireNonNull(config, "config"), new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  /**
   * Makes the consumer that is a stream thread's member of the group.
   *
   * @param config of a consumer
   * @return Decant's
   */
  @Override
  public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
    return consumer(config);
  }

  /**
   * Makes the consumer that restores state from changelogs.
   *
   * @param config of a consumer without a group
   * @return Decant's
   */
  @Override
  public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
    return consumer(config);
  }

  /**
   * Makes the consumer of global tables.
   *
   * @param config of a consumer without a group
   * @return Decant's
   */
  @Override
  public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
    return consumer(config);
  }

  private static Consumer<byte[], byte[]> consumer(Map<String, Object> config) {
    return new DecantConsumer<>(Objects.requireNonNull(config, "config"), new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }
}
