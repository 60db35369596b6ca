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
   * Takes a record. If this throws an exception, {@code poll} throws the same, and the next poll continues behind this
   * record. If it throws an {@link Error}, such as an {@link OutOfMemoryError} of a decoder, the next poll begins with
   * this record.
   *
   * @param record a view, valid during the call
   * @throws InterruptedException if the thread was interrupted while this waited, as in a commit
   */
  void onRecord(ConsumerRecord<K, V> record) throws InterruptedException;
}
