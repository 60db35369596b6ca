package dev.decant.kafka.consumer;

import dev.decant.kafka.Header;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record that was copied out of a poll ({@link ConsumerRecord#copy}), or made by a test. Valid for ever, on any
 * thread.
 *
 * @param <K> type of keys
 * @param <V> type of values
 * @param topic its topic
 * @param partition its partition
 * @param offset its offset
 * @param timestamp epoch milliseconds
 * @param key decoded; null if the record has none
 * @param value decoded; null if the record has none
 * @param headers in the order of the record; a key may be there more than once
 */
public record OwnedRecord<K, V>(String topic, int partition, long offset, long timestamp, @Nullable K key,
    @Nullable V value, List<Header> headers) {
  /** Copies the list. */
  public OwnedRecord {
    headers = List.copyOf(headers);
  }
}
