package dev.decant.lab.driver;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.KafkaClientBuilder;

/** How every work opens a client of Decant's. */
final class DecantClients {
  private DecantClients() {}

  /** Settings of the work, and of its client config. */
  static KafkaClientBuilder builder(WorkSpec spec) {
    return spec.access().clientConfig().isEmpty()
        ? KafkaClient.builder(spec.bootstrap()) // as a program without a client config does
        : KafkaClient.builder(spec.clientSettings());
  }
}
