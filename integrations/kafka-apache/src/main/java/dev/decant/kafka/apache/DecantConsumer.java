package dev.decant.kafka.apache;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.cluster.ClientSoftware;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
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
 * Implements Apache's {@code Consumer} with Decant's. Constructors, settings, exceptions, listeners and callbacks are
 * those of {@code KafkaConsumer}. One thread at a time may call it, and any thread {@link #wakeup}. It has a client of
 * its own with an I/O thread and connections; close it.
 *
 * <p>There are few differences. The consumer joins its group with the first poll. It sends heartbeats whether it is
 * polled or not, within {@code max.poll.interval.ms}. {@link #metrics} has Apache's metrics.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
@SuppressWarnings("try") // a resource may serve its block by being open: the block need not name it
public class DecantConsumer<K, V> implements Consumer<K, V> {
  private static final Logger LOGGER = System.getLogger(DecantConsumer.class.getName());
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);
  /** How long one poll waits for the first assignment. */
  private static final Duration ASSIGNMENT_POLL = Duration.ofMillis(100);
  private static final String REASON = "rebalance enforced by user";

  static {
    AbsentTypes.define();
  }

  private final ThreadCheck thread = new ThreadCheck();
  private final ConsumerCore<K, V> core;

  /**
   * Opens a consumer with deserializers that the settings name.
   *
   * @param configs Apache's settings, by name
   */
  public DecantConsumer(Map<String, Object> configs) {
    this(configs, null, null);
  }

  /**
   * Opens a consumer with settings from properties, which also name the deserializers.
   *
   * @param properties Apache's settings, by name
   */
  public DecantConsumer(Properties properties) {
    this(properties, null, null);
  }

  /**
   * Opens a consumer with settings from properties.
   *
   * @param properties Apache's settings, by name
   * @param keyDeserializer configured by its owner; null to make the one that the settings name
   * @param valueDeserializer configured by its owner; null to make the one that the settings name
   */
  public DecantConsumer(Properties properties, @Nullable Deserializer<K> keyDeserializer,
      @Nullable Deserializer<V> valueDeserializer) {
    this(ConsumerSettings.map(properties), keyDeserializer, valueDeserializer);
  }

  /**
   * Opens a consumer.
   *
   * @param configs Apache's settings, by name
   * @param keyDeserializer configured by its owner; null to make the one that the settings name
   * @param valueDeserializer configured by its owner; null to make the one that the settings name
   * @throws org.apache.kafka.common.config.ConfigException for settings that Apache's consumer refuses
   * @throws org.apache.kafka.common.KafkaException for what fails after that; its cause says why
   */
  public DecantConsumer(Map<String, Object> configs, @Nullable Deserializer<K> keyDeserializer,
      @Nullable Deserializer<V> valueDeserializer) {
    ConsumerConfig config = ConsumerSettings.read(configs, keyDeserializer, valueDeserializer);
    core = ConsumerCore.open(config, keyDeserializer, valueDeserializer);
    LOGGER.log(Level.INFO, "Decant {0} consumer {1}", ClientSoftware.VERSION,
        config.getString(ConsumerConfig.CLIENT_ID_CONFIG));
  }

  /**
   * Lists settings that the constructor refuses and Apache's consumer accepts, for an application that chooses between
   * both.
   *
   * @param configs Apache's settings, by name
   * @return a line for each, with its name and the cure, and without its value; empty if there is none
   */
  public static List<String> refusals(Map<String, Object> configs) {
    return RefusedSettings.of(configs, ConsumerConfig.configNames());
  }

  /**
   * Returns this consumer's own client, for status, events and meters. The client ends with {@link #close()}, and must
   * not be closed otherwise. Any thread.
   *
   * @return the same in each call
   */
  public KafkaClient client() {
    return core.client();
  }

  private Duration apiTimeout() {
    return core.apiTimeout();
  }

  @Override
  public Set<TopicPartition> assignment() {
    try (ThreadCheck unused = thread.enter()) {
      return core.assignment();
    }
  }

  @Override
  public Set<String> subscription() {
    try (ThreadCheck unused = thread.enter()) {
      return core.subscriptions().topics();
    }
  }

  @Override
  public void subscribe(Collection<String> topics) {
    try (ThreadCheck unused = thread.enter()) {
      core.subscriptions().subscribe(topics, null);
    }
  }

  @Override
  public void subscribe(Collection<String> topics, ConsumerRebalanceListener callback) {
    SubscriptionCalls.requireListener(callback);
    try (ThreadCheck unused = thread.enter()) {
      core.subscriptions().subscribe(topics, callback);
    }
  }

  @Override
  public void subscribe(Pattern pattern) {
    try (ThreadCheck unused = thread.enter()) {
      core.subscriptions().subscribe(pattern, null);
    }
  }

  @Override
  public void subscribe(Pattern pattern, ConsumerRebalanceListener callback) {
    SubscriptionCalls.requireListener(callback);
    try (ThreadCheck unused = thread.enter()) {
      core.subscriptions().subscribe(pattern, callback);
    }
  }

  @Override
  public void subscribe(SubscriptionPattern pattern) {
    try (ThreadCheck unused = thread.enter()) {
      core.subscriptions().subscribe(pattern, null);
    }
  }

  @Override
  public void subscribe(SubscriptionPattern pattern, ConsumerRebalanceListener callback) {
    SubscriptionCalls.requireListener(callback);
    try (ThreadCheck unused = thread.enter()) {
      core.subscriptions().subscribe(pattern, callback);
    }
  }

  @Override
  public void assign(Collection<TopicPartition> partitions) {
    try (ThreadCheck unused = thread.enter()) {
      core.subscriptions().assign(partitions);
      core.forgetMetricsOfOthers();
    }
  }

  @Override
  public void unsubscribe() {
    try (ThreadCheck unused = thread.enter()) {
      core.subscriptions().unsubscribe();
      core.forgetMetricsOfOthers();
    }
  }

  @Override
  public ConsumerRecords<K, V> poll(Duration timeout) {
    try (ThreadCheck unused = thread.enter()) {
      return core.poll(timeout);
    }
  }

  /**
   * Polls, and waits beyond the timeout for the first assignment of the group: programs call {@code poll(0)} for that
   * purpose. Interfaces before kafka-clients 4.0 have this method.
   *
   * @param timeoutMillis for records, after the assignment
   * @return the records
   * @throws UnsupportedOperationException under {@code group.protocol=consumer}, as Apache's consumer throws it
   * @deprecated as in Apache's interface; use {@link #poll(Duration)}
   */
  @Deprecated
  public ConsumerRecords<K, V> poll(long timeoutMillis) {
    if (!core.subscriptions().isClassic()) {
      throw new UnsupportedOperationException("poll(long) is for group.protocol=classic; use poll(Duration)");
    }
    ConsumerRecords<K, V> records = poll(Duration.ofMillis(timeoutMillis));
    while (records.isEmpty() && !subscription().isEmpty() && groupMetadata().generationId() < 0) {
      records = poll(ASSIGNMENT_POLL);
    }
    return records;
  }

  @Override
  public void commitSync() {
    commitSync(apiTimeout());
  }

  @Override
  public void commitSync(Duration timeout) {
    try (ThreadCheck unused = thread.enter()) {
      core.offsets().commitPositions(timeout);
    }
  }

  @Override
  public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
    commitSync(offsets, apiTimeout());
  }

  @Override
  public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
    try (ThreadCheck unused = thread.enter()) {
      core.offsets().commit(new HashMap<>(offsets), timeout);
    }
  }

  @Override
  public void commitAsync() {
    commitAsync(null);
  }

  @Override
  public void commitAsync(@Nullable OffsetCommitCallback callback) {
    try (ThreadCheck unused = thread.enter()) {
      core.offsets().commitPositionsAsync(callback);
    }
  }

  @Override
  public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable OffsetCommitCallback callback) {
    try (ThreadCheck unused = thread.enter()) {
      core.offsets().commitAsync(new HashMap<>(offsets), callback);
    }
  }

  @Override
  public void seek(TopicPartition partition, long offset) {
    if (offset < 0) {
      throw new IllegalArgumentException("seek offset must not be a negative number");
    }
    try (ThreadCheck unused = thread.enter()) {
      core.forSeek().seek(PartitionConversion.decant(partition), new dev.decant.kafka.OffsetAndMetadata(offset));
    }
  }

  @Override
  public void seek(TopicPartition partition, OffsetAndMetadata offsetAndMetadata) {
    dev.decant.kafka.OffsetAndMetadata to = PartitionConversion.decant(offsetAndMetadata);
    try (ThreadCheck unused = thread.enter()) {
      core.forSeek().seek(PartitionConversion.decant(partition), to);
    }
  }

  @Override
  public void seekToBeginning(Collection<TopicPartition> partitions) {
    SubscriptionCalls.requirePartitions(partitions);
    try (ThreadCheck unused = thread.enter()) {
      if (partitions.isEmpty()) {
        core.forSeek().seekToBeginning();
      } else {
        core.forSeek().seekToBeginning(PartitionConversion.decant(partitions));
      }
    }
  }

  @Override
  public void seekToEnd(Collection<TopicPartition> partitions) {
    SubscriptionCalls.requirePartitions(partitions);
    try (ThreadCheck unused = thread.enter()) {
      if (partitions.isEmpty()) {
        core.forSeek().seekToEnd();
      } else {
        core.forSeek().seekToEnd(PartitionConversion.decant(partitions));
      }
    }
  }

  @Override
  public long position(TopicPartition partition) {
    return position(partition, apiTimeout());
  }

  @Override
  public long position(TopicPartition partition, Duration timeout) {
    try (ThreadCheck unused = thread.enter()) {
      return core.offsets().position(partition, timeout);
    }
  }

  /**
   * Returns the committed position of one partition. Interfaces before kafka-clients 4.0 have this method.
   *
   * @param partition any, assigned or not
   * @return null if nothing is committed
   * @deprecated as in Apache's interface; use {@link #committed(Set)}
   */
  @Deprecated
  public @Nullable OffsetAndMetadata committed(TopicPartition partition) {
    return committed(partition, apiTimeout());
  }

  /**
   * Returns the committed position of one partition. Interfaces before kafka-clients 4.0 have this method.
   *
   * @param partition any, assigned or not
   * @param timeout for the response
   * @return null if nothing is committed
   * @deprecated as in Apache's interface; use {@link #committed(Set, Duration)}
   */
  @Deprecated
  public @Nullable OffsetAndMetadata committed(TopicPartition partition, Duration timeout) {
    return committed(Set.of(partition), timeout).get(partition);
  }

  @Override
  public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
    return committed(partitions, apiTimeout());
  }

  @Override
  public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions, Duration timeout) {
    try (ThreadCheck unused = thread.enter()) {
      return core.offsets().committed(partitions, timeout);
    }
  }

  @Override
  public Uuid clientInstanceId(Duration timeout) {
    return core.clientInstanceId(timeout);
  }

  /**
   * Returns the private fields of Apache's consumer that agents for tracing read. {@code decant-agent} copies them to
   * its objects.
   */
  Map<String, Object> tracedFields() {
    return core.tracedFields();
  }

  @Override
  public Map<MetricName, ? extends Metric> metrics() {
    return Collections.unmodifiableMap(core.metrics().all());
  }

  @Override
  public void registerMetricForSubscription(KafkaMetric metric) {
    core.metrics().register(metric);
  }

  @Override
  public void unregisterMetricFromSubscription(KafkaMetric metric) {
    core.metrics().unregister(metric);
  }

  @Override
  public List<PartitionInfo> partitionsFor(String topic) {
    return partitionsFor(topic, apiTimeout());
  }

  @Override
  public List<PartitionInfo> partitionsFor(String topic, Duration timeout) {
    try (ThreadCheck unused = thread.enter()) {
      return core.partitionsFor(topic, timeout);
    }
  }

  @Override
  public Map<String, List<PartitionInfo>> listTopics() {
    return listTopics(apiTimeout());
  }

  @Override
  public Map<String, List<PartitionInfo>> listTopics(Duration timeout) {
    try (ThreadCheck unused = thread.enter()) {
      return core.listTopics(timeout);
    }
  }

  @Override
  public Set<TopicPartition> paused() {
    try (ThreadCheck unused = thread.enter()) {
      return Collections.unmodifiableSet(PartitionConversion.apache(core.underlying().current().paused()));
    }
  }

  @Override
  public void pause(Collection<TopicPartition> partitions) {
    try (ThreadCheck unused = thread.enter()) {
      core.underlying().current().pause(PartitionConversion.decant(partitions));
    }
  }

  @Override
  public void resume(Collection<TopicPartition> partitions) {
    try (ThreadCheck unused = thread.enter()) {
      core.underlying().current().resume(PartitionConversion.decant(partitions));
    }
  }

  @Override
  public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
      Map<TopicPartition, Long> timestampsToSearch) {
    return offsetsForTimes(timestampsToSearch, apiTimeout());
  }

  @Override
  public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> timestampsToSearch,
      Duration timeout) {
    try (ThreadCheck unused = thread.enter()) {
      return core.offsets().forTimes(timestampsToSearch, timeout);
    }
  }

  @Override
  public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions) {
    return beginningOffsets(partitions, apiTimeout());
  }

  @Override
  public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions, Duration timeout) {
    try (ThreadCheck unused = thread.enter()) {
      return core.offsets().ends(partitions, timeout, true);
    }
  }

  @Override
  public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
    return endOffsets(partitions, apiTimeout());
  }

  @Override
  public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions, Duration timeout) {
    try (ThreadCheck unused = thread.enter()) {
      return core.offsets().ends(partitions, timeout, false);
    }
  }

  @Override
  public OptionalLong currentLag(TopicPartition topicPartition) {
    try (ThreadCheck unused = thread.enter()) {
      long lag = core.underlying().current().currentLag(topicPartition.topic(), topicPartition.partition());
      return lag < 0 ? OptionalLong.empty() : OptionalLong.of(lag);
    }
  }

  @Override
  public ConsumerGroupMetadata groupMetadata() {
    try (ThreadCheck unused = thread.enter()) {
      return core.offsets().groupMetadata();
    }
  }

  @Override
  public void enforceRebalance() {
    enforceRebalance(null);
  }

  @Override
  public void enforceRebalance(@Nullable String reason) {
    try (ThreadCheck unused = thread.enter()) {
      core.subscriptions().enforceRebalance(reason == null || reason.isEmpty() ? REASON : reason);
    }
  }

  @Override
  public void close() {
    close(CLOSE_TIMEOUT, GroupMembershipOperation.DEFAULT);
  }

  /**
   * Closes the consumer within a time.
   *
   * @param timeout for commits, callbacks and the group
   * @deprecated as in Apache's interface; use {@link #close(CloseOptions)}
   */
  @Override
  @Deprecated
  public void close(Duration timeout) {
    close(timeout, GroupMembershipOperation.DEFAULT);
  }

  @Override
  public void close(CloseOptions option) {
    close(option.timeout().orElse(CLOSE_TIMEOUT), switch (option.groupMembershipOperation()) {
      case DEFAULT -> GroupMembershipOperation.DEFAULT;
      case LEAVE_GROUP -> GroupMembershipOperation.LEAVE_GROUP;
      case REMAIN_IN_GROUP -> GroupMembershipOperation.REMAIN_IN_GROUP;
    });
  }

  // A separate method without CloseOptions, which kafka-clients 4.0 does not have.
  private void close(Duration timeout, GroupMembershipOperation departure) {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("The timeout cannot be negative.");
    }
    try (ThreadCheck unused = thread.enterToClose()) {
      if (!thread.isClosed()) {
        try {
          core.close(timeout, departure);
        } finally {
          thread.closeForGood();
        }
      }
    }
  }

  @Override
  public void wakeup() {
    core.wakeup();
  }
}
