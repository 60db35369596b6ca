package dev.decant.replay;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Apache's producer behind a class that is no subclass of it, so that a name that was not replaced does not link.
 *
 * @param <K> type of the keys
 * @param <V> type of the values
 */
public final class StandInProducer<K, V> implements Producer<K, V> {
  private final KafkaProducer<K, V> apaches;

  /** As Apache's. */
  public StandInProducer(Map<String, Object> settings) {
    this(new KafkaProducer<>(settings));
  }

  /** As Apache's. */
  public StandInProducer(Map<String, Object> settings, @Nullable Serializer<K> keys, @Nullable Serializer<V> values) {
    this(new KafkaProducer<>(settings, keys, values));
  }

  /** As Apache's. */
  public StandInProducer(Properties settings) {
    this(new KafkaProducer<>(settings));
  }

  /** As Apache's. */
  public StandInProducer(Properties settings, @Nullable Serializer<K> keys, @Nullable Serializer<V> values) {
    this(new KafkaProducer<>(settings, keys, values));
  }

  private StandInProducer(KafkaProducer<K, V> apaches) {
    this.apaches = apaches;
    StandIns.PRODUCERS.incrementAndGet();
  }

  @Override
  public void initTransactions() {
    apaches.initTransactions();
  }

  @Override
  public void beginTransaction() {
    apaches.beginTransaction();
  }

  @Override
  public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata group) {
    apaches.sendOffsetsToTransaction(offsets, group);
  }

  @Override
  public void commitTransaction() {
    apaches.commitTransaction();
  }

  @Override
  public void abortTransaction() {
    apaches.abortTransaction();
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
  public Future<RecordMetadata> send(ProducerRecord<K, V> record) {
    return apaches.send(record);
  }

  @Override
  public Future<RecordMetadata> send(ProducerRecord<K, V> record, Callback callback) {
    return apaches.send(record, callback);
  }

  @Override
  public void flush() {
    if (!StandIns.isBroken("flush")) {
      apaches.flush();
    }
  }

  @Override
  public List<PartitionInfo> partitionsFor(String topic) {
    return apaches.partitionsFor(topic);
  }

  @Override
  public Map<MetricName, ? extends Metric> metrics() {
    return apaches.metrics();
  }

  @Override
  public Uuid clientInstanceId(Duration timeout) {
    return apaches.clientInstanceId(timeout);
  }

  @Override
  public void close() {
    apaches.close();
  }

  @Override
  public void close(Duration timeout) {
    apaches.close(timeout);
  }
}
