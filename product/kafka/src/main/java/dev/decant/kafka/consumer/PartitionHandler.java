package dev.decant.kafka.consumer;

/**
 * Takes the records of a poll partition by partition, on the polling thread.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
@FunctionalInterface
public interface PartitionHandler<K, V> {
  /**
   * Takes records of one partition, as many as it likes. Called again in the same poll for what comes of another
   * partition, or in another response. If this throws an exception, {@code poll} throws the same and goes on behind the
   * last record that was moved to. If it throws an {@link Error}, the next poll begins with that record. A handler that
   * moves to none, although it did not pause the partition, ends its poll: the next poll asks it again.
   *
   * @param records before the first one, of which there is at least one
   * @throws InterruptedException if the thread was interrupted while this waited, as in a commit
   */
  void onRecords(PartitionRecords<K, V> records) throws InterruptedException;

  /**
   * The position of a partition has moved past offsets that have no records for this consumer, and no record of this
   * poll follows them yet: offsets of transaction markers, of aborted transactions, or of records that compaction has
   * removed. A commit of the new position says that these are done, too. If this throws, {@code poll} throws the same.
   *
   * @param position its topic, partition, position and epoch; {@link PartitionRecords#next} returns false
   * @return whether the poll ends although it has no records; by default it waits for records
   */
  default boolean onPositionAdvanced(PartitionRecords<K, V> position) {
    return false;
  }
}
