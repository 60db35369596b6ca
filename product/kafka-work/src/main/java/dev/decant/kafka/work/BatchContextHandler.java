package dev.decant.kafka.work;

import dev.decant.kafka.consumer.ConsumerRecord;
import java.util.List;

/**
 * A {@link BatchWorkHandler} that also gets the context of each record, to produce results or to read the attempt.
 * Several threads call it at once, never two for the same record.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
@FunctionalInterface
public interface BatchContextHandler<K, V> {
  /**
   * Works on records. All are done when this returns; if it throws anything, the attempt has failed for each of them,
   * and the results of all are dropped.
   *
   * <p>A result belongs to the record whose context produces it, and is committed with that record. The records of a
   * batch may be committed in different transactions, so a result must follow from its record alone. A sum over a batch
   * would count a record twice after a restart.
   *
   * @param records one or more; those that wait for each other are in the order of their offsets. The list
   *     and its views are valid until this returns
   * @param contexts one for each record, in the same places; valid as long
   * @throws Exception for any reason; the {@link Retry} decides what follows
   */
  void handle(List<ConsumerRecord<K, V>> records, List<WorkContext> contexts) throws Exception;
}
