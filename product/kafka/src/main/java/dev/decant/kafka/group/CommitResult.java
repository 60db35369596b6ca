package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import org.jspecify.annotations.Nullable;

/** Hears how a commit ended, once, on the owner of the loop. */
@FunctionalInterface
public interface CommitResult {
  /**
   * It has ended.
   *
   * @param error null if the broker has stored all of it
   */
  void onCommitted(@Nullable KafkaException error);
}
