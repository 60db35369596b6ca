package dev.decant.spring.boot;

import dev.decant.kafka.streams.DecantClientSupplier;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;

/** Decant's clients for Kafka Streams, which health and the endpoint see. */
final class WatchedClientSupplier extends DecantClientSupplier {
  private static final String STREAMS = "streams";

  private final OpenClients clients;
  private final LiveBundles bundles;

  WatchedClientSupplier(OpenClients clients, LiveBundles bundles) {
    this.clients = clients;
    this.bundles = bundles;
  }

  @Override
  public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
    return clients.producer(super.getProducer(bundles.renewed(config, STREAMS)));
  }

  @Override
  public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
    return clients.consumer(super.getConsumer(bundles.renewed(config, STREAMS)));
  }

  @Override
  public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
    return clients.consumer(super.getRestoreConsumer(bundles.renewed(config, STREAMS)));
  }

  @Override
  public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
    return clients.consumer(super.getGlobalConsumer(bundles.renewed(config, STREAMS)));
  }
}
