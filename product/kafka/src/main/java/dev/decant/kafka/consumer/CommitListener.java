package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Listens to the end of a commit. Called once for each commit, in the order of the commits, by the polling thread
 * within poll or close. A closed consumer refuses a commit at once, on the calling thread.
 */
@FunctionalInterface
public interface CommitListener {
  /**
   * Called after the commit has ended.
   *
   * @param offsets the offsets of the commit
   * @param error null if all of them are stored
   */
  void onCommitted(Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable KafkaException error);
}
