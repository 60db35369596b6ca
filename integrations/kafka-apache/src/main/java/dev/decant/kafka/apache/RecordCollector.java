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
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Makes Apache's records of the views that a poll hands out. It allocates what Apache's classes consist of and nothing
 * else. The polling thread.
 */
final class RecordCollector<K, V> implements PartitionHandler<byte[], byte[]> {
  private static final int FEW = 10;

  /** Ends a poll at a record that cannot be deserialized. */
  static final class Stop extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stop() {
      super(null, null, false, false); // without a stack trace
    }
  }

  /** A record that cannot be deserialized. */
  record Bad(TopicPartition partition, long offset, RecordDeserializationException error) {}

  private final PartDecoder<K> keys;
  private final PartDecoder<V> values;
  /** Each partition's object, so that a poll makes none. */
  private final Map<String, Map<Integer, TopicPartition>> names = new HashMap<>();
  private Map<TopicPartition, List<ConsumerRecord<K, V>>> records = new HashMap<>();
  private Map<TopicPartition, OffsetAndMetadata> nextOffsets = new HashMap<>();
  private final RecordSizes sizes;
  private int lastEpoch = -1;
  private Optional<Integer> lastEpochObject = Optional.empty();
  private RecordHeaders headers = new RecordHeaders();
  private final BiConsumer<String, byte @Nullable []> addHeader = this::addHeader;
  private int capacity = FEW;
  private @Nullable Bad bad;

  /** Hears how many bytes of records a poll has handed out. */
  interface RecordSizes {
    /** Records of one partition, and their keys and values. */
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
    if (records.containsKey(partition)) {
      return; // as with Apache's consumer, a poll returns one fetch of a partition at most: fetch sizes bound a poll
    }
    List<ConsumerRecord<K, V>> all = new ArrayList<>(capacity);
    long bytes = 0;
    try {
      while (cursor.next()) {
        ConsumerRecord<K, V> made = make(partition, cursor.record());
        all.add(made);
        bytes += Math.max(0, made.serializedKeySize()) + Math.max(0, made.serializedValueSize());
      }
    } finally {
      if (!all.isEmpty()) {
        records.put(partition, all);
        Bad stopped = bad;
        nextOffsets.put(partition, new OffsetAndMetadata(stopped == null ? cursor.position() : stopped.offset(),
            Partitions.epoch(cursor.positionEpoch()), ""));
        capacity = Math.max(FEW, all.size());
        sizes.consumed(partition, all.size(), bytes);
      }
    }
  }

  @Override
  public boolean onPositionAdvanced(PartitionRecords<byte[], byte[]> position) {
    nextOffsets.put(name(position.topic(), position.partition()),
        new OffsetAndMetadata(position.position(), Partitions.epoch(position.positionEpoch()), ""));
    return true; // as with Apache's consumer, a poll returns no records then, and where to go on
  }

  private TopicPartition name(String topic, int partition) {
    return names.computeIfAbsent(topic, key -> new HashMap<>()).computeIfAbsent(partition,
        number -> new TopicPartition(topic, number));
  }

  private ConsumerRecord<K, V> make(TopicPartition partition,
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
      throw stopSlowPath(partition, view, ofRecord, isKey, e);
    }
  }

  private void addHeader(String key, byte @Nullable [] value) {
    headers.add(new RecordHeader(key, value));
  }

  private Optional<Integer> epoch(int epoch) {
    if (epoch != lastEpoch) {
      lastEpoch = epoch;
      lastEpochObject = Partitions.epoch(epoch);
    }
    return lastEpochObject;
  }

  private static org.apache.kafka.common.record.TimestampType type(TimestampType type) {
    return type == TimestampType.LOG_APPEND_TIME
        ? org.apache.kafka.common.record.TimestampType.LOG_APPEND_TIME
        : org.apache.kafka.common.record.TimestampType.CREATE_TIME;
  }

  private Stop stopSlowPath(TopicPartition partition, dev.decant.kafka.consumer.ConsumerRecord<byte[], byte[]> view,
      RecordHeaders ofRecord, boolean isKey, RuntimeException cause) {
    long offset = view.offset();
    Undecodable record = new Undecodable(isKey, partition, offset, view.timestamp(), type(view.timestampType()),
        keys.bytesOf(view), values.bytesOf(view), ofRecord);
    bad = new Bad(partition, offset, ClientsRelease.undecodable(record,
        "the " + (isKey ? "key" : "value") + " of the record at offset " + offset + " of partition " + partition
            + " cannot be deserialized; to go on, seek to the offset behind it",
        cause));
    return new Stop();
  }

  /** The record that has ended the last poll; null for none. It is forgotten. */
  @Nullable
  Bad takeBad() {
    Bad taken = bad;
    bad = null;
    return taken;
  }

  /** Whether no record was collected, and no position has moved past offsets without records. */
  boolean isEmpty() {
    return nextOffsets.isEmpty();
  }

  /** What was collected since this was called last. */
  ConsumerRecords<K, V> take() {
    ConsumerRecords<K, V> taken = ClientsRelease.records(records, nextOffsets);
    records = new HashMap<>();
    nextOffsets = new HashMap<>();
    return taken;
  }
}
