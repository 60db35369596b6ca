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
   * Takes any number of records of one partition. Called again in the same poll for another partition or another
   * response. If this throws an exception, {@code poll} throws the same, and continues behind the last record that was
   * moved to. If it throws an {@link Error}, the next poll begins with that record.
   *
   * <p>If the handler takes no record of a partition that is not paused, its poll ends, and the next poll calls it
   * again.
   *
   * @param records before the first record; there is at least one
   * @throws InterruptedException if the thread was interrupted while this waited, as in a commit
   */
  void onRecords(PartitionRecords<K, V> records) throws InterruptedException;

  /**
   * Called after a position has moved past offsets without records for this consumer, when no record of this poll
   * follows yet. These are offsets of transaction markers, of aborted transactions, or of records that compaction has
   * removed. A commit of the new position marks them as done. Kafka Streams needs this: without it, it commits the
   * offset before the last marker of its input. If this throws, {@code poll} throws the same.
   *
   * @param position topic, partition, position and epoch; {@link PartitionRecords#next} returns false
   * @return true if the poll ends without records; by default it waits for records
   */
  default boolean onPositionAdvanced(PartitionRecords<K, V> position) {
    return false;
  }
}
