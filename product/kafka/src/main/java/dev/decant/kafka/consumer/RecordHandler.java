package dev.decant.kafka.consumer;

/**
 * Takes the records of a poll, one by one, on the polling thread. {@link ConsumerRecordFactory} makes records for unit
 * tests.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
@FunctionalInterface
public interface RecordHandler<K, V> {
  /**
   * Takes a record. If this throws, {@code poll} throws the same and goes on behind this record the next time.
   *
   * @param record a view, valid during the call
   * @throws InterruptedException if the thread was interrupted while this waited, as in a commit
   */
  void onRecord(ConsumerRecord<K, V> record) throws InterruptedException;
}
