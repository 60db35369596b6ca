package dev.decant.kafka.apache;

import dev.decant.kafka.client.KafkaClient;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.common.Cluster;

/**
 * What agents for tracing read of the private fields of Apache's clients. {@code decant-agent} finds it by reflection,
 * because it is no API, and gives it to objects that a program takes for Apache's.
 */
final class TracedFields {
  private TracedFields() {}

  /** Fields of Apache's producer by their names, and the cluster. */
  static Map<String, Object> of(ProducerOptions options, KafkaClient client) {
    return Map.of("clientId", options.clientId(), "producerConfig", options.config(), "apiVersions", new ApiVersions(),
        "cluster", cluster(client));
  }

  /** Returns the cluster alone: agents ask a consumer's public methods for all else. */
  static Map<String, Object> of(KafkaClient client) {
    return Map.of("cluster", cluster(client));
  }

  /** Returns the cluster with nothing but its id, or an empty one while the id is not known. */
  private static Supplier<Cluster> cluster(KafkaClient client) {
    return () -> client.clusterId().map(id -> new Cluster(id, List.of(), List.of(), Set.of(), Set.of()))
        .orElse(Cluster.empty());
  }
}
