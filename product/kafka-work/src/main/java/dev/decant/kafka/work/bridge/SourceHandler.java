package dev.decant.kafka.work.bridge;

/**
 * Takes the records of a poll, on the thread that polls.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public interface SourceHandler<K, V> {
  /**
   * Takes records of one partition, as many as it has room for.
   *
   * @param records before the first one
   */
  void onRecords(SourceRecords<K, V> records);

  /**
   * The position has moved past offsets without records for this consumer, such as transaction markers.
   *
   * @param position its topic, partition, position and epoch; it has no records
   */
  void onPositionAdvanced(SourceRecords<K, V> position);
}
