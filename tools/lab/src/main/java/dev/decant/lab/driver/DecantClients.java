package dev.decant.lab.driver;

import dev.decant.kafka.KafkaClient;

/** How every work opens a client of Decant's. */
final class DecantClients {
  private DecantClients() {}

  /** Settings of the work, and of its client config. */
  static KafkaClient.Builder builder(WorkSpec spec) {
    return spec.access().clientConfig().isEmpty()
        ? KafkaClient.builder(spec.bootstrap()) // each build of Decant has this one
        : KafkaClient.builder(spec.clientSettings());
  }
}
