package dev.decant.micrometer;

import dev.decant.kafka.consumer.ConsumerStatus;
import dev.decant.kafka.consumer.ConsumerStatus.PartitionStatus;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Assignments, lags and last polls of the consumers of a client. Two consumers of a group that read the same partition
 * count as one, with the larger lag: a registry has one meter for both.
 */
record ConsumerLags(Map<Partition, Long> byPartition, Map<String, Group> byGroup) {
  /** In place of a group, as a value of its tag. */
  static final String NO_GROUP = "none";
  private static final double NANOS_PER_SECOND = 1e9;

  /** A partition that consumers of a group read. */
  record Partition(String group, String topic, int number) {}

  /** The consumers of a group: their partitions, the largest lag of these, and the longest time without a poll. */
  record Group(int partitions, long maxLag, long nanosSincePoll) {
    Group with(Group other) {
      return new Group(partitions + other.partitions, Math.max(maxLag, other.maxLag),
          Math.max(nanosSincePoll, other.nanosSincePoll));
    }
  }

  static ConsumerLags of(Collection<ConsumerStatus> consumers) {
    Map<Partition, Long> byPartition = new HashMap<>();
    Map<String, Group> byGroup = new HashMap<>();
    for (ConsumerStatus consumer : consumers) {
      String group = consumer.group().isEmpty() ? NO_GROUP : consumer.group();
      byGroup.merge(group, new Group(consumer.partitions().size(), consumer.maxLag(), consumer.nanosSincePoll()),
          Group::with);
      for (PartitionStatus p : consumer.partitions()) {
        byPartition.merge(new Partition(group, p.topic(), p.partition()), p.lag(), Math::max);
      }
    }
    return new ConsumerLags(Map.copyOf(byPartition), Map.copyOf(byGroup));
  }

  /** NaN if it is not known. */
  double lag(Partition partition) {
    return orNaN(byPartition.getOrDefault(partition, ConsumerStatus.UNKNOWN));
  }

  /** NaN if that of no partition is known. */
  double maxLag(String group) {
    Group found = byGroup.get(group);
    return orNaN(found == null ? ConsumerStatus.UNKNOWN : found.maxLag);
  }

  int partitions(String group) {
    Group found = byGroup.get(group);
    return found == null ? 0 : found.partitions;
  }

  /** In seconds; NaN if no consumer has polled yet. */
  double sinceLastPoll(String group) {
    Group found = byGroup.get(group);
    return orNaN(found == null ? ConsumerStatus.UNKNOWN : found.nanosSincePoll) / NANOS_PER_SECOND;
  }

  private static double orNaN(long lag) {
    return lag == ConsumerStatus.UNKNOWN ? Double.NaN : lag;
  }
}
