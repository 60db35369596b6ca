package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.OffsetAndMetadata;
import java.util.Map;

/** Who asks for committed offsets. Called on the owner of the loop. */
public interface OffsetQuery {
  /**
   * Whether the answer is still wanted.
   *
   * @return false to drop the question
   */
  boolean isWanted();

  /**
   * The answer.
   *
   * @param offsets for each partition that has a committed offset
   */
  void onFound(Map<TopicPartition, OffsetAndMetadata> offsets);

  /**
   * It cannot be answered, and asking again would not help.
   *
   * @param cause why
   */
  void onRefused(KafkaException cause);
}
