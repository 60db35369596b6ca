package dev.decant.kafka.work;

import dev.decant.kafka.consumer.ConsumerRecord;

/**
 * A {@link WorkHandler} that also gets the context of the attempt.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
@FunctionalInterface
public interface WorkContextHandler<K, V> {
  /**
   * Works on a record. It is done when this returns, and has failed if this throws anything.
   *
   * @param record a view, valid until this returns
   * @param context of this attempt, valid as long
   * @throws Exception for any reason; the {@link Retry} decides what follows
   */
  void handle(ConsumerRecord<K, V> record, WorkContext context) throws Exception;
}
