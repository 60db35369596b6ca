package dev.decant.kafka.apache;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.ConsumerSetting;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import dev.decant.net.MemoryNetwork;
import dev.decant.runtime.RuntimeCheck;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/** A consumer's settings, read by Apache's own definition and translated for Decant. */
final class ConsumerSettings {
  private static final String REVOCATION_TIMEOUT = ConsumerSetting.REVOCATION_TIMEOUT.kafkaName();
  private static final String FETCH_MEMORY = "decant.fetch.memory.bytes";
  private static final String CONSUMERS = "decant.fetch.memory.consumers";
  /** The part of direct memory for all consumers together, if their number is known: a quarter. */
  private static final int SHARE_OF_ALL_CONSUMERS = 4;
  private static final long LEAST_SHARED_FETCH_MEMORY = 1024 * 1024;
  /**
   * The part of direct memory for one consumer of an unknown number. It is small, because each consumer has a client of
   * its own: six of them could once take 384 MiB of a small pod.
   */
  private static final int SHARE_OF_DIRECT_MEMORY = 64;
  private static final long LEAST_FETCH_MEMORY = 4L * 1024 * 1024;
  private static final long MOST_FETCH_MEMORY = 64L * 1024 * 1024;
  /** The least memory for one batch: the default of Decant's clients. */
  private static final long LEAST_BATCH_MEMORY = 64L * 1024 * 1024;
  /** Settings that this package implements. */
  private static final Set<String> OWN = Set.of(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
      ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG,
      ConsumerConfig.METRIC_REPORTER_CLASSES_CONFIG, ConsumerConfig.EXCLUDE_INTERNAL_TOPICS_CONFIG,
      ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, ConsumerConfig.AUTO_COMMIT_INTERVAL_MS_CONFIG,
      ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, ConsumerConfig.METRICS_NUM_SAMPLES_CONFIG,
      ConsumerConfig.METRICS_SAMPLE_WINDOW_MS_CONFIG, ConsumerConfig.METRICS_RECORDING_LEVEL_CONFIG,
      "config.providers", CONSUMERS);
  /** Least values that Apache's definition does not check; a smaller value counts as the least one. */
  private static final Map<String, Long> LEAST = Map.of(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1L,
      ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 1L, ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 1L,
      ConsumerConfig.METADATA_MAX_AGE_CONFIG, 100L, ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 1L,
      ConsumerConfig.RECONNECT_BACKOFF_MS_CONFIG, 1L, ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1L,
      ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, 1L, ConsumerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, 1L);
  private static final long MOST_FETCH_WAIT_MILLIS = 25_000;
  private static final long LEAST_REBALANCE_MILLIS = 100;
  private static final String LEAVE_ON_CLOSE = "internal.leave.group.on.close";

  private final ConsumerConfig config;
  private final String clientId;
  private final String group;
  private final boolean classic;

  private ConsumerSettings(ConsumerConfig config) {
    this.config = config;
    this.clientId = config.getString(ConsumerConfig.CLIENT_ID_CONFIG);
    String named = config.getString(ConsumerConfig.GROUP_ID_CONFIG);
    this.group = named == null ? "" : named;
    if (named != null && named.isBlank()) {
      throw new InvalidGroupIdException("The configured group.id should not be an empty string or whitespace.");
    }
    this.classic = GroupProtocol.of(config.getString(ConsumerConfig.GROUP_PROTOCOL_CONFIG)) == GroupProtocol.CLASSIC;
  }

  /**
   * Reads and checks the settings.
   *
   * @throws ConfigException as Apache's consumer does
   */
  static ConsumerConfig read(Map<String, Object> configs, @Nullable Deserializer<?> keys,
      @Nullable Deserializer<?> values) {
    Map<String, Object> all = new HashMap<>(configs);
    name(all, ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, keys);
    name(all, ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, values);
    return new ConsumerConfig(all);
  }

  private static void name(Map<String, Object> all, String setting, @Nullable Deserializer<?> given) {
    if (given != null) {
      all.put(setting, given.getClass());
    } else if (all.get(setting) == null) {
      throw new ConfigException(setting, null, "must be non-null.");
    }
  }

  /**
   * Returns the settings of properties as Apache's consumer reads them: with their defaults, and only names that are
   * strings.
   */
  static Map<String, Object> map(Properties properties) {
    Map<String, Object> all = new HashMap<>();
    properties.stringPropertyNames().forEach(name -> all.put(name, properties.getProperty(name)));
    properties.forEach((name, value) -> {
      if (!(name instanceof String text)) {
        throw new ConfigException(String.valueOf(name), value, "Key must be a string.");
      }
      all.put(text, value);
    });
    return all;
  }

  static ConsumerSettings of(ConsumerConfig config) {
    return new ConsumerSettings(config);
  }

  ConsumerConfig config() {
    return config;
  }

  String clientId() {
    return clientId;
  }

  /** Returns the group's name; empty for none. */
  String group() {
    return group;
  }

  /**
   * Returns whether the member leaves its group at close. Kafka Streams keeps members in their group by this setting,
   * which releases before 4.1 have.
   */
  GroupMembershipOperation departure() {
    return Boolean.FALSE.equals(config.values().get(LEAVE_ON_CLOSE))
        ? GroupMembershipOperation.REMAIN_IN_GROUP
        : GroupMembershipOperation.DEFAULT;
  }

  boolean isClassic() {
    return classic;
  }

  boolean isAutoCommit() {
    return config.getBoolean(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG);
  }

  Duration millis(String setting) {
    return Duration.ofMillis(Long.parseLong(String.valueOf(config.values().get(setting))));
  }

  boolean withInternalTopics() {
    return !config.getBoolean(ConsumerConfig.EXCLUDE_INTERNAL_TOPICS_CONFIG);
  }

  /** Starts the client of one consumer. */
  SecuredClient connect() {
    List<String> servers = config.getList(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG);
    // No name server resolves addresses of the network in memory.
    if (servers.stream().noneMatch(MemoryNetwork::isAddress)) {
      ClientUtils.parseAndValidateAddresses(servers, config.getString(ConsumerConfig.CLIENT_DNS_LOOKUP_CONFIG));
    }
    return SecuredClient.open(config, forClient(), builder -> {
      if (config.originals().get(FETCH_MEMORY) == null) {
        builder.fetchMemory(fetchMemory(RuntimeCheck.directMemoryBytes(), consumers()), batchMemory());
      }
    });
  }

  /** Returns the number of consumers of the process; 0 if it is not known. */
  private int consumers() {
    Object given = config.originals().get(CONSUMERS);
    if (given == null) {
      return 0;
    }
    try {
      return Math.max(0, Integer.parseInt(given.toString().strip()));
    } catch (NumberFormatException e) {
      throw new ConfigException(CONSUMERS, given, "must be the number of consumers.");
    }
  }

  /**
   * Returns the memory for fetch responses. The consumers of a process take a part of its direct memory that leaves
   * room for its producers.
   */
  static long fetchMemory(long directMemory, int consumers) {
    long alone = Math.clamp(directMemory / SHARE_OF_DIRECT_MEMORY, LEAST_FETCH_MEMORY, MOST_FETCH_MEMORY);
    return consumers == 0
        ? alone
        : Math.clamp(directMemory / SHARE_OF_ALL_CONSUMERS / consumers, LEAST_SHARED_FETCH_MEMORY, alone);
  }

  /**
   * Returns the bound for a single batch. Apache's client has no such bound. An application that reads larger records
   * raises it by fetch.max.bytes, up to a quarter of the largest heap: direct memory is by default as large as the
   * heap.
   */
  private long batchMemory() {
    long wanted = Math.min(config.getInt(ConsumerConfig.FETCH_MAX_BYTES_CONFIG), Runtime.getRuntime().maxMemory() / 4);
    return Math.max(LEAST_BATCH_MEMORY, wanted);
  }

  private Map<String, Object> forClient() {
    Map<String, String> defaults = new HashMap<>(KafkaClient.builder("none:1").settings());
    for (ConsumerSetting setting : ConsumerSetting.values()) {
      defaults.put(setting.kafkaName(), setting.defaultValue());
    }
    Map<String, Object> sorted = new HashMap<>(DecantSettings.of(config, OWN::contains, defaults));
    LEAST.forEach((name, least) -> sorted.computeIfPresent(name,
        (setting, value) -> Long.toString(Math.max(least, Long.parseLong(value.toString())))));
    sorted.computeIfPresent(ConsumerConfig.GROUP_PROTOCOL_CONFIG,
        (name, value) -> value.toString().toLowerCase(Locale.ROOT));
    long mostWait = Math.min(MOST_FETCH_WAIT_MILLIS, config.getInt(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG) - 1L);
    long wait = Math.clamp(config.getInt(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG), 0, Math.max(0, mostWait));
    sorted.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, Long.toString(wait));
    sorted.putIfAbsent(REVOCATION_TIMEOUT, Math.max(LEAST_REBALANCE_MILLIS,
        // Also bounds a rebalance, unless its own timeout is set.
        config.getInt(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG)));
    if (group.isEmpty()) { // without a group, settings of members have no effect
      sorted.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
      sorted.remove(ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG);
    }
    return sorted;
  }

  /** Returns the assignors of {@code partition.assignment.strategy}; none under the consumer protocol. */
  List<ConsumerPartitionAssignor> assignors() {
    return classic
        ? ConsumerPartitionAssignor.getAssignorInstances(
            config.getList(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG), originals())
        : List.of();
  }

  @SuppressWarnings("unchecked")
  <K, V> List<ConsumerInterceptor<K, V>> interceptors() {
    List<?> made = config.getConfiguredInstances(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG, ConsumerInterceptor.class,
        Map.of(ConsumerConfig.CLIENT_ID_CONFIG, clientId));
    return (List<ConsumerInterceptor<K, V>>) made;
  }

  List<MetricsReporter> reporters() {
    return CommonClientConfigs.metricsReporters(clientId, config);
  }

  /** Returns the given deserializer, which its owner has configured, or makes one. */
  @SuppressWarnings("unchecked")
  <T> Deserializer<T> deserializer(@Nullable Deserializer<T> given, boolean isKey) {
    String setting = isKey
        ? ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG
        : ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG;
    if (given != null) {
      config.ignore(setting);
      return given;
    }
    Deserializer<T> made = config.getConfiguredInstance(setting, Deserializer.class);
    made.configure(originals(), isKey);
    return made;
  }

  private Map<String, Object> originals() {
    return config.originals(Map.of(ConsumerConfig.CLIENT_ID_CONFIG, clientId));
  }
}
