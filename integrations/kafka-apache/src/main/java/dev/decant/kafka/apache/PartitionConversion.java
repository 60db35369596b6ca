package dev.decant.kafka.apache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;

/** Converts partitions and offsets between Decant's and Apache's classes. Stateless. */
final class PartitionConversion {
  private static final int NO_EPOCH = -1;
  private static final Comparator<TopicPartition> ORDER = Comparator.comparing(TopicPartition::topic)
      .thenComparingInt(TopicPartition::partition);

  private PartitionConversion() {}

  static dev.decant.kafka.TopicPartition decant(TopicPartition p) {
    return new dev.decant.kafka.TopicPartition(p.topic(), p.partition());
  }

  static TopicPartition apache(dev.decant.kafka.TopicPartition p) {
    return new TopicPartition(p.topic(), p.partition());
  }

  static List<dev.decant.kafka.TopicPartition> decant(Collection<TopicPartition> partitions) {
    List<dev.decant.kafka.TopicPartition> converted = new ArrayList<>(partitions.size());
    partitions.forEach(p -> converted.add(decant(p)));
    return converted;
  }

  /** Returns Apache's partitions in the order in which Apache's consumer passes them to listeners. */
  static Set<TopicPartition> apache(Collection<dev.decant.kafka.TopicPartition> partitions) {
    Set<TopicPartition> converted = new LinkedHashSet<>();
    partitions.stream().map(PartitionConversion::apache).sorted(ORDER).forEach(converted::add);
    return converted;
  }

  static dev.decant.kafka.OffsetAndMetadata decant(OffsetAndMetadata offset) {
    try {
      return new dev.decant.kafka.OffsetAndMetadata(offset.offset(), offset.leaderEpoch().orElse(NO_EPOCH),
          offset.metadata());
    } catch (IllegalArgumentException e) { // only the metadata can be refused: the offset was checked before
      throw new OffsetMetadataTooLarge(e.getMessage(), e);
    }
  }

  static OffsetAndMetadata apache(dev.decant.kafka.OffsetAndMetadata offset) {
    return new OffsetAndMetadata(offset.offset(), epoch(offset.leaderEpoch()), offset.metadata());
  }

  static Map<dev.decant.kafka.TopicPartition, dev.decant.kafka.OffsetAndMetadata> decant(
      Map<TopicPartition, OffsetAndMetadata> offsets) {
    Map<dev.decant.kafka.TopicPartition, dev.decant.kafka.OffsetAndMetadata> converted = new LinkedHashMap<>();
    offsets.forEach((p, offset) -> converted.put(decant(p), decant(offset)));
    return converted;
  }

  static Map<TopicPartition, OffsetAndMetadata> apache(
      Map<dev.decant.kafka.TopicPartition, dev.decant.kafka.OffsetAndMetadata> offsets) {
    Map<TopicPartition, OffsetAndMetadata> converted = new HashMap<>();
    offsets.forEach((p, offset) -> converted.put(apache(p), apache(offset)));
    return converted;
  }

  /** Returns a map with null for each partition, which in Apache's interface stands for a missing value. */
  @SuppressWarnings("NullAway") // Apache's types do not declare null values
  static <T> Map<TopicPartition, T> withoutValues(Collection<TopicPartition> partitions) {
    Map<TopicPartition, T> all = new HashMap<>();
    partitions.forEach(p -> all.put(p, null));
    return all;
  }

  static OffsetAndTimestamp apache(dev.decant.kafka.consumer.OffsetAndTimestamp found) {
    return new OffsetAndTimestamp(found.offset(), found.timestamp(), epoch(found.leaderEpoch()));
  }

  static Optional<Integer> epoch(int epoch) {
    return epoch == NO_EPOCH ? Optional.empty() : Optional.of(epoch);
  }

  static List<PartitionInfo> infos(List<dev.decant.kafka.PartitionInfo> partitions) {
    List<PartitionInfo> infos = new ArrayList<>(partitions.size());
    for (dev.decant.kafka.PartitionInfo p : partitions) {
      dev.decant.kafka.Broker leader = p.leader();
      infos.add(new PartitionInfo(p.topic(), p.partition(), leader == null ? null : node(leader), nodes(p.replicas()),
          nodes(p.inSync()), nodes(p.offline())));
    }
    return infos;
  }

  private static Node[] nodes(List<dev.decant.kafka.Broker> brokers) {
    return brokers.stream().map(PartitionConversion::node).toArray(Node[]::new);
  }

  private static Node node(dev.decant.kafka.Broker broker) {
    return new Node(broker.id(), broker.host(), broker.port(), broker.rack());
  }
}
