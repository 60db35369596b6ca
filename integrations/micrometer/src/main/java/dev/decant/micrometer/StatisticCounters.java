package dev.decant.micrometer;

import dev.decant.kafka.Statistic;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.KafkaStatistics;
import io.micrometer.core.instrument.FunctionCounter;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A counter for each statistic, read when the registry reads it. The meters hold the client weakly, as Micrometer does
 * it, and the client lives as long as its loop does. Any thread.
 */
final class StatisticCounters {
  private record Description(String name, String text, @Nullable String unit) {}

  /** Errors are left to {@link ErrorCounters}, which tells their kinds apart. */
  private static final Map<Statistic, Description> DESCRIPTIONS = descriptions();

  private final KafkaClient client;

  StatisticCounters(KafkaClient client) {
    this.client = client;
  }

  private static Map<Statistic, Description> descriptions() {
    Map<Statistic, Description> all = new EnumMap<>(Statistic.class);
    put(all, Statistic.CONNECTIONS_READY, "decant.kafka.connections.opened", "Connections that became ready", null);
    put(all, Statistic.CONNECTIONS_ENDED, "decant.kafka.connections.ended",
        "Connections and attempts that failed", null);
    put(all, Statistic.CONNECTIONS_CLOSED, "decant.kafka.connections.closed", "Connections closed without an error",
        null);
    put(all, Statistic.RESPONSES, "decant.kafka.responses", "Requests with a response", null);
    put(all, Statistic.BYTES_RECEIVED, "decant.kafka.received", "Size of responses", "bytes");
    put(all, Statistic.THROTTLED_MILLIS, "decant.kafka.throttled", "How long brokers have throttled the client",
        "milliseconds");
    put(all, Statistic.BATCHES_SENT, "decant.kafka.batches.sent", "Batches sent, repeats included", null);
    put(all, Statistic.BATCH_BYTES_SENT, "decant.kafka.sent", "Size of batches sent, repeats included", "bytes");
    put(all, Statistic.BATCHES_RETRIED, "decant.kafka.batches.retried", "Batches that have to be sent again", null);
    put(all, Statistic.RECORDS_ACKNOWLEDGED, "decant.kafka.records.acknowledged", "Records that are stored", null);
    put(all, Statistic.RECORDS_FAILED, "decant.kafka.records.failed", "Records that failed", null);
    put(all, Statistic.MEMORY_EXHAUSTED, "decant.kafka.producer.memory.exhausted", "How often a sender found no memory",
        null);
    put(all, Statistic.FETCHES, "decant.kafka.fetches", "Fetches with a response", null);
    put(all, Statistic.RECORDS_CONSUMED, "decant.kafka.records.consumed", "Records delivered by poll", null);
    put(all, Statistic.RECORDS_SKIPPED, "decant.kafka.records.skipped",
        "Undecodable records that were skipped", null);
    put(all, Statistic.REBALANCES, "kafka.consumer.coordinator.rebalance.total", "Rebalances completed", null);
    put(all, Statistic.REBALANCE_MILLIS, "kafka.consumer.coordinator.rebalance.latency.total",
        "How long completed rebalances took, in milliseconds", null);
    put(all, Statistic.REBALANCES_FAILED, "kafka.consumer.coordinator.failed.rebalance.total",
        "Rebalances in which the group removed or refused the member", null);
    put(all, Statistic.METADATA_UPDATES, "decant.kafka.metadata.updates", "Responses with new metadata", null);
    return all;
  }

  private static void put(Map<Statistic, Description> all, Statistic statistic, String name, String text,
      @Nullable String unit) {
    all.put(statistic, new Description(name, text, unit));
  }

  void bindTo(Meters meters) {
    DESCRIPTIONS.forEach((statistic, description) -> {
      KafkaStatistics copy = new KafkaStatistics();
      meters.make((registry, tags) -> FunctionCounter
          .builder(description.name, client, c -> read(c, copy, statistic))
          .description(description.text).baseUnit(description.unit).tags(tags).register(registry));
    });
  }

  private static double read(KafkaClient client, KafkaStatistics copy, Statistic statistic) {
    synchronized (copy) {
      client.statistics(copy);
      return copy.value(statistic);
    }
  }
}
