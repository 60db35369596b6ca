package dev.decant.opentelemetry;

import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.client.ClientStatus;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.runtime.Severity;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import io.opentelemetry.api.metrics.ObservableMeasurement;
import java.time.Duration;
import java.util.List;

/** Observes how the client stands. Unknown values are not recorded. */
final class StatusObserver {
  private static final double NANOS_PER_SECOND = 1e9;

  private final KafkaClient client;
  private final Attributes attributes;
  private final ObservableLongMeasurement live;
  private final ObservableLongMeasurement clientReady;
  private final ObservableLongMeasurement problems;
  private final ObservableLongMeasurement warnings;
  private final ObservableLongMeasurement ready;
  private final ObservableLongMeasurement pending;
  private final ObservableLongMeasurement memoryUsed;
  private final ObservableLongMeasurement memoryMax;
  private final ObservableDoubleMeasurement metadataAge;

  StatusObserver(Meter meter, ClientAttributes attributes, KafkaClient client) {
    this.client = client;
    this.attributes = attributes.all();
    live = gauge(meter, "live", "1", "1 while the client is open and its event loop runs, else 0");
    clientReady = gauge(meter, "ready", "1",
        "1 while the client is live, knows the cluster and reaches brokers, else 0");
    problems = gauge(meter, "problems", "{problem}", "Current problems; the client's status names them");
    warnings = gauge(meter, "runtime.warnings", "{warning}",
        "Warnings about this JVM; the client's status has their cures");
    ready = gauge(meter, "connections.ready", "{connection}", "Connections on which requests may be sent");
    pending = gauge(meter, "requests.pending", "{request}", "Requests without a response yet");
    memoryUsed = gauge(meter, "fetch.memory.used", "By", "Size of responses that are being received or consumed");
    memoryMax = gauge(meter, "fetch.memory.max", "By", "Bound of the memory for responses");
    metadataAge = meter.gaugeBuilder("decant.kafka.metadata.age").setUnit("s")
        .setDescription("Since the last response with metadata").buildObserver();
  }

  private static long warnings(ClientStatus status) {
    return status.findings().stream().filter(finding -> finding.severity() == Severity.WARNING).count();
  }

  private static ObservableLongMeasurement gauge(Meter meter, String name, String unit, String description) {
    return meter.gaugeBuilder("decant.kafka." + name).ofLongs().setUnit(unit).setDescription(description)
        .buildObserver();
  }

  List<ObservableMeasurement> measurements() {
    return List.of(live, clientReady, problems, warnings, ready, pending, memoryUsed, memoryMax, metadataAge);
  }

  void observe() {
    ClientStatus status = client.status();
    live.record(status.isLive() ? 1 : 0, attributes);
    clientReady.record(status.isReady() ? 1 : 0, attributes);
    problems.record(status.problems().size(), attributes);
    warnings.record(warnings(status), attributes);
    memoryUsed.record(status.fetchMemoryInUse(), attributes);
    memoryMax.record(status.fetchMemory(), attributes);
    if (status.loopResponds()) {
      ready.record(status.connections().stream().filter(ConnectionStatus::ready).count(), attributes);
      pending.record(status.connections().stream().mapToInt(ConnectionStatus::requestsInFlight).sum(),
          attributes);
    }
    Duration age = status.metadataAge();
    if (age != null) {
      metadataAge.record(age.toNanos() / NANOS_PER_SECOND, attributes);
    }
  }
}
