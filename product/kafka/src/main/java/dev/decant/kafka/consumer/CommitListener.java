package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Hears how a commit ended, once: on the polling thread, within poll or close. Listeners hear in the order of the
 * commits. A commit of a closed consumer is refused at once, on the calling thread.
 */
@FunctionalInterface
public interface CommitListener {
  /**
   * The commit has ended.
   *
   * @param offsets what was to be committed
   * @param error null if all of it is stored
   */
  void onCommitted(Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable KafkaException error);
}
