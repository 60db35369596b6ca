package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import java.util.Map;

/** Takes the committed offsets that were asked for. Called on the owner of the loop. */
public interface OffsetFetchListener {
  /**
   * Whether the offsets are still wanted.
   *
   * @return false to drop the question
   */
  boolean isWanted();

  /**
   * The offsets have come.
   *
   * @param offsets for each partition that has a committed offset
   */
  void onFound(Map<TopicPartition, OffsetAndMetadata> offsets);

  /**
   * The coordinator refuses them, and another request would not help.
   *
   * @param cause why
   */
  void onRefused(KafkaException cause);
}
