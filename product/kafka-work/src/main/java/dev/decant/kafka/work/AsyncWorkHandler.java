package dev.decant.kafka.work;

import dev.decant.kafka.consumer.ConsumerRecord;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A handler that begins to work on a record, and whose work ends on any thread. One thread at a time calls it.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
@FunctionalInterface
public interface AsyncWorkHandler<K, V> {
  /**
   * Begins to work on a record. It counts as under way until the stage is complete, and has failed if that is so
   * exceptionally.
   *
   * @param record a view, valid until the stage is complete
   * @param context of this attempt, valid as long
   * @return the end of the work; null for one that has ended already
   * @throws Exception for any reason: the attempt has failed
   */
  @Nullable
  CompletionStage<?> begin(ConsumerRecord<K, V> record, WorkContext context) throws Exception;
}
