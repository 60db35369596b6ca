package dev.decant.kafka.work.apache;

import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.ImportedRecord;
import dev.decant.kafka.record.TimestampType;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.work.bridge.SourceRecords;
import java.util.Objects;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** A cursor over the records of a partition, which shows them as Decant's. One object serves all partitions. */
final class SourceCursor<K, V> implements SourceRecords<K, V> {
  private final ImportedRecord<K, V> imported;
  private @Nullable SourcePartition partition;
  private @Nullable ConsumerRecord<K, V> record;
  private int turns;
  private int taken;
  private long positionBefore;
  private int epochBefore;

  SourceCursor(Decoder<? extends K> keys, Decoder<? extends V> values) {
    imported = new ImportedRecord<>(keys, values);
  }

  void begin(SourcePartition of) {
    partition = of;
    turns = of.turns;
    taken = 0;
    record = null;
  }

  /** Expires the view. Returns the number of records that were taken. */
  int end() {
    imported.clear();
    record = null;
    return taken;
  }

  private SourcePartition of() {
    return Objects.requireNonNull(partition, "partition");
  }

  @Override
  public String topic() {
    return of().id.topic();
  }

  @Override
  public int partition() {
    return of().id.partition();
  }

  @Override
  public boolean next() {
    SourcePartition of = of();
    if (of.turns != turns || !of.hasRecords()) {
      return false;
    }
    positionBefore = of.position;
    epochBefore = of.epoch;
    record = show(of, of.take());
    taken++;
    return true;
  }

  private ConsumerRecord<K, V> show(SourcePartition of,
      org.apache.kafka.clients.consumer.ConsumerRecord<byte[], byte[]> apaches) {
    TimestampType type = apaches.timestampType() == org.apache.kafka.common.record.TimestampType.LOG_APPEND_TIME
        ? TimestampType.LOG_APPEND_TIME
        : TimestampType.CREATE_TIME;
    imported.at(of.id, apaches.offset(), apaches.leaderEpoch().orElse(-1)).timestamp(apaches.timestamp(), type);
    for (Header header : apaches.headers()) {
      imported.header(header.key(), header.value());
    }
    return imported.show(apaches.key(), apaches.value());
  }

  @Override
  public ConsumerRecord<K, V> record() {
    ConsumerRecord<K, V> shown = record;
    if (shown == null) {
      throw new IllegalStateException("next() has not moved to a record");
    }
    return shown;
  }

  @Override
  public void putBack() {
    if (record == null) {
      throw new IllegalStateException("there is no record to put back: next() has not moved to one");
    }
    record = null;
    taken--;
    of().putBack(positionBefore, epochBefore);
  }

  @Override
  public long position() {
    return of().position;
  }

  @Override
  public int positionEpoch() {
    return of().epoch;
  }
}
