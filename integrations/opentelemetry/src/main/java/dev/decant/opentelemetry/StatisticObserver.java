package dev.decant.opentelemetry;

import dev.decant.kafka.Statistic;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.KafkaStatistics;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import io.opentelemetry.api.metrics.ObservableMeasurement;
import java.util.ArrayList;
import java.util.List;

/** Observes what the client counts. Errors are left to {@link ErrorCount}, which tells their kinds apart. */
final class StatisticObserver {
  private record Counter(Statistic statistic, ObservableLongMeasurement measurement, Attributes attributes) {}

  private final Meter meter;
  private final ClientAttributes attributes;
  private final KafkaClient client;
  private final List<Counter> counters = new ArrayList<>();
  // Under the monitor of this.
  private final KafkaStatistics statistics = new KafkaStatistics();

  StatisticObserver(Meter meter, ClientAttributes attributes, KafkaClient client) {
    this.meter = meter;
    this.attributes = attributes;
    this.client = client;
    addMessages();
    add(Statistic.CONNECTIONS_READY, "connections.opened", "{connection}", "Connections that became ready");
    add(Statistic.CONNECTIONS_ENDED, "connections.ended", "{connection}", "Connections and attempts that failed");
    add(Statistic.CONNECTIONS_CLOSED, "connections.closed", "{connection}", "Connections closed without an error");
    add(Statistic.RESPONSES, "responses", "{response}", "Requests with a response");
    add(Statistic.BYTES_RECEIVED, "received", "By", "Size of responses");
    add(Statistic.THROTTLED_MILLIS, "throttled", "ms", "How long brokers have throttled the client");
    add(Statistic.BATCHES_SENT, "batches.sent", "{batch}", "Batches sent, repeats included");
    add(Statistic.BATCH_BYTES_SENT, "sent", "By", "Size of batches sent, repeats included");
    add(Statistic.BATCHES_RETRIED, "batches.retried", "{batch}", "Batches that have to be sent again");
    add(Statistic.MEMORY_EXHAUSTED, "producer.memory.exhausted", "{time}", "How often a sender found no memory");
    add(Statistic.FETCHES, "fetches", "{fetch}", "Fetches with a response");
    add(Statistic.RECORDS_SKIPPED, "records.skipped", "{record}", "Undecodable records that were skipped");
    addRebalances(Statistic.REBALANCES, "rebalance_total", "{rebalance}", "Rebalances completed");
    addRebalances(Statistic.REBALANCE_MILLIS, "rebalance_latency_total", "ms", "How long completed rebalances took");
    addRebalances(Statistic.REBALANCES_FAILED, "failed_rebalance_total", "{rebalance}",
        "Rebalances in which the group removed or refused the member");
    add(Statistic.METADATA_UPDATES, "metadata.updates", "{update}", "Responses with new metadata");
  }

  private void addMessages() {
    ObservableLongMeasurement sent = counter("messaging.client.sent.messages", "{message}",
        "Messages that are stored, or that failed if they have an error type");
    Attributes send = attributes.operation("send", "send");
    counters.add(new Counter(Statistic.RECORDS_ACKNOWLEDGED, sent, send));
    counters.add(new Counter(Statistic.RECORDS_FAILED, sent,
        send.toBuilder().put(ClientAttributes.ERROR_TYPE, "_OTHER").build()));
    counters.add(new Counter(Statistic.RECORDS_CONSUMED,
        counter("messaging.client.consumed.messages", "{message}", "Messages delivered by poll"),
        attributes.operation("poll", "receive")));
  }

  private void add(Statistic statistic, String name, String unit, String description) {
    counters.add(new Counter(statistic, counter("decant.kafka." + name, unit, description), attributes.all()));
  }

  /** Under the names of OpenTelemetry's instrumentation of Apache's client. */
  private void addRebalances(Statistic statistic, String name, String unit, String description) {
    counters.add(new Counter(statistic, counter("kafka.consumer." + name, unit, description), attributes.all()));
  }

  private ObservableLongMeasurement counter(String name, String unit, String description) {
    return meter.counterBuilder(name).setUnit(unit).setDescription(description).buildObserver();
  }

  List<ObservableMeasurement> measurements() {
    return counters.stream().<ObservableMeasurement>map(Counter::measurement).distinct().toList();
  }

  synchronized void observe() {
    client.statistics(statistics);
    for (Counter counter : counters) {
      counter.measurement.record(statistics.value(counter.statistic), counter.attributes);
    }
  }
}
