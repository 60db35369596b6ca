package dev.decant.micrometer;

import dev.decant.event.Registration;
import dev.decant.kafka.client.ClientStatus;
import dev.decant.kafka.client.KafkaClient;
import java.util.List;

/** A client's meters in one registry. */
final class Binding {
  private final Meters meters;
  private final List<Registration> watching;

  Binding(Meters meters, KafkaClient client, Recent<ClientStatus> status, Recent<ConsumerLags> lags) {
    this.meters = meters;
    new StatisticCounters(client).bindTo(meters);
    new StatusGauges(status).bindTo(meters);
    ConsumerGauges consumers = new ConsumerGauges(meters, lags);
    TopicCounters topics = new TopicCounters(meters);
    watching = List.of(client.events().watchConsumers(consumers),
        client.events().watchConsumers(new PollCounters(meters)),
        client.events().watchConsumers(topics),
        client.events().watchProducers(topics),
        client.events().watchProducers(new BatchTimer(meters)),
        client.events().watchTransactions(new TransactionTimers(meters)),
        client.events().watchConnections(new ResponseTimers(meters)),
        client.events().watchErrors(new ErrorCounters(meters)));
    consumers.update(); // watched already: no assignment is missed in between
  }

  void close() {
    watching.forEach(Registration::close);
    meters.close();
  }
}
