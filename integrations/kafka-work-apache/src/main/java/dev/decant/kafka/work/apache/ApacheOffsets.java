package dev.decant.kafka.work.apache;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Decant's partitions and offsets as Apache's, and back. Stateless. */
final class ApacheOffsets {
  private ApacheOffsets() {}

  static TopicPartition of(dev.decant.kafka.TopicPartition id) {
    return new TopicPartition(id.topic(), id.partition());
  }

  static dev.decant.kafka.TopicPartition decants(TopicPartition id) {
    return new dev.decant.kafka.TopicPartition(id.topic(), id.partition());
  }

  static dev.decant.kafka.OffsetAndMetadata decants(OffsetAndMetadata offset) {
    return new dev.decant.kafka.OffsetAndMetadata(offset.offset(), offset.leaderEpoch().orElse(-1), offset.metadata());
  }

  static Map<TopicPartition, OffsetAndMetadata> of(
      Map<dev.decant.kafka.TopicPartition, dev.decant.kafka.OffsetAndMetadata> offsets) {
    Map<TopicPartition, OffsetAndMetadata> same = new HashMap<>();
    offsets.forEach((id, offset) -> same.put(of(id), new OffsetAndMetadata(offset.offset(),
        offset.leaderEpoch() < 0 ? Optional.empty() : Optional.of(offset.leaderEpoch()), offset.metadata())));
    return same;
  }
}
