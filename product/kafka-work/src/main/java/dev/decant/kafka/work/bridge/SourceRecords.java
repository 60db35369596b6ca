package dev.decant.kafka.work.bridge;

import dev.decant.kafka.consumer.ConsumerRecord;

/**
 * A cursor over records of one partition that a poll has received. Valid during the call of the handler.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public interface SourceRecords<K, V> {
  /**
   * The topic.
   *
   * @return its name
   */
  String topic();

  /**
   * The partition.
   *
   * @return its number
   */
  int partition();

  /**
   * Moves to the next record. A later poll hands out the records that the handler does not move to.
   *
   * @return false if there is no more for this call
   */
  boolean next();

  /**
   * The record that {@link #next} has moved to.
   *
   * @return a view, valid until the next call of {@link #next}
   */
  ConsumerRecord<K, V> record();

  /** Puts the last record back: a later poll begins with it. There are no more records for this call. */
  void putBack();

  /**
   * The position of the partition.
   *
   * @return the offset behind the record that {@link #next} has moved to
   */
  long position();

  /**
   * The leader epoch of the position.
   *
   * @return the epoch; -1 if it is not known
   */
  int positionEpoch();
}
