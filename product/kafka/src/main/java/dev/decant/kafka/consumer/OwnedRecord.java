package dev.decant.kafka.consumer;

import dev.decant.kafka.Header;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A record that was copied out of a poll ({@link ConsumerRecord#copy}), or made by a test. It does not expire, and any
 * thread may read it. {@link ConsumerRecordFactory} makes the view of it that a handler takes.
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
    Objects.requireNonNull(topic, "topic");
    headers = List.copyOf(Objects.requireNonNull(headers, "headers"));
  }

  /**
   * Returns the first record of a topic's partition 0, with timestamp 0 and no headers.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param topic its topic
   * @param key its key, or null
   * @param value its value, or null
   * @return the record
   */
  public static <K, V> OwnedRecord<K, V> of(String topic, @Nullable K key, @Nullable V value) {
    return new OwnedRecord<>(topic, 0, 0, 0, key, value, List.of());
  }

  /**
   * Returns the record with another partition and offset.
   *
   * @param newPartition its partition
   * @param newOffset its offset
   * @return a copy
   */
  public OwnedRecord<K, V> at(int newPartition, long newOffset) {
    return new OwnedRecord<>(topic, newPartition, newOffset, timestamp, key, value, headers);
  }

  /**
   * Returns the record with another timestamp.
   *
   * @param epochMillis its timestamp
   * @return a copy
   */
  public OwnedRecord<K, V> withTimestamp(long epochMillis) {
    return new OwnedRecord<>(topic, partition, offset, epochMillis, key, value, headers);
  }

  /**
   * Returns the record with one more header, behind its other headers.
   *
   * @param name the header's key
   * @param bytes its value, or null
   * @return a copy
   */
  public OwnedRecord<K, V> withHeader(String name, byte @Nullable [] bytes) {
    Objects.requireNonNull(name, "name");
    List<Header> more = new ArrayList<>(headers);
    more.add(new Header(name, bytes));
    return new OwnedRecord<>(topic, partition, offset, timestamp, key, value, more);
  }

  /**
   * Returns the record with one more header, behind its other headers.
   *
   * @param name the header's key
   * @param text its value, as UTF-8
   * @return a copy
   */
  public OwnedRecord<K, V> withHeaderText(String name, String text) {
    Objects.requireNonNull(name, "name");
    return withHeader(name, text.getBytes(StandardCharsets.UTF_8));
  }
}
