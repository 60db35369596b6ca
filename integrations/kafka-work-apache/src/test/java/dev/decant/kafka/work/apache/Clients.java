package dev.decant.kafka.work.apache;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import java.util.HashMap;
import java.util.Map;

/** The clients that the tests run with. */
enum Clients {
  APACHE_CLASSIC(false, "classic"), APACHE_CONSUMER(false, "consumer"), DECANT_CLASSIC(true, "classic"), DECANT_CONSUMER(
      true, "consumer");

  private final boolean isDecant;
  private final String protocol;

  Clients(boolean isDecant, String protocol) {
    this.isDecant = isDecant;
    this.protocol = protocol;
  }

  ApacheClients at(String bootstrap) {
    return at(bootstrap, Map.of());
  }

  ApacheClients at(String bootstrap, Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", bootstrap, "group.protocol", protocol));
    settings.putAll(more);
    ApacheClients clients = ApacheClients.of(settings);
    return isDecant ? clients.consumers(DecantConsumer::new).producers(DecantProducer::new) : clients;
  }
}
