package dev.decant.kafka.work.bridge;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.CommitListener;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * A member of a consumer group, as parallel work uses it. One thread calls all methods but {@link #wakeup}. It calls
 * the
 * listener of rebalances within {@link #poll} and {@link #close}.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public interface RecordSource<K, V> extends AutoCloseable {
  /**
   * Waits for records and hands them out. A wake-up ends the wait, and nothing else.
   *
   * @param timeout to wait at most; zero to wait for nothing
   * @param handler takes the records
   * @throws KafkaException if a broker or the group has refused something
   * @throws InterruptedException if the thread was interrupted
   */
  void poll(Duration timeout, SourceHandler<K, V> handler) throws InterruptedException;

  /** Ends a poll that waits, or the next one. Any thread. */
  void wakeup();

  /**
   * Hands out no records of a partition until it is resumed.
   *
   * @param topic the topic
   * @param partition an assigned partition
   */
  void pause(String topic, int partition);

  /**
   * Ends what {@link #pause} began.
   *
   * @param topic the topic
   * @param partition an assigned partition
   */
  void resume(String topic, int partition);

  /**
   * Sets the position of a partition.
   *
   * @param topic the topic
   * @param partition an assigned partition
   * @param offset of the record that is handed out next
   */
  void seek(String topic, int partition, long offset);

  /**
   * Sets the positions of partitions to their first records.
   *
   * @param partitions assigned partitions
   */
  void seekToBeginning(List<TopicPartition> partitions);

  /**
   * Reads what the group has committed.
   *
   * @param partitions to ask for
   * @param timeout to wait at most
   * @return offsets of the partitions for which one is committed
   * @throws KafkaException if the coordinator has refused or not responded
   * @throws InterruptedException if the thread was interrupted
   */
  Map<TopicPartition, OffsetAndMetadata> committed(Collection<TopicPartition> partitions, Duration timeout)
      throws InterruptedException;

  /**
   * Commits without waiting.
   *
   * @param offsets to commit
   * @param listener called with the end in a later poll, or at once
   */
  void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, CommitListener listener);

  /**
   * Commits and waits for the response.
   *
   * @param offsets to commit
   * @param timeout to wait at most
   * @throws KafkaException if the offsets were not committed
   * @throws InterruptedException if the thread was interrupted
   */
  void commit(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) throws InterruptedException;

  /**
   * The number of records between the last one that was handed out and the end of a partition.
   *
   * @param topic the topic
   * @param partition an assigned partition
   * @return records; -1 if that is not known
   */
  long currentLag(String topic, int partition);

  /**
   * This member, for a transaction that commits its offsets.
   *
   * @return the group and the member
   */
  GroupMetadata groupMetadata();

  /** Leaves the group, without a commit. */
  @Override
  void close();
}
