package dev.decant.replay;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * Apache's consumer behind a class that is no subclass of it, so that a name that was not replaced does not link.
 *
 * @param <K> type of the keys
 * @param <V> type of the values
 */
public final class StandInConsumer<K, V> implements Consumer<K, V> {
  private final KafkaConsumer<K, V> apaches;

  /** As Apache's. */
  public StandInConsumer(Map<String, Object> settings) {
    this(new KafkaConsumer<>(settings));
  }

  /** As Apache's. */
  public StandInConsumer(Map<String, Object> settings, @Nullable Deserializer<K> keys,
      @Nullable Deserializer<V> values) {
    this(new KafkaConsumer<>(settings, keys, values));
  }

  /** As Apache's. */
  public StandInConsumer(Properties settings) {
    this(new KafkaConsumer<>(settings));
  }

  /** As Apache's. */
  public StandInConsumer(Properties settings, @Nullable Deserializer<K> keys, @Nullable Deserializer<V> values) {
    this(new KafkaConsumer<>(settings, keys, values));
  }

  private StandInConsumer(KafkaConsumer<K, V> apaches) {
    this.apaches = apaches;
    StandIns.CONSUMERS.incrementAndGet();
  }

  @Override
  public Set<TopicPartition> assignment() {
    return apaches.assignment();
  }

  @Override
  public Set<String> subscription() {
    return apaches.subscription();
  }

  @Override
  public void subscribe(Collection<String> topics) {
    apaches.subscribe(topics);
  }

  @Override
  public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
    apaches.subscribe(topics, listener);
  }

  @Override
  public void assign(Collection<TopicPartition> partitions) {
    apaches.assign(partitions);
  }

  @Override
  public void subscribe(Pattern pattern, ConsumerRebalanceListener listener) {
    apaches.subscribe(pattern, listener);
  }

  @Override
  public void subscribe(Pattern pattern) {
    apaches.subscribe(pattern);
  }

  @Override
  public void subscribe(SubscriptionPattern pattern, ConsumerRebalanceListener listener) {
    apaches.subscribe(pattern, listener);
  }

  @Override
  public void subscribe(SubscriptionPattern pattern) {
    apaches.subscribe(pattern);
  }

  @Override
  public void unsubscribe() {
    apaches.unsubscribe();
  }

  @Override
  public ConsumerRecords<K, V> poll(Duration timeout) {
    return apaches.poll(timeout);
  }

  @Override
  public void commitSync() {
    if (!StandIns.isBroken("commitSync")) {
      apaches.commitSync();
    }
  }

  @Override
  public void commitSync(Duration timeout) {
    if (!StandIns.isBroken("commitSync")) {
      apaches.commitSync(timeout);
    }
  }

  @Override
  public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
    if (!StandIns.isBroken("commitSync")) {
      apaches.commitSync(offsets);
    }
  }

  @Override
  public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
    if (!StandIns.isBroken("commitSync")) {
      apaches.commitSync(offsets, timeout);
    }
  }

  @Override
  public void commitAsync() {
    apaches.commitAsync();
  }

  @Override
  public void commitAsync(OffsetCommitCallback callback) {
    apaches.commitAsync(callback);
  }

  @Override
  public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
    apaches.commitAsync(offsets, callback);
  }

  @Override
  public void registerMetricForSubscription(KafkaMetric metric) {
    apaches.registerMetricForSubscription(metric);
  }

  @Override
  public void unregisterMetricFromSubscription(KafkaMetric metric) {
    apaches.unregisterMetricFromSubscription(metric);
  }

  @Override
  public void seek(TopicPartition partition, long offset) {
    apaches.seek(partition, offset);
  }

  @Override
  public void seek(TopicPartition partition, OffsetAndMetadata offset) {
    apaches.seek(partition, offset);
  }

  @Override
  public void seekToBeginning(Collection<TopicPartition> partitions) {
    apaches.seekToBeginning(partitions);
  }

  @Override
  public void seekToEnd(Collection<TopicPartition> partitions) {
    apaches.seekToEnd(partitions);
  }

  @Override
  public long position(TopicPartition partition) {
    return apaches.position(partition);
  }

  @Override
  public long position(TopicPartition partition, Duration timeout) {
    return apaches.position(partition, timeout);
  }

  @Override
  public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
    return apaches.committed(partitions);
  }

  @Override
  public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions, Duration timeout) {
    return apaches.committed(partitions, timeout);
  }

  @Override
  public Uuid clientInstanceId(Duration timeout) {
    return apaches.clientInstanceId(timeout);
  }

  @Override
  public Map<MetricName, ? extends Metric> metrics() {
    return apaches.metrics();
  }

  @Override
  public List<PartitionInfo> partitionsFor(String topic) {
    return apaches.partitionsFor(topic);
  }

  @Override
  public List<PartitionInfo> partitionsFor(String topic, Duration timeout) {
    return apaches.partitionsFor(topic, timeout);
  }

  @Override
  public Map<String, List<PartitionInfo>> listTopics() {
    return apaches.listTopics();
  }

  @Override
  public Map<String, List<PartitionInfo>> listTopics(Duration timeout) {
    return apaches.listTopics(timeout);
  }

  @Override
  public Set<TopicPartition> paused() {
    return apaches.paused();
  }

  @Override
  public void pause(Collection<TopicPartition> partitions) {
    apaches.pause(partitions);
  }

  @Override
  public void resume(Collection<TopicPartition> partitions) {
    apaches.resume(partitions);
  }

  @Override
  public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> timestamps) {
    return apaches.offsetsForTimes(timestamps);
  }

  @Override
  public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> timestamps,
      Duration timeout) {
    return apaches.offsetsForTimes(timestamps, timeout);
  }

  @Override
  public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions) {
    return apaches.beginningOffsets(partitions);
  }

  @Override
  public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions, Duration timeout) {
    return apaches.beginningOffsets(partitions, timeout);
  }

  @Override
  public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
    return apaches.endOffsets(partitions);
  }

  @Override
  public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions, Duration timeout) {
    return apaches.endOffsets(partitions, timeout);
  }

  @Override
  public OptionalLong currentLag(TopicPartition partition) {
    return apaches.currentLag(partition);
  }

  @Override
  public ConsumerGroupMetadata groupMetadata() {
    return apaches.groupMetadata();
  }

  @Override
  public void enforceRebalance() {
    apaches.enforceRebalance();
  }

  @Override
  public void enforceRebalance(String reason) {
    apaches.enforceRebalance(reason);
  }

  @Override
  public void close() {
    apaches.close();
  }

  @Override
  @Deprecated // as in the interface
  @SuppressWarnings("deprecation")
  public void close(Duration timeout) {
    apaches.close(timeout);
  }

  @Override
  public void close(CloseOptions options) {
    apaches.close(options);
  }

  @Override
  public void wakeup() {
    apaches.wakeup();
  }
}
