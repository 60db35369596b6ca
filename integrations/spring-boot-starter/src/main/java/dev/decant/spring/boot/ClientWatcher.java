package dev.decant.spring.boot;

import dev.decant.kafka.client.KafkaClient;

/** Is told of each native client that is a bean. */
interface ClientWatcher {
  void opened(String name, KafkaClient client);
}
