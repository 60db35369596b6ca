package dev.decant.kafka.apache;

import dev.decant.kafka.apache.ClientsRelease.Undecodable;
import dev.decant.kafka.consumer.PartitionHandler;
import dev.decant.kafka.consumer.PartitionRecords;
import dev.decant.kafka.record.TimestampType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.ObjLongConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Makes Apache's records from the views of a poll. It allocates only the objects of Apache's classes. Polling thread
 * only.
 *
 * <p>No failure loses a record: a position moves behind a record only after the record is collected. A record that
 * cannot be deserialized is put back, and the next poll calls the deserializer again, as Apache's consumer does. An
 * Error in decoding once moved the position past its record. Memory may run out at any point, so places for records are
 * allocated before a position moves.
 */
final class RecordCollector<K, V> implements PartitionHandler<byte[], byte[]> {
  private static final int FEW = 10;

  private final PartDecoder<K> keys;
  private final PartDecoder<V> values;
  /** The object of each partition, so that a poll allocates none. */
  private final Map<String, Map<Integer, TopicPartition>> names = new HashMap<>();
  private Map<TopicPartition, List<ConsumerRecord<K, V>>> records = new HashMap<>();
  private Map<TopicPartition, OffsetAndMetadata> nextOffsets = new HashMap<>();
  private final RecordSizes sizes;
  private int lastEpoch = -1;
  private Optional<Integer> lastEpochObject = Optional.empty();
  private RecordHeaders headers = new RecordHeaders();
  private final BiConsumer<String, byte @Nullable []> addHeader = this::addHeader;
  private int capacity = FEW;
  /** Why the poll has ended at a record; null if it has not. */
  private @Nullable RecordDeserializationException undecodable;

  /** Receives the bytes of records that a poll has handed out. */
  interface RecordSizes {
    /** Reports the number of a partition's records, and the bytes of their keys and values. */
    void consumed(TopicPartition partition, int count, long bytes);
  }

  RecordCollector(PartDecoder<K> keys, PartDecoder<V> values, RecordSizes sizes) {
    this.keys = keys;
    this.values = values;
    this.sizes = sizes;
  }

  @Override
  public void onRecords(PartitionRecords<byte[], byte[]> cursor) {
    TopicPartition partition = name(cursor.topic(), cursor.partition());
    if (undecodable != null || records.containsKey(partition)) {
      return; // as with Apache's consumer, a poll returns at most one fetch per partition, so fetch sizes bound it
    }
    List<ConsumerRecord<K, V>> all = new ArrayList<>(capacity);
    records.put(partition, all);
    long bytes = 0;
    try {
      while (undecodable == null && cursor.next()) {
        bytes += take(partition, cursor, all);
      }
    } finally {
      if (all.isEmpty()) {
        records.remove(partition);
      } else {
        nextOffsets.put(partition,
            new OffsetAndMetadata(cursor.position(), PartitionConversion.epoch(cursor.positionEpoch()), ""));
        capacity = Math.max(FEW, all.size());
        sizes.consumed(partition, all.size(), bytes);
      }
    }
  }

  /** Collects the record at the cursor, or puts it back; returns the bytes of its key and its value. */
  private long take(TopicPartition partition, PartitionRecords<byte[], byte[]> cursor,
      List<ConsumerRecord<K, V>> all) {
    boolean taken = false;
    try {
      ConsumerRecord<K, V> made = make(partition, cursor.record());
      if (made == null) {
        return 0;
      }
      all.add(made);
      taken = true;
      return (long) Math.max(0, made.serializedKeySize()) + Math.max(0, made.serializedValueSize());
    } finally {
      if (!taken) {
        cursor.putBack();
      }
    }
  }

  @Override
  public boolean onPositionAdvanced(PartitionRecords<byte[], byte[]> position) {
    nextOffsets.put(name(position.topic(), position.partition()),
        new OffsetAndMetadata(position.position(), PartitionConversion.epoch(position.positionEpoch()), ""));
    return true; // as with Apache's consumer, the poll returns without records, but with the new position
  }

  private TopicPartition name(String topic, int partition) {
    return names.computeIfAbsent(topic, key -> new HashMap<>()).computeIfAbsent(partition,
        number -> new TopicPartition(topic, number));
  }

  /** Removes partitions that are no longer assigned. */
  void retain(Set<TopicPartition> assigned) {
    names.values().forEach(ofTopic -> ofTopic.values().retainAll(assigned));
    names.values().removeIf(Map::isEmpty);
  }

  /** Makes Apache's record; returns null if it cannot be deserialized. */
  private @Nullable ConsumerRecord<K, V> make(TopicPartition partition,
      dev.decant.kafka.consumer.ConsumerRecord<byte[], byte[]> view) {
    RecordHeaders ofRecord = new RecordHeaders();
    if (view.headerCount() > 0) {
      headers = ofRecord;
      view.forEachHeader(addHeader);
    }
    boolean isKey = true;
    try {
      K key = keys.decode(view, ofRecord);
      isKey = false;
      V value = values.decode(view, ofRecord);
      return new ConsumerRecord<>(partition.topic(), partition.partition(), view.offset(), view.timestamp(),
          type(view.timestampType()), view.keyLength(), view.valueLength(), key, value, ofRecord,
          epoch(view.leaderEpoch()));
    } catch (RuntimeException e) {
      undecodable = undecodableSlowPath(partition, view, ofRecord, isKey, e);
      return null;
    }
  }

  private void addHeader(String key, byte @Nullable [] value) {
    headers.add(new RecordHeader(key, value));
  }

  private Optional<Integer> epoch(int epoch) {
    if (epoch != lastEpoch) {
      lastEpoch = epoch;
      lastEpochObject = PartitionConversion.epoch(epoch);
    }
    return lastEpochObject;
  }

  private static org.apache.kafka.common.record.TimestampType type(TimestampType type) {
    return type == TimestampType.LOG_APPEND_TIME
        ? org.apache.kafka.common.record.TimestampType.LOG_APPEND_TIME
        : org.apache.kafka.common.record.TimestampType.CREATE_TIME;
  }

  private RecordDeserializationException undecodableSlowPath(TopicPartition partition,
      dev.decant.kafka.consumer.ConsumerRecord<byte[], byte[]> view, RecordHeaders ofRecord, boolean isKey,
      RuntimeException cause) {
    long offset = view.offset();
    Undecodable record = new Undecodable(isKey, partition, offset, view.timestamp(), type(view.timestampType()),
        keys.bytesOf(view), values.bytesOf(view), ofRecord);
    return ClientsRelease.undecodable(record,
        "the " + (isKey ? "key" : "value") + " of the record at offset " + offset + " of partition " + partition
            + " cannot be deserialized; to go on, seek to the offset behind it",
        cause);
  }

  /** Returns and clears the reason why the last poll has ended at a record; null for none. */
  @Nullable
  RecordDeserializationException takeUndecodable() {
    RecordDeserializationException taken = undecodable;
    undecodable = null;
    return taken;
  }

  /** Returns true if no record was collected, and no position has moved past offsets without records. */
  boolean isEmpty() {
    return nextOffsets.isEmpty() && records.isEmpty();
  }

  /**
   * Returns the records collected since the last call, as the interceptors return them. If an interceptor throws an
   * Error, the records stay collected.
   */
  ConsumerRecords<K, V> take(ConsumerInterceptors<K, V> interceptors) {
    Map<TopicPartition, List<ConsumerRecord<K, V>>> nextRecords = new HashMap<>();
    Map<TopicPartition, OffsetAndMetadata> nextNextOffsets = new HashMap<>();
    ConsumerRecords<K, V> taken = interceptors.onConsume(ClientsRelease.records(records, nextOffsets));
    records = nextRecords;
    nextOffsets = nextNextOffsets;
    return taken;
  }

  /**
   * Moves positions back before the records of a failed poll, which the application does not get. So no commit passes
   * them, and a later poll returns them again.
   *
   * @param back seeks to an offset, if the partition is still assigned
   */
  void giveBack(ObjLongConsumer<TopicPartition> back) {
    records.forEach((partition, all) -> back.accept(partition, all.getFirst().offset()));
    records.clear();
    nextOffsets.clear();
    undecodable = null;
  }
}
