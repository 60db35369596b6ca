package dev.decant.kafka.producer;

import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.cluster.TopicName;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.serialization.Encoder;
import dev.decant.kafka.settings.Contradictions;
import dev.decant.kafka.settings.SettingOwner;
import dev.decant.kafka.settings.SettingProblems;
import dev.decant.kafka.settings.SettingReader;
import dev.decant.kafka.settings.SettingText;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a producer, under Kafka's names. A value that is set by a call wins over the preset's, and that over
 * the default, whatever the order of calls. Not thread-safe.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class ProducerBuilder<K, V> {
  private static final String RACK = "client.rack";
  private static final String RACK_AWARE = "partitioner.rack.aware";

  private final ClientInternals client;
  private final Encoder<? super K> keys;
  private final Encoder<? super V> values;
  private final EnumMap<ProducerSetting, Long> explicit = new EnumMap<>(ProducerSetting.class);
  private @Nullable Preset preset;
  private Partitioner partitioner = Partitioner.byKey();
  private String topic = "";
  private @Nullable String rack;
  private @Nullable Transactions transactions;

  /**
   * Begins with the defaults of {@link ProducerSetting}. For {@link dev.decant.kafka.client.KafkaClient#producer},
   * which begins with the properties of its client.
   *
   * @param client the client that the producer belongs to
   * @param keys encodes keys
   * @param values encodes values
   */
  @SuppressWarnings("exports")
  public ProducerBuilder(ClientInternals client, Encoder<? super K> keys, Encoder<? super V> values) {
    this.client = Objects.requireNonNull(client, "client");
    this.keys = Objects.requireNonNull(keys, "keys");
    this.values = Objects.requireNonNull(values, "values");
  }

  /**
   * Where to write. Must be set.
   *
   * @param name the topic
   * @return this
   * @throws IllegalArgumentException if no broker would take the name
   */
  public ProducerBuilder<K, V> topic(String name) {
    topic = TopicName.requireLegal(name);
    return this;
  }

  /**
   * Settings that go together.
   *
   * @param value takes the place of a preset named before
   * @return this
   */
  public ProducerBuilder<K, V> preset(Preset value) {
    preset = Objects.requireNonNull(value, "value");
    return this;
  }

  /**
   * Settings by Kafka's names, as in a properties file: the same as to call the methods of that name. As with Kafka,
   * {@code client.rack} counts only with {@code partitioner.rack.aware}. The page {@code docs/settings.md} says what
   * happens with names that are no setting of a producer.
   *
   * @param settings such as {@code linger.ms} to {@code 100}; text or objects, null for the default
   * @return this
   * @throws IllegalArgumentException with all problems, a line each; nothing is set then
   */
  public ProducerBuilder<K, V> properties(Map<String, ?> settings) {
    Objects.requireNonNull(settings, "settings");
    EnumMap<ProducerSetting, Long> read = new EnumMap<>(ProducerSetting.class);
    SettingProblems problems = new SettingProblems();
    Map<String, String> own = SettingReader.read(settings, EnumSet.of(SettingOwner.PRODUCER), problems);
    own.forEach((name, text) -> {
      if (!name.equals(RACK) && !name.equals(RACK_AWARE)) {
        problems.collect(() -> {
          ProducerSetting setting = ProducerSetting.of(name);
          read.put(setting, setting.parse(text));
        });
      }
    });
    String near = own.getOrDefault(RACK, "");
    boolean[] aware = new boolean[1];
    problems.collect(() -> aware[0] = SettingText.flag(RACK_AWARE, own.getOrDefault(RACK_AWARE, "false")));
    if (aware[0] && near.isEmpty()) {
      problems.add(Contradictions.RACK_IS_MISSING);
    }
    problems.throwIfAny();
    if (aware[0]) {
      rack(near);
    }
    explicit.putAll(read);
    return this;
  }

  /**
   * {@link ProducerSetting#ACKS}.
   *
   * @param value the replicas that must have a record before it counts as stored
   * @return this
   */
  public ProducerBuilder<K, V> acks(Acks value) {
    return set(ProducerSetting.ACKS, value.wire());
  }

  /**
   * {@link ProducerSetting#IDEMPOTENCE}.
   *
   * @param enabled off is needed for acks other than ALL
   * @return this
   */
  public ProducerBuilder<K, V> idempotence(boolean enabled) {
    return set(ProducerSetting.IDEMPOTENCE, enabled ? 1 : 0);
  }

  /**
   * {@link ProducerSetting#LINGER}. With 0 batches form by themselves while another one is in flight.
   *
   * @param value how long a batch waits for more records
   * @return this
   */
  public ProducerBuilder<K, V> linger(Duration value) {
    return set(ProducerSetting.LINGER, value);
  }

  /**
   * {@link ProducerSetting#BATCH_SIZE}.
   *
   * @param bytes a batch of more than one record is not larger
   * @return this
   */
  public ProducerBuilder<K, V> batchSize(int bytes) {
    return set(ProducerSetting.BATCH_SIZE, bytes);
  }

  /**
   * {@link ProducerSetting#BUFFER_MEMORY}. Direct memory of the producer's own, taken as it is needed. A producer that
   * was given none shares that of its client ({@link dev.decant.kafka.client.KafkaClientBuilder#bufferMemory}).
   *
   * @param bytes the bound
   * @return this
   */
  public ProducerBuilder<K, V> bufferMemory(long bytes) {
    return set(ProducerSetting.BUFFER_MEMORY, bytes);
  }

  /**
   * {@link ProducerSetting#MAX_REQUEST_SIZE}.
   *
   * @param bytes bound of a request, and of a record
   * @return this
   */
  public ProducerBuilder<K, V> maxRequestSize(int bytes) {
    return set(ProducerSetting.MAX_REQUEST_SIZE, bytes);
  }

  /**
   * {@link ProducerSetting#MAX_BLOCK}: how long {@code open} waits for metadata and {@code send} for memory.
   *
   * @param value the bound
   * @return this
   */
  public ProducerBuilder<K, V> maxBlock(Duration value) {
    return set(ProducerSetting.MAX_BLOCK, value);
  }

  /**
   * {@link ProducerSetting#DELIVERY_TIMEOUT}. A record that is in flight at that time fails, too, but may be
   * stored all the same.
   *
   * @param value the bound
   * @return this
   */
  public ProducerBuilder<K, V> deliveryTimeout(Duration value) {
    return set(ProducerSetting.DELIVERY_TIMEOUT, value);
  }

  /**
   * {@link ProducerSetting#RETRY_BACKOFF} and {@link ProducerSetting#RETRY_BACKOFF_MAX}.
   *
   * @param first before the first retry
   * @param most bound of later pauses; if less than the first, all pauses have this length
   * @return this
   */
  public ProducerBuilder<K, V> retryBackoff(Duration first, Duration most) {
    Objects.requireNonNull(first, "first");
    Objects.requireNonNull(most, "most");
    set(ProducerSetting.RETRY_BACKOFF, first);
    return set(ProducerSetting.RETRY_BACKOFF_MAX, most);
  }

  /**
   * {@link ProducerSetting#RETRIES}.
   *
   * @param most how often a batch is sent again; 0 needs {@link #idempotence} off
   * @return this
   */
  public ProducerBuilder<K, V> retries(int most) {
    return set(ProducerSetting.RETRIES, most);
  }

  /**
   * {@link ProducerSetting#MAX_IN_FLIGHT}.
   *
   * @param batches of one partition, from 1 on; more than 5 count as 5
   * @return this
   */
  public ProducerBuilder<K, V> maxInFlight(int batches) {
    return set(ProducerSetting.MAX_IN_FLIGHT, batches);
  }

  /**
   * {@link ProducerSetting#COMPRESSION}. All but none and gzip need a module: {@code decant-kafka-codec-lz4},
   * {@code -snappy} or {@code -zstd}.
   *
   * @param type how batches are compressed
   * @return this
   */
  public ProducerBuilder<K, V> compression(CompressionType type) {
    return set(ProducerSetting.COMPRESSION, type.id());
  }

  /**
   * {@link ProducerSetting#GZIP_LEVEL}, {@link ProducerSetting#LZ4_LEVEL} or {@link ProducerSetting#ZSTD_LEVEL}: holds
   * if that is the type of compression.
   *
   * @param type GZIP, LZ4 or ZSTD
   * @param level as Kafka counts them
   * @return this
   */
  public ProducerBuilder<K, V> compressionLevel(CompressionType type, int level) {
    ProducerSetting setting = levelOf(type);
    if (setting == null) {
      throw new IllegalArgumentException("compression: " + type + " has no levels; GZIP, LZ4 and ZSTD have");
    }
    return set(setting, level);
  }

  private static @Nullable ProducerSetting levelOf(CompressionType type) {
    return switch (type) {
      case GZIP -> ProducerSetting.GZIP_LEVEL;
      case LZ4 -> ProducerSetting.LZ4_LEVEL;
      case ZSTD -> ProducerSetting.ZSTD_LEVEL;
      case NONE, SNAPPY -> null;
    };
  }

  private CompressionType compression() {
    return CompressionType.of((int) value(ProducerSetting.COMPRESSION));
  }

  private int compressionLevel() {
    ProducerSetting setting = levelOf(compression());
    return setting == null ? 0 : (int) value(setting);
  }

  /**
   * Where this producer runs: Kafka's {@code client.rack} with {@code partitioner.rack.aware} (KIP-1123). Records
   * without a key go to partitions whose leader is in the same rack, as long as there is one.
   *
   * @param name as brokers have it in {@code broker.rack}
   * @return this
   */
  public ProducerBuilder<K, V> rack(String name) {
    if (name.isBlank()) {
      throw new IllegalArgumentException("rack: the name is empty");
    }
    rack = name;
    return this;
  }

  /**
   * Chooses the partition of each record; {@link Partitioner#byKey} by default.
   *
   * @param value thread-safe
   * @return this
   */
  public ProducerBuilder<K, V> partitioner(Partitioner value) {
    partitioner = Objects.requireNonNull(value, "value");
    return this;
  }

  /**
   * Makes the producer write within transactions: it takes records only while one is open. There is one producer for
   * each topic. It needs idempotence, which is on by default.
   *
   * @param value of the same client
   * @return this
   */
  public ProducerBuilder<K, V> transactions(Transactions value) {
    transactions = Objects.requireNonNull(value, "value");
    return this;
  }

  private void checkTransactions(boolean idempotent) {
    Transactions wanted = transactions;
    if (wanted == null) {
      return;
    }
    if (!idempotent) {
      throw new IllegalArgumentException("enable.idempotence: false contradicts transactions, which need it");
    }
    if (!wanted.belongsTo(client)) {
      throw new IllegalArgumentException(
          "transactions: those of " + wanted.transactionalId() + " were opened by another client; open both by one");
    }
  }

  private ProducerBuilder<K, V> set(ProducerSetting setting, Duration value) {
    if (!value.equals(value.truncatedTo(ChronoUnit.MILLIS))) {
      throw new IllegalArgumentException(setting.kafkaName() + ": " + value + " is no whole number of milliseconds");
    }
    return set(setting, Timeouts.millis(value));
  }

  private ProducerBuilder<K, V> set(ProducerSetting setting, long value) {
    explicit.put(setting, setting.checked(value));
    return this;
  }

  /**
   * All settings as they are now.
   *
   * @return every setting by Kafka's name, as Kafka's properties write it
   */
  public Map<String, String> settings() {
    Map<String, String> all = new LinkedHashMap<>();
    for (ProducerSetting setting : ProducerSetting.values()) {
      all.put(setting.kafkaName(), setting.format(value(setting)));
    }
    return all;
  }

  private long value(ProducerSetting setting) {
    Preset named = preset;
    long otherwise = named == null ? setting.defaultValue() : named.value(setting);
    return explicit.getOrDefault(setting, otherwise);
  }

  /** Bytes of its own memory if a call or the preset sets them; 0 for a share of the client's. */
  private long ownMemory() {
    Preset named = preset;
    boolean own = explicit.containsKey(ProducerSetting.BUFFER_MEMORY)
        || (named != null && named.settings().containsKey(ProducerSetting.BUFFER_MEMORY));
    return own ? value(ProducerSetting.BUFFER_MEMORY) : 0;
  }

  private long nanos(ProducerSetting setting) {
    return TimeUnit.MILLISECONDS.toNanos(value(setting));
  }

  /**
   * Checks the settings, waits for the topic's metadata and opens the producer.
   *
   * @return the producer, to be closed
   * @throws IllegalArgumentException when a setting is missing or contradicts another, or the codec of the compression
   *     is not there; the message names the module to add
   * @throws dev.decant.kafka.KafkaException when the topic does not exist or no broker answers within {@code maxBlock}
   * @throws InterruptedException if the thread was interrupted
   */
  public Producer<K, V> open() throws InterruptedException {
    return Producer.open(client.requireOpen(), checked(), ownMemory(), keys, values);
  }

  /**
   * Checks the settings and opens the producer without a wait. Until the topic's metadata is known, records are kept on
   * the heap, within {@code bufferMemory}, and each for {@code maxBlock} at most. Then its listener gets the failure:
   * the topic does not exist, or no broker has responded. If no more can be kept, {@code trySend} returns
   * {@link SendStatus#METADATA_PENDING}, and other sends wait, up to {@code maxBlock}. A producer with transactions
   * keeps none.
   *
   * @return the producer, to be closed
   * @throws IllegalArgumentException as {@link #open()} does
   */
  public Producer<K, V> openAtOnce() {
    return Producer.openAtOnce(client.requireOpen(), checked(), ownMemory(), keys, values);
  }

  /**
   * Checks the settings and opens a producer for any topic. It waits for nothing: a topic's metadata is asked for with
   * the first record for it.
   *
   * @return the producer, to be closed
   * @throws IllegalArgumentException when a topic is set, a setting contradicts another, or the codec of the
   *     compression is not there
   */
  public AnyTopicProducer<K, V> openForAnyTopic() {
    if (!topic.isEmpty()) {
      throw new IllegalArgumentException("topic: " + topic + " is set, but the producer is to be for any topic");
    }
    return new AnyTopicProducer<K, V>(client.requireOpen(), checkedForAnyTopic(), ownMemory(), keys, values).started();
  }

  RetryBackoff backoff() {
    return new RetryBackoff(nanos(ProducerSetting.RETRY_BACKOFF), nanos(ProducerSetting.RETRY_BACKOFF_MAX));
  }

  private ProducerSettings checked() {
    if (topic.isEmpty()) {
      throw new IllegalArgumentException("topic: a producer needs one");
    }
    return checkedForAnyTopic();
  }

  private ProducerSettings checkedForAnyTopic() {
    Acks acks = Acks.of(value(ProducerSetting.ACKS));
    boolean idempotent = value(ProducerSetting.IDEMPOTENCE) == 1;
    SettingProblems problems = new SettingProblems();
    Contradictions.ofProducer(settings(), problems);
    problems.throwIfAny();
    checkTransactions(idempotent);
    return new ProducerSettings(topic, acks, idempotent, nanos(ProducerSetting.LINGER),
        (int) value(ProducerSetting.BATCH_SIZE), (int) value(ProducerSetting.MAX_REQUEST_SIZE),
        nanos(ProducerSetting.MAX_BLOCK), nanos(ProducerSetting.DELIVERY_TIMEOUT), partitioner, backoff(),
        client.requireOpen().requestTimeoutMillis(), compression(), compressionLevel(), rack,
        transactions, (int) value(ProducerSetting.RETRIES),
        (int) Math.min(ProduceRequests.MAX_IN_FLIGHT, value(ProducerSetting.MAX_IN_FLIGHT)));
  }
}
