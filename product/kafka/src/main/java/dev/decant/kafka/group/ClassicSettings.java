package dev.decant.kafka.group;

import dev.decant.kafka.assignor.Assignor;
import java.util.List;

/**
 * What only a member under the classic protocol says or does.
 *
 * @param assignors by preference; at least one
 * @param sessionTimeoutMillis Kafka's {@code session.timeout.ms}
 * @param heartbeatIntervalMillis Kafka's {@code heartbeat.interval.ms}
 * @param metadataMaxAgeMillis how often to look for topics that have appeared or grown
 */
public record ClassicSettings(List<Assignor> assignors, int sessionTimeoutMillis, int heartbeatIntervalMillis,
    int metadataMaxAgeMillis) {
  /** Copies the list. */
  public ClassicSettings {
    assignors = List.copyOf(assignors);
  }

  /** Whether partitions are kept while the group rebalances: only if every assignor is for that. */
  boolean isCooperative() {
    return assignors.stream().allMatch(a -> a.kind() == Assignor.Kind.COOPERATIVE);
  }
}
