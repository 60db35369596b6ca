package dev.decant.kafka.work.bridge;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.RebalanceListener;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the parts of a Kafka client that parallel work needs. The thread that opens the work calls it. Threads of the
 * work call {@link #scan} and {@link #topics}.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public interface WorkBridge<K, V> {
  /**
   * The group and topics of a member.
   *
   * @param group the consumer group
   * @param topics the main topics and the retry topics
   * @param isOrdered whether one member must have the partitions with the same number of all topics
   */
  record Subscription(String group, List<String> topics, boolean isOrdered) {}

  /** Takes the records of a {@link #scan}. */
  @FunctionalInterface
  interface ScanHandler {
    /**
     * Takes a record.
     *
     * @param id its partition
     * @param offset its offset
     * @param key bytes of its key; null if it has none
     */
    void onRecord(TopicPartition id, long offset, byte @Nullable [] key);
  }

  /**
   * Joins a group.
   *
   * @param subscription group and topics
   * @param listener called for rebalances, within polls and the close
   * @return a member that commits nothing by itself
   * @throws IllegalArgumentException if settings of the client contradict the subscription
   * @throws KafkaException if the member cannot be made
   * @throws InterruptedException if the thread was interrupted
   */
  RecordSource<K, V> open(Subscription subscription, RebalanceListener listener) throws InterruptedException;

  /**
   * Makes a sink of copies, without transactions.
   *
   * @param topics that exist
   * @return the sink
   * @throws KafkaException if it cannot be made
   * @throws InterruptedException if the thread was interrupted
   */
  CopySink sink(List<String> topics) throws InterruptedException;

  /**
   * Asks for topics and creates them.
   *
   * @return to be closed
   * @throws KafkaException if it cannot be made
   */
  TopicAccess topics();

  /**
   * Reads partitions up to the ends that they have now.
   *
   * @param from the first offset of each partition; -1 for its beginning
   * @param handler takes the records, on this thread
   * @return the end of each partition
   * @throws KafkaException if the brokers do not respond
   * @throws InterruptedException if the thread was interrupted
   */
  Map<TopicPartition, Long> scan(Map<TopicPartition, Long> from, ScanHandler handler) throws InterruptedException;
}
