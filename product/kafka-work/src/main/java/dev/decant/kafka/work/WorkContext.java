package dev.decant.kafka.work;

import dev.decant.kafka.producer.SendOptions;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to work on a record. It is valid until the attempt has ended. Any thread may read it. The thread that runs
 * the handler produces results; for an asynchronous handler any thread may, until its stage is complete.
 */
public interface WorkContext {
  /**
   * The number of this attempt. Attempts before a retry topic count.
   *
   * @return 1 for the first
   */
  int attempt();

  /**
   * Tells whether the result is of no use any more: the partition was lost to another member, or the work is being
   * closed and its time is over. A thread of the work is interrupted, too.
   *
   * @return true if the handler should end
   */
  boolean isCancelled();

  /**
   * Produces a result, in the transaction that commits the record. Key and value are encoded before this returns. The
   * result is sent once the handler has ended well; a failed attempt drops its results. It does not wait.
   *
   * @param <K> type of the key
   * @param <V> type of the value
   * @param topic where the result goes
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @throws IllegalStateException if the work has no transactions ({@link WorkBuilder#exactlyOnce}), the attempt has
   *     ended, another thread runs the handler, or the results of the record exceed
   *     {@link WorkBuilder#maxBytesUnderWay}
   */
  default <K, V> void produce(ResultTopic<K, V> topic, @Nullable K key, @Nullable V value) {
    produce(topic, key, value, null);
  }

  /**
   * Produces a result with headers, or to a partition or with a timestamp of the caller's choice.
   *
   * @param <K> type of the key
   * @param <V> type of the value
   * @param topic where the result goes
   * @param key decides the partition; null to let the producer choose
   * @param value may be null
   * @param options headers, partition, timestamp, copied before this returns; null for none
   * @throws IllegalStateException as {@link #produce(ResultTopic, Object, Object)}
   */
  <K, V> void produce(ResultTopic<K, V> topic, @Nullable K key, @Nullable V value, @Nullable SendOptions options);

  /**
   * Produces a result of bytes.
   *
   * @param topic the name of the topic where the result goes
   * @param key decides the partition, copied before this returns; null to let the producer choose
   * @param value copied before this returns; may be null
   * @param options headers, partition, timestamp, copied before this returns; null for none
   * @throws IllegalArgumentException if a topic cannot have this name
   * @throws IllegalStateException as {@link #produce(ResultTopic, Object, Object)}
   */
  void produce(String topic, byte @Nullable [] key, byte @Nullable [] value, @Nullable SendOptions options);

  /**
   * Where the record was read first. A record of a retry topic came from a main topic; any other record is its own
   * origin.
   *
   * @return topic, partition, offset and timestamp
   */
  RecordOrigin origin();
}
