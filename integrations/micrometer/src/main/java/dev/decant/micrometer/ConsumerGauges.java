package dev.decant.micrometer;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.event.ConsumerListener;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Gauges of what consumers read, under the names of Micrometer's binder for Apache's client. That binder sets no base
 * units, and a registry for Prometheus would append one to the name. The gauges come and go with the partitions: the
 * polling thread makes and removes them at a rebalance. Any thread.
 */
final class ConsumerGauges implements ConsumerListener {
  private final Meters meters;
  private final Recent<ConsumerLags> lags;
  // Under the monitor of this.
  private final Map<ConsumerLags.Partition, List<Meter>> byPartition = new HashMap<>();
  private final Map<String, List<Meter>> byGroup = new HashMap<>();

  ConsumerGauges(Meters meters, Recent<ConsumerLags> lags) {
    this.meters = meters;
    this.lags = lags;
  }

  @Override
  public void onAssignmentChanged(String group, List<TopicPartition> partitions) {
    update();
  }

  /** Makes the gauges that are missing, and removes those of what nobody reads any more. */
  synchronized void update() {
    ConsumerLags now = lags.refresh();
    adjust(byPartition, now.byPartition().keySet(), this::ofPartition);
    adjust(byGroup, now.byGroup().keySet(), this::ofGroup);
  }

  private <K> void adjust(Map<K, List<Meter>> made, Set<K> wanted, Function<K, List<Meter>> make) {
    made.entrySet().removeIf(entry -> {
      boolean gone = !wanted.contains(entry.getKey());
      if (gone) {
        entry.getValue().forEach(meters::remove);
      }
      return gone;
    });
    wanted.forEach(key -> made.computeIfAbsent(key, make));
  }

  private List<Meter> ofPartition(ConsumerLags.Partition partition) {
    Tags own = Tags.of("group.id", partition.group(), "topic", partition.topic(), "partition",
        Integer.toString(partition.number()));
    return meters.makeAll((registry, tags) -> Gauge
        .builder("kafka.consumer.fetch.manager.records.lag", () -> lags.get().lag(partition))
        .description("Offsets between the position and the end of the partition").tags(tags.and(own))
        .register(registry));
  }

  private List<Meter> ofGroup(String group) {
    Tags own = Tags.of("group.id", group);
    return meters.makeAll((registry, tags) -> Gauge
        .builder("kafka.consumer.fetch.manager.records.lag.max", () -> lags.get().maxLag(group))
        .description("The largest lag of a partition").tags(tags.and(own)).register(registry),
        (registry, tags) -> Gauge
            .builder("kafka.consumer.coordinator.assigned.partitions", () -> lags.get().partitions(group))
            .description("Partitions that are read").tags(tags.and(own)).register(registry),
        (registry, tags) -> Gauge
            .builder("kafka.consumer.last.poll.seconds.ago", () -> lags.get().sinceLastPoll(group))
            .description("Since the last call of poll, of the consumer that has not polled for longest")
            .tags(tags.and(own)).register(registry));
  }
}
