package dev.decant.micrometer;

import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.client.ClientStatus;
import dev.decant.runtime.Severity;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** How the client stands, read when the registry reads it. NaN is what is not known. Any thread. */
final class StatusGauges {
  private final Recent<ClientStatus> status;

  StatusGauges(Recent<ClientStatus> status) {
    this.status = status;
  }

  void bindTo(Meters meters) {
    meters.make((registry, tags) -> Gauge.builder("decant.kafka.live", () -> live(status.get()))
        .description("1 while the client is open and its event loop runs, else 0").tags(tags).register(registry));
    meters.make((registry, tags) -> Gauge.builder("decant.kafka.ready", () -> status.get().isReady() ? 1 : 0)
        .description("1 while the client is live, knows the cluster and reaches brokers, else 0").tags(tags)
        .register(registry));
    meters.make((registry, tags) -> Gauge.builder("decant.kafka.problems", () -> status.get().problems().size())
        .description("Current problems; the client's status names them").tags(tags).register(registry));
    meters.make((registry, tags) -> Gauge.builder("decant.kafka.runtime.warnings", () -> warnings(status.get()))
        .description("Warnings about this JVM; the client's status has their cures").tags(tags).register(registry));
    meters.make((registry, tags) -> Gauge.builder("decant.kafka.connections.ready", () -> ready(status.get()))
        .description("Connections on which requests may be sent").tags(tags).register(registry));
    meters.make((registry, tags) -> Gauge.builder("decant.kafka.requests.pending", () -> pending(status.get()))
        .description("Requests without a response yet").tags(tags).register(registry));
    meters.make((registry, tags) -> Gauge
        .builder("decant.kafka.fetch.memory.used", () -> status.get().fetchMemoryInUse())
        .description("Size of responses that are being received or consumed").baseUnit("bytes").tags(tags)
        .register(registry));
    meters.make((registry, tags) -> Gauge
        .builder("decant.kafka.fetch.memory.max", () -> status.get().fetchMemory())
        .description("Bound of the memory for responses").baseUnit("bytes").tags(tags).register(registry));
    meters.make((registry, tags) -> TimeGauge
        .builder("decant.kafka.metadata.age", () -> metadataAge(status.get()), TimeUnit.NANOSECONDS)
        .description("Since the last response with metadata; NaN before the first").tags(tags).register(registry));
  }

  private static double live(ClientStatus s) {
    return s.isLive() ? 1 : 0;
  }

  private static double warnings(ClientStatus s) {
    return s.findings().stream().filter(finding -> finding.severity() == Severity.WARNING).count();
  }

  private static double ready(ClientStatus s) {
    return s.loopResponds() ? s.connections().stream().filter(ConnectionStatus::ready).count() : Double.NaN;
  }

  private static double pending(ClientStatus s) {
    return s.loopResponds()
        ? s.connections().stream().mapToInt(ConnectionStatus::requestsInFlight).sum()
        : Double.NaN;
  }

  private static double metadataAge(ClientStatus s) {
    Duration age = s.metadataAge();
    return age == null ? Double.NaN : age.toNanos();
  }
}
