package dev.decant.kafka.work;

import dev.decant.kafka.consumer.ConsumerRecord;

/**
 * A handler of a record. Several threads call it at once, never two for the same record.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
@FunctionalInterface
public interface WorkHandler<K, V> {
  /**
   * Works on a record. It is done when this returns, and has failed if this throws anything.
   *
   * @param record a view, valid until this returns; {@link ConsumerRecord#copy} is for keeping
   * @throws Exception for any reason; the {@link Retry} decides what follows
   */
  void handle(ConsumerRecord<K, V> record) throws Exception;
}
