package dev.decant.kafka.work.apache;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import dev.decant.kafka.consumer.GroupProtocol;
import java.util.HashMap;
import java.util.Map;

/** The clients that the tests run with. */
enum Clients {
  APACHE_CLASSIC(false, "classic", Map.of()),
  APACHE_COOPERATIVE(false, "classic", Map.of("partition.assignment.strategy",
      "org.apache.kafka.clients.consumer.CooperativeStickyAssignor")),
  APACHE_CONSUMER(false, "consumer", Map.of()),
  DECANT_CLASSIC(true, "classic", Map.of()),
  DECANT_CONSUMER(true, "consumer", Map.of());

  private final boolean isDecant;
  private final String protocol;
  @SuppressWarnings("ImmutableEnumChecker") // Map.of
  private final Map<String, Object> own;

  Clients(boolean isDecant, String protocol, Map<String, Object> own) {
    this.isDecant = isDecant;
    this.protocol = protocol;
    this.own = own;
  }

  GroupProtocol protocol() {
    return protocol.equals("classic") ? GroupProtocol.CLASSIC : GroupProtocol.CONSUMER;
  }

  ApacheClients at(String bootstrap) {
    return at(bootstrap, Map.of());
  }

  ApacheClients at(String bootstrap, Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", bootstrap, "group.protocol", protocol));
    if (protocol.equals("classic")) {
      settings.put("heartbeat.interval.ms", 100); // else a member hears of a rebalance after 3 s
    }
    settings.putAll(own);
    settings.putAll(more);
    ApacheClients clients = ApacheClients.of(settings);
    return isDecant ? clients.consumers(DecantConsumer::new).producers(DecantProducer::new) : clients;
  }
}
