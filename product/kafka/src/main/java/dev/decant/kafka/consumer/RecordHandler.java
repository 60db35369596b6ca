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
   * Takes a record. If this throws an exception, {@code poll} throws the same and goes on behind this record the next
   * time. If it throws an {@link Error}, perhaps since there is no memory to decode the record, the next poll begins
   * with this record.
   *
   * @param record a view, valid during the call
   * @throws InterruptedException if the thread was interrupted while this waited, as in a commit
   */
  void onRecord(ConsumerRecord<K, V> record) throws InterruptedException;
}
