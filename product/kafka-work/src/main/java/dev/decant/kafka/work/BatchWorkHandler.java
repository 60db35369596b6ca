package dev.decant.kafka.work;

import dev.decant.kafka.consumer.ConsumerRecord;
import java.util.List;

/**
 * A handler of several records at once. Several threads call it at once, never two for the same record.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
@FunctionalInterface
public interface BatchWorkHandler<K, V> {
  /**
   * Works on records. All are done when this returns; if it throws anything, the attempt has failed for each of them.
   *
   * @param records one or more; those that wait for each other are in the order of their offsets. The list
   *     and its views are valid until this returns
   * @throws Exception for any reason; the {@link Retry} decides what follows
   */
  void handle(List<ConsumerRecord<K, V>> records) throws Exception;
}
