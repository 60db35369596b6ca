package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import org.jspecify.annotations.Nullable;

/** Listens to the end of a commit. Called once, on the owner of the loop. */
@FunctionalInterface
public interface CommitResult {
  /**
   * Called after the commit has ended.
   *
   * @param error null if the broker has stored all offsets
   */
  void onCommitted(@Nullable KafkaException error);
}
