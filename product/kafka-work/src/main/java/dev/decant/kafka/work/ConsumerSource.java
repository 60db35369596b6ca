package dev.decant.kafka.work;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.CommitListener;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.PartitionHandler;
import dev.decant.kafka.consumer.PartitionRecords;
import dev.decant.kafka.work.bridge.RecordSource;
import dev.decant.kafka.work.bridge.SourceHandler;
import dev.decant.kafka.work.bridge.SourceRecords;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decant's consumer as a source. It shows the consumer's own cursor, so a poll allocates nothing. The loop only. */
final class ConsumerSource<K, V> implements RecordSource<K, V>, PartitionHandler<K, V>, SourceRecords<K, V> {
  private final Consumer<K, V> consumer;
  private @Nullable SourceHandler<K, V> handler;
  private @Nullable PartitionRecords<K, V> records;

  ConsumerSource(Consumer<K, V> consumer) {
    this.consumer = consumer;
  }

  @Override
  public void poll(Duration timeout, SourceHandler<K, V> to) throws InterruptedException {
    handler = to;
    consumer.pollPartitions(timeout, this);
  }

  @Override
  public void onRecords(PartitionRecords<K, V> received) {
    SourceHandler<K, V> to = handler;
    if (to != null) {
      records = received;
      to.onRecords(this);
    }
  }

  @Override
  public boolean onPositionAdvanced(PartitionRecords<K, V> position) {
    SourceHandler<K, V> to = handler;
    if (to != null) {
      records = position;
      to.onPositionAdvanced(this);
    }
    return false;
  }

  private PartitionRecords<K, V> received() {
    PartitionRecords<K, V> now = records;
    if (now == null) {
      throw new IllegalStateException("no records before the first poll");
    }
    return now;
  }

  @Override
  public String topic() {
    return received().topic();
  }

  @Override
  public int partition() {
    return received().partition();
  }

  @Override
  public boolean next() {
    return received().next();
  }

  @Override
  public ConsumerRecord<K, V> record() {
    return received().record();
  }

  @Override
  public void putBack() {
    received().putBack();
  }

  @Override
  public long position() {
    return received().position();
  }

  @Override
  public int positionEpoch() {
    return received().positionEpoch();
  }

  @Override
  public void wakeup() {
    consumer.wakeup();
  }

  @Override
  public void pause(String topic, int partition) {
    consumer.pause(topic, partition);
  }

  @Override
  public void resume(String topic, int partition) {
    consumer.resume(topic, partition);
  }

  @Override
  public void seek(String topic, int partition, long offset) {
    consumer.seek(topic, partition, offset);
  }

  @Override
  public void seekToBeginning(List<TopicPartition> partitions) {
    consumer.seekToBeginning(partitions);
  }

  @Override
  public Map<TopicPartition, OffsetAndMetadata> committed(Collection<TopicPartition> partitions, Duration timeout)
      throws InterruptedException {
    return consumer.committed(partitions, timeout);
  }

  @Override
  public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, CommitListener listener) {
    consumer.commitAsync(offsets, listener);
  }

  @Override
  public void commit(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) throws InterruptedException {
    consumer.commit(offsets, timeout);
  }

  @Override
  public long currentLag(String topic, int partition) {
    return consumer.currentLag(topic, partition);
  }

  @Override
  public GroupMetadata groupMetadata() {
    return consumer.groupMetadata();
  }

  @Override
  public void close() {
    consumer.close();
  }
}
