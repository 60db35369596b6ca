package dev.decant.kafka.group;

import dev.decant.kafka.assignor.Assignor;
import java.util.List;

/**
 * Settings of a member that only the classic protocol uses.
 *
 * @param assignors by preference; at least one
 * @param sessionTimeoutMillis Kafka's {@code session.timeout.ms}
 * @param heartbeatIntervalMillis Kafka's {@code heartbeat.interval.ms}
 * @param metadataMaxAgeMillis interval of requests for topics that have appeared or grown
 */
public record ClassicSettings(List<Assignor> assignors, int sessionTimeoutMillis, int heartbeatIntervalMillis,
    int metadataMaxAgeMillis) {
  /** Copies the list. */
  public ClassicSettings {
    assignors = List.copyOf(assignors);
  }

  /** Returns true if members keep partitions during a rebalance: only if every assignor is cooperative. */
  boolean isCooperative() {
    return assignors.stream().allMatch(a -> a.kind() == Assignor.Kind.COOPERATIVE);
  }
}
