package dev.decant.lab.driver;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.KafkaClientBuilder;

/** Opens Decant's client for every work in the same way. */
final class DecantClients {
  private DecantClients() {}

  /** Returns a builder with the settings of the work and of its client config. */
  static KafkaClientBuilder builder(WorkSpec spec) {
    return spec.access().clientConfig().isEmpty()
        ? KafkaClient.builder(spec.bootstrap()) // the builder's other entry, which programs without a client config use
        : KafkaClient.builder(spec.clientSettings());
  }
}
