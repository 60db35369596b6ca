package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import java.util.Map;

/** Takes the result of a lookup of committed offsets. Called on the owner of the loop. */
public interface OffsetFetchListener {
  /** Returns true if the offsets are still wanted; false drops the lookup. */
  boolean isWanted();

  /** Takes the offsets; a partition without a committed offset is missing. */
  void onFound(Map<TopicPartition, OffsetAndMetadata> offsets);

  /** Takes a refusal that retries do not cure. */
  void onRefused(KafkaException cause);
}
