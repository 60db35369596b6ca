package dev.decant.kafka.apache;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.producer.ProducerSetting;
import dev.decant.kafka.record.CompressionType;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/** The settings of a producer, read by Apache's definition. Immutable. */
final class ProducerOptions {
  private static final String AUTO_CREATE = "allow.auto.create.topics";
  /** A setting of releases from 4.1 on (KIP-939). */
  private static final String TWO_PHASE_COMMIT = "transaction.two.phase.commit.enable";
  private static final long LEAST_MEMORY = ProducerSetting.BUFFER_MEMORY.least();
  /** Memory below this size is rounded up to a power of two, the size of the largest record that fits. */
  private static final long LITTLE_MEMORY = 256 * 1024;
  private static final int LEAST_REQUEST = (int) ProducerSetting.MAX_REQUEST_SIZE.least();
  private static final int LEAST_METADATA_AGE = 100;

  /** Settings that the producer implements. */
  private static final Set<String> OWN = Set.of(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
      ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ProducerConfig.INTERCEPTOR_CLASSES_CONFIG,
      ProducerConfig.METRIC_REPORTER_CLASSES_CONFIG, ProducerConfig.PARTITIONER_CLASS_CONFIG,
      ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG, ProducerConfig.TRANSACTIONAL_ID_CONFIG, TWO_PHASE_COMMIT,
      ProducerConfig.METRICS_NUM_SAMPLES_CONFIG, ProducerConfig.METRICS_SAMPLE_WINDOW_MS_CONFIG,
      ProducerConfig.METRICS_RECORDING_LEVEL_CONFIG);

  private final ProducerConfig config;
  private final long deliveryTimeoutMillis;

  private ProducerOptions(ProducerConfig config) {
    this.config = config;
    this.deliveryTimeoutMillis = deliveryTimeout(config);
  }

  /**
   * Reads the settings.
   *
   * @param given by the application
   * @param keys the serializer of keys if the application has made it; null if the settings name one
   * @param values the serializer of values likewise
   * @throws ConfigException as Apache's definition throws it
   */
  static ProducerOptions read(Map<String, Object> given, @Nullable Serializer<?> keys,
      @Nullable Serializer<?> values) {
    Map<String, Object> all = new HashMap<>(given);
    put(all, ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, keys);
    put(all, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, values);
    return new ProducerOptions(new ProducerConfig(all));
  }

  private static void put(Map<String, Object> all, String name, @Nullable Serializer<?> serializer) {
    if (serializer != null) {
      all.put(name, serializer.getClass());
    } else if (all.get(name) == null) {
      throw new ConfigException(name, null, "must be non-null.");
    }
  }

  /**
   * Returns the delivery timeout. As with Apache's producer, the default grows to what {@code linger.ms} and {@code
   * request.timeout.ms} need.
   */
  private static long deliveryTimeout(ProducerConfig config) {
    long wanted = config.getInt(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG);
    long least = Math.min(linger(config) + config.getInt(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG), Integer.MAX_VALUE);
    if (wanted < least && config.originals().containsKey(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG)) {
      throw new ConfigException(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG + " should be equal to or larger than "
          + ProducerConfig.LINGER_MS_CONFIG + " + " + ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG);
    }
    return Math.max(wanted, least);
  }

  private static long linger(ProducerConfig config) {
    return Math.min(config.getLong(ProducerConfig.LINGER_MS_CONFIG), Integer.MAX_VALUE);
  }

  /**
   * Opens a client with these settings.
   *
   * @return the client, which the caller closes
   * @throws ConfigException for a value that Decant refuses
   */
  SecuredClient openClient() {
    Map<String, Object> settings = DecantSettings.of(config, OWN::contains, defaults());
    settings.put(AUTO_CREATE, "true");
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, deliveryTimeoutMillis);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, linger(config));
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, idempotent());
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Math.min(maxBlockMillis(), Integer.MAX_VALUE));
    // Apache's client accepts any number here; a batch needs at least one byte.
    settings.put(ProducerConfig.BATCH_SIZE_CONFIG, Math.max(1, config.getInt(ProducerConfig.BATCH_SIZE_CONFIG)));
    settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, memory(bufferMemory()));
    settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Math.max(LEAST_REQUEST, maxRequestSize()));
    atLeast(settings, ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 1);
    atLeast(settings, ProducerConfig.METADATA_MAX_AGE_CONFIG, LEAST_METADATA_AGE);
    atLeast(settings, ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG, 1);
    atLeast(settings, ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1);
    atLeast(settings, ProducerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, 1);
    atMost(settings, ProducerConfig.RETRY_BACKOFF_MS_CONFIG);
    atMost(settings, ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG);
    return SecuredClient.open(config, settings, builder -> {});
  }

  /**
   * Throws if the codec of {@code compression.type} or its library is missing. A transactional producer opens with its
   * transactions, and would fail as late as that.
   */
  void checkCompression() {
    CompressionType type = CompressionType.valueOf(
        config.getString(ProducerConfig.COMPRESSION_TYPE_CONFIG).toUpperCase(Locale.ROOT));
    if (type != CompressionType.NONE) {
      CompressionCodec.decompressor(type).close(); // loads the compressor's library, and needs no level
    }
  }

  private static long memory(long wanted) {
    if (wanted >= LITTLE_MEMORY) {
      return wanted;
    }
    return wanted <= LEAST_MEMORY ? LEAST_MEMORY : Long.highestOneBit(wanted - 1) << 1;
  }

  private static Map<String, String> defaults() {
    Map<String, String> defaults = new HashMap<>(KafkaClient.builder("").settings());
    for (ProducerSetting setting : ProducerSetting.values()) {
      defaults.put(setting.kafkaName(), setting.format(setting.defaultValue()));
    }
    return defaults;
  }

  private void atLeast(Map<String, Object> settings, String name, long least) {
    settings.put(name, Math.max(least, number(name)));
  }

  /** Returns a setting that is an int or a long. */
  private long number(String name) {
    return config.values().get(name) instanceof Number number ? number.longValue() : 0;
  }

  private void atMost(Map<String, Object> settings, String name) {
    settings.put(name, Math.min(Integer.MAX_VALUE, config.getLong(name)));
  }

  ProducerConfig config() {
    return config;
  }

  String clientId() {
    return config.getString(ProducerConfig.CLIENT_ID_CONFIG);
  }

  /** Returns the transactional id; null without transactions. */
  @Nullable
  String transactionalId() {
    return config.getString(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
  }

  Duration transactionTimeout() {
    return Duration.ofMillis(config.getInt(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG));
  }

  boolean twoPhaseCommit() {
    return Boolean.TRUE.equals(config.values().get(TWO_PHASE_COMMIT));
  }

  boolean idempotent() {
    return config.getBoolean(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG);
  }

  boolean ignoresKeys() {
    return config.getBoolean(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG);
  }

  boolean pushesMetrics() {
    return config.getBoolean(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG);
  }

  long maxBlockMillis() {
    return config.getLong(ProducerConfig.MAX_BLOCK_MS_CONFIG);
  }

  /** Returns {@code max.block.ms}, at least 1 ms, because transactions wait for responses. */
  Duration maxBlock() {
    return Duration.ofMillis(Math.clamp(maxBlockMillis(), 1, Integer.MAX_VALUE));
  }

  int maxRequestSize() {
    return config.getInt(ProducerConfig.MAX_REQUEST_SIZE_CONFIG);
  }

  long bufferMemory() {
    return config.getLong(ProducerConfig.BUFFER_MEMORY_CONFIG);
  }
}
