package dev.decant.kafka.apache;

import dev.decant.kafka.client.KafkaClient;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.common.Cluster;

/**
 * The values of private fields of Apache's clients that agents for tracing read. {@code decant-agent} finds this class
 * by reflection, because it is no API, and copies the values to its adapters.
 */
final class TracedFields {
  private TracedFields() {}

  /** Returns fields of Apache's producer by their names, and the cluster. */
  static Map<String, Object> of(ProducerOptions options, KafkaClient client) {
    return Map.of("clientId", options.clientId(), "producerConfig", options.config(), "apiVersions", new ApiVersions(),
        "cluster", cluster(client));
  }

  /** Returns only the cluster: agents call public methods of a consumer for all other values. */
  static Map<String, Object> of(KafkaClient client) {
    return Map.of("cluster", cluster(client));
  }

  /** Returns the cluster with only its id, or an empty cluster while the id is not known. */
  private static Supplier<Cluster> cluster(KafkaClient client) {
    return () -> client.clusterId().map(id -> new Cluster(id, List.of(), List.of(), Set.of(), Set.of()))
        .orElse(Cluster.empty());
  }
}
