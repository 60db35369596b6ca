package dev.decant.kafka.consumer;

import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.cluster.TopicName;
import dev.decant.kafka.fetch.FetchSettings;
import dev.decant.kafka.group.ClassicSettings;
import dev.decant.kafka.group.GroupSettings;
import dev.decant.kafka.group.Subscription;
import dev.decant.kafka.group.TopicFilter;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.settings.Contradictions;
import dev.decant.kafka.settings.SettingOwner;
import dev.decant.kafka.settings.SettingProblems;
import dev.decant.kafka.settings.SettingReader;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a consumer, under Kafka's names. Not thread-safe.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class ConsumerBuilder<K, V> {
  private final ClientInternals client;
  private final Decoder<? extends K> keys;
  private final Decoder<? extends V> values;
  /** Largest decompressed batch, in bytes. */
  private int maxDecompressedBatch = 64 * 1024 * 1024;
  private final EnumMap<ConsumerSetting, String> explicit = new EnumMap<>(ConsumerSetting.class);
  private @Nullable Subscription subscription;
  /** Assignors of the application that {@link ConsumerSetting#ASSIGNORS} names. */
  private List<Assignor> ownAssignors = List.of();
  private BadRecordPolicy badRecords = BadRecordPolicy.STOP;
  private boolean exclusive;
  private RebalanceListener listener = new RebalanceListener() {
  };

  /**
   * Starts with the defaults of {@link ConsumerSetting}. Called by {@link
   * dev.decant.kafka.client.KafkaClient#consumer}, which then sets the client's properties.
   *
   * @param client its loop, connections and fetch memory serve the consumer
   * @param keys decodes keys
   * @param values decodes values
   */
  @SuppressWarnings("exports")
  public ConsumerBuilder(ClientInternals client, Decoder<? extends K> keys, Decoder<? extends V> values) {
    this.client = Objects.requireNonNull(client, "client");
    this.keys = Objects.requireNonNull(keys, "keys");
    this.values = Objects.requireNonNull(values, "values");
  }

  /**
   * Sets {@link ConsumerSetting#FETCH_MAX_WAIT}.
   *
   * @param value how long a broker may wait for {@code fetchMinBytes}; less than the client's request timeout
   * @return this
   */
  public ConsumerBuilder<K, V> fetchMaxWait(Duration value) {
    return set(ConsumerSetting.FETCH_MAX_WAIT, value);
  }

  /**
   * Sets {@link ConsumerSetting#FETCH_MIN_BYTES}.
   *
   * @param bytes number of bytes for which a broker waits, within {@code fetchMaxWait}
   * @return this
   */
  public ConsumerBuilder<K, V> fetchMinBytes(int bytes) {
    return set(ConsumerSetting.FETCH_MIN_BYTES, Integer.toString(bytes));
  }

  /**
   * Sets {@link ConsumerSetting#FETCH_MAX_BYTES}. If half of the client's free fetch memory is less, a fetch asks for
   * that: then one response can arrive while another is consumed.
   *
   * @param bytes bound of a response; a larger first batch may exceed it
   * @return this
   */
  public ConsumerBuilder<K, V> fetchMaxBytes(int bytes) {
    return set(ConsumerSetting.FETCH_MAX_BYTES, Integer.toString(bytes));
  }

  /**
   * Sets {@link ConsumerSetting#MAX_PARTITION_FETCH_BYTES}.
   *
   * @param bytes bound of one partition's part of a response, except for a larger first batch
   * @return this
   */
  public ConsumerBuilder<K, V> maxPartitionFetchBytes(int bytes) {
    return set(ConsumerSetting.MAX_PARTITION_FETCH_BYTES, Integer.toString(bytes));
  }

  /**
   * Sets {@link ConsumerSetting#MAX_POLL_RECORDS}.
   *
   * @param records most records that a poll delivers
   * @return this
   */
  public ConsumerBuilder<K, V> maxPollRecords(int records) {
    return set(ConsumerSetting.MAX_POLL_RECORDS, Integer.toString(records));
  }

  /**
   * Sets the bound of a compressed batch's records once decompressed; 64 MiB by default. Kafka has no such setting. The
   * consumer keeps direct memory for the largest batch it has read. A batch beyond the bound is an error of poll.
   *
   * @param bytes the bound
   * @return this
   */
  public ConsumerBuilder<K, V> maxDecompressedBatch(int bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("maxDecompressedBatch: " + bytes + " is not positive");
    }
    maxDecompressedBatch = bytes;
    return this;
  }

  /**
   * Promises that one thread at a time calls the consumer, as Kafka's own consumer demands; false by default. Each call
   * then takes effect at once, on any thread. {@link Consumer#wakeup} ends any call that waits: a poll returns, others
   * throw a {@link WakeupException}.
   *
   * @param value true if the application makes sure of that
   * @return this
   */
  public ConsumerBuilder<K, V> exclusive(boolean value) {
    exclusive = value;
    return this;
  }

  /**
   * Sets what happens to a record whose key or value the decoder cannot read; {@link BadRecordPolicy#STOP} by default.
   *
   * @param value one of the two policies of {@link BadRecordPolicy}, or the application's own
   * @return this
   */
  public ConsumerBuilder<K, V> onBadRecord(BadRecordPolicy value) {
    badRecords = Objects.requireNonNull(value, "value");
    return this;
  }

  /**
   * Sets {@link ConsumerSetting#OFFSET_RESET}.
   *
   * @param value where a partition without a position begins
   * @return this
   */
  public ConsumerBuilder<K, V> offsetReset(OffsetReset value) {
    return set(ConsumerSetting.OFFSET_RESET, value.toString());
  }

  /**
   * Sets {@link ConsumerSetting#ISOLATION_LEVEL}.
   *
   * @param value whether to deliver only records of committed transactions
   * @return this
   */
  public ConsumerBuilder<K, V> isolationLevel(IsolationLevel value) {
    return set(ConsumerSetting.ISOLATION_LEVEL, value.text());
  }

  /**
   * Sets {@link ConsumerSetting#GROUP}, which stores offsets, and with {@link #subscribe} assigns the partitions.
   *
   * @param id of the group
   * @return this
   */
  public ConsumerBuilder<K, V> group(String id) {
    return set(ConsumerSetting.GROUP, named("group.id", "id", id));
  }

  /**
   * Sets {@link ConsumerSetting#GROUP_INSTANCE}.
   *
   * @param id different for each consumer of the group, and the same after a restart
   * @return this
   */
  public ConsumerBuilder<K, V> groupInstance(String id) {
    return set(ConsumerSetting.GROUP_INSTANCE, named("group.instance.id", "id", id));
  }

  /**
   * Sets {@link ConsumerSetting#RACK}. If a leader names a follower in this rack, the consumer reads from the follower
   * (KIP-392).
   *
   * @param name as brokers name it
   * @return this
   */
  public ConsumerBuilder<K, V> rack(String name) {
    return set(ConsumerSetting.RACK, named("client.rack", "name", name));
  }

  /**
   * Sets {@link ConsumerSetting#ASSIGNOR}.
   *
   * @param name such as {@code uniform} or {@code range}
   * @return this
   */
  public ConsumerBuilder<K, V> assignor(String name) {
    return set(ConsumerSetting.ASSIGNOR, named("group.remote.assignor", "name", name));
  }

  /**
   * Sets {@link ConsumerSetting#GROUP_PROTOCOL}.
   *
   * @param value which side assigns the partitions
   * @return this
   */
  public ConsumerBuilder<K, V> groupProtocol(GroupProtocol value) {
    return set(ConsumerSetting.GROUP_PROTOCOL, value.text());
  }

  /**
   * Sets {@link ConsumerSetting#ASSIGNORS}: assignors of {@link dev.decant.kafka.assignor.Assignors}, or the
   * application's own.
   *
   * @param byPreference at least one, with different names
   * @return this
   */
  public ConsumerBuilder<K, V> assignors(Assignor... byPreference) {
    List<Assignor> all = requireAll("byPreference", byPreference);
    explicit.put(ConsumerSetting.ASSIGNORS, ClassicOptions.names(all));
    ownAssignors = all;
    return this;
  }

  /**
   * Sets {@link ConsumerSetting#SESSION_TIMEOUT}.
   *
   * @param value within the broker's bounds
   * @return this
   */
  public ConsumerBuilder<K, V> sessionTimeout(Duration value) {
    return set(ConsumerSetting.SESSION_TIMEOUT, value);
  }

  /**
   * Sets {@link ConsumerSetting#HEARTBEAT_INTERVAL}.
   *
   * @param value less than the session timeout; 3 s by default
   * @return this
   */
  public ConsumerBuilder<K, V> heartbeatInterval(Duration value) {
    return set(ConsumerSetting.HEARTBEAT_INTERVAL, value);
  }

  /**
   * Sets {@link ConsumerSetting#METADATA_MAX_AGE}; the client's value by default.
   *
   * @param value between two requests for metadata
   * @return this
   */
  public ConsumerBuilder<K, V> metadataMaxAge(Duration value) {
    return set(ConsumerSetting.METADATA_MAX_AGE, value);
  }

  /**
   * Subscribes to these topics: the group then assigns their partitions. Needs a group.
   *
   * @param topics their names; they may be created later
   * @return this
   */
  public ConsumerBuilder<K, V> subscribe(String... topics) {
    subscription = new Subscription(TopicName.requireLegal("topics", topics), null);
    return this;
  }

  /**
   * Subscribes to all topics that match, also to topics that are created later. Needs a group.
   *
   * @param expression matched against whole names: by the broker, in RE2J's syntax; under the classic protocol by this
   *     client, as {@link java.util.regex.Pattern}
   * @return this
   */
  public ConsumerBuilder<K, V> subscribePattern(String expression) {
    subscription = new Subscription(List.of(), named("subscribePattern", "expression", expression));
    return this;
  }

  /**
   * Subscribes to all topics that match, also to topics that are created later. This client matches, under both
   * protocols. Needs a group.
   *
   * @param pattern of whole names
   * @param withInternal whether Kafka's internal topics may match
   * @return this
   */
  public ConsumerBuilder<K, V> subscribePattern(Pattern pattern, boolean withInternal) {
    subscription = new Subscription(List.of(), null,
        new TopicFilter(Objects.requireNonNull(pattern, "pattern"), withInternal));
    return this;
  }

  /**
   * Sets the listener of assigned and revoked partitions.
   *
   * @param value called by the polling thread
   * @return this
   */
  public ConsumerBuilder<K, V> rebalanceListener(RebalanceListener value) {
    listener = Objects.requireNonNull(value, "value");
    return this;
  }

  /**
   * Sets {@link ConsumerSetting#AUTO_COMMIT}. Has no effect without a group.
   *
   * @param enabled false to commit by calls
   * @return this
   */
  public ConsumerBuilder<K, V> autoCommit(boolean enabled) {
    return set(ConsumerSetting.AUTO_COMMIT, Boolean.toString(enabled));
  }

  /**
   * Sets {@link ConsumerSetting#AUTO_COMMIT_INTERVAL}.
   *
   * @param value between commits
   * @return this
   */
  public ConsumerBuilder<K, V> autoCommitInterval(Duration value) {
    return set(ConsumerSetting.AUTO_COMMIT_INTERVAL, value);
  }

  /**
   * Sets {@link ConsumerSetting#MAX_POLL_INTERVAL}. Half of it without a poll is reported to group listeners.
   *
   * @param value zero for no bound
   * @return this
   */
  public ConsumerBuilder<K, V> maxPollInterval(Duration value) {
    return set(ConsumerSetting.MAX_POLL_INTERVAL, value);
  }

  /**
   * Sets {@link ConsumerSetting#REVOCATION_TIMEOUT}. The group removes a member that has not polled by then.
   *
   * @param value the bound
   * @return this
   */
  public ConsumerBuilder<K, V> revocationTimeout(Duration value) {
    return set(ConsumerSetting.REVOCATION_TIMEOUT, value);
  }

  /**
   * Sets {@link ConsumerSetting#API_TIMEOUT}.
   *
   * @param value the bound
   * @return this
   */
  public ConsumerBuilder<K, V> apiTimeout(Duration value) {
    return set(ConsumerSetting.API_TIMEOUT, value);
  }

  /**
   * Sets values by Kafka's names, as in a properties file, like calls of the methods of that name. The page {@code
   * docs/settings.md} lists names that are no settings of a consumer, and their effect.
   *
   * @param settings such as {@code max.poll.records} to {@code 100}; text or objects; null counts as absent
   * @return this
   * @throws IllegalArgumentException with all problems, a line each; nothing is set then
   */
  public ConsumerBuilder<K, V> properties(Map<String, ?> settings) {
    Objects.requireNonNull(settings, "settings");
    EnumMap<ConsumerSetting, String> read = new EnumMap<>(ConsumerSetting.class);
    SettingProblems problems = new SettingProblems();
    SettingReader.read(settings, EnumSet.of(SettingOwner.CONSUMER), problems)
        .forEach((name, text) -> problems.collect(() -> {
          ConsumerSetting setting = ConsumerSetting.of(name);
          read.put(setting, setting.parse(text));
        }));
    problems.throwIfAny();
    explicit.putAll(read);
    ownAssignors = read.containsKey(ConsumerSetting.ASSIGNORS) ? List.of() : ownAssignors;
    return this;
  }

  /**
   * Returns the values of all settings.
   *
   * @return every setting by Kafka's name, as Kafka's properties write it
   */
  public Map<String, String> settings() {
    Map<String, String> all = new LinkedHashMap<>();
    for (ConsumerSetting setting : ConsumerSetting.values()) {
      all.put(setting.kafkaName(), text(setting));
    }
    return all;
  }

  /** Returns an array as a list. The exception for null in it names the parameter. */
  static <T> List<T> requireAll(String parameter, T[] values) {
    for (T value : Objects.requireNonNull(values, parameter)) {
      Objects.requireNonNull(value, parameter);
    }
    return List.of(values);
  }

  private static String named(String setting, String parameter, String value) {
    Objects.requireNonNull(value, parameter);
    if (value.isBlank()) {
      throw new IllegalArgumentException(setting + ": the text is empty");
    }
    return value;
  }

  private ConsumerBuilder<K, V> set(ConsumerSetting setting, Duration value) {
    if (!value.equals(value.truncatedTo(ChronoUnit.MILLIS))) {
      throw new IllegalArgumentException(setting.kafkaName() + ": " + value + " is no whole number of milliseconds");
    }
    return set(setting, Long.toString(Timeouts.millis(value)));
  }

  private ConsumerBuilder<K, V> set(ConsumerSetting setting, String value) {
    explicit.put(setting, setting.parse(value));
    return this;
  }

  private String text(ConsumerSetting setting) {
    String given = explicit.get(setting);
    if (given == null && setting == ConsumerSetting.METADATA_MAX_AGE) {
      long ofClient = TimeUnit.NANOSECONDS.toMillis(client.cluster().metadataMaxAgeNanos());
      return Long.toString(Math.min(Integer.MAX_VALUE, ofClient));
    }
    return given == null ? setting.defaultValue() : given;
  }

  private @Nullable String textOrNull(ConsumerSetting setting) {
    String text = text(setting);
    return text.isEmpty() ? null : text;
  }

  private int number(ConsumerSetting setting) {
    return Integer.parseInt(text(setting));
  }

  private long nanos(ConsumerSetting setting) {
    return TimeUnit.MILLISECONDS.toNanos(number(setting));
  }

  private @Nullable GroupOptions groupOptions() {
    SettingProblems problems = new SettingProblems();
    Contradictions.ofFetches(client.requireOpen().requestTimeoutMillis(), number(ConsumerSetting.FETCH_MAX_WAIT),
        problems);
    String group = textOrNull(ConsumerSetting.GROUP);
    if (group == null) {
      requireNoGroup(problems);
      problems.throwIfAny();
      return null;
    }
    Contradictions.ofMember(settings(), explicit.keySet().stream().map(ConsumerSetting::kafkaName).toList(), problems);
    problems.throwIfAny();
    ClassicSettings classic = classicSettings();
    int revocation = revocationTimeoutMillis(classic != null);
    GroupSettings member = new GroupSettings(group, textOrNull(ConsumerSetting.GROUP_INSTANCE),
        textOrNull(ConsumerSetting.RACK), textOrNull(ConsumerSetting.ASSIGNOR), revocation);
    boolean automatic = Boolean.parseBoolean(text(ConsumerSetting.AUTO_COMMIT));
    GroupOptions options = new GroupOptions(member, classic, subscription, listener,
        automatic ? nanos(ConsumerSetting.AUTO_COMMIT_INTERVAL) : 0, TimeUnit.MILLISECONDS.toNanos(revocation),
        nanos(ConsumerSetting.MAX_POLL_INTERVAL));
    if (subscription != null) {
      options.requireReadable(subscription);
    }
    return options;
  }

  private void requireNoGroup(SettingProblems problems) {
    for (ConsumerSetting needsGroup : List.of(ConsumerSetting.GROUP_INSTANCE, ConsumerSetting.ASSIGNOR)) {
      if (!text(needsGroup).isEmpty()) {
        problems.add(needsGroup.kafkaName() + ": needs a group; name one: group(id)");
      }
    }
    if (subscription != null) {
      problems.add("group.id: a subscription needs a group; name one: group(id), or assign partitions instead");
    }
  }

  private @Nullable ClassicSettings classicSettings() {
    if (GroupProtocol.of(text(ConsumerSetting.GROUP_PROTOCOL)) == GroupProtocol.CONSUMER) {
      return null;
    }
    EnumMap<ConsumerSetting, String> all = new EnumMap<>(ConsumerSetting.class);
    for (ConsumerSetting setting : ConsumerSetting.values()) {
      all.put(setting, text(setting));
    }
    return ClassicOptions.of(all, ownAssignors);
  }

  /**
   * Returns the rebalance timeout. In a classic group the poll interval bounds rebalances, too, as for Kafka's own
   * consumer.
   */
  private int revocationTimeoutMillis(boolean classic) {
    boolean interval = classic && !explicit.containsKey(ConsumerSetting.REVOCATION_TIMEOUT)
        && number(ConsumerSetting.MAX_POLL_INTERVAL) > 0;
    return number(interval ? ConsumerSetting.MAX_POLL_INTERVAL : ConsumerSetting.REVOCATION_TIMEOUT);
  }

  /**
   * Opens the consumer. With a subscription it joins the group at once. Without one, it reads nothing until partitions
   * are assigned.
   *
   * @return the consumer, to be closed
   * @throws IllegalArgumentException if settings contradict one another
   */
  public Consumer<K, V> open() {
    GroupOptions group = groupOptions();
    OffsetReset reset = OffsetReset.of(text(ConsumerSetting.OFFSET_RESET));
    boolean readsCommitted = IsolationLevel.of(text(ConsumerSetting.ISOLATION_LEVEL)) == IsolationLevel.READ_COMMITTED;
    FetchSettings fetch = new FetchSettings(number(ConsumerSetting.FETCH_MAX_WAIT),
        number(ConsumerSetting.FETCH_MIN_BYTES), number(ConsumerSetting.FETCH_MAX_BYTES),
        number(ConsumerSetting.MAX_PARTITION_FETCH_BYTES), readsCommitted, text(ConsumerSetting.RACK),
        new ResetPolicy(reset));
    ConsumerOptions options = new ConsumerOptions(fetch, number(ConsumerSetting.MAX_POLL_RECORDS), reset,
        maxDecompressedBatch, badRecords, nanos(ConsumerSetting.API_TIMEOUT), exclusive);
    return new Consumer<K, V>(client.requireOpen(), options, group, keys, values).started();
  }
}
