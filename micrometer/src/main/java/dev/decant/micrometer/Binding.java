package dev.decant.micrometer;

import dev.decant.event.Registration;
import dev.decant.kafka.KafkaClient;
import java.util.List;

/** A client's meters in one registry. */
final class Binding {
  private final Meters meters;
  private final List<Registration> watching;

  Binding(Meters meters, KafkaClient client, RecentStatus status) {
    this.meters = meters;
    new StatisticCounters(client).bindTo(meters);
    new StatusGauges(status).bindTo(meters);
    watching = List.of(client.events().watchProducers(new BatchTimer(meters)),
        client.events().watchConnections(new ResponseTimers(meters)),
        client.events().watchErrors(new ErrorCounters(meters)));
  }

  void close() {
    watching.forEach(Registration::close);
    meters.close();
  }
}
