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
 * The settings of a consumer, under Kafka's names. Not thread-safe.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class ConsumerBuilder<K, V> {
  private final ClientInternals client;
  private final Decoder<? extends K> keys;
  private final Decoder<? extends V> values;
  private int maxDecompressedBatch = 64 * 1024 * 1024;
  private final EnumMap<ConsumerSetting, String> explicit = new EnumMap<>(ConsumerSetting.class);
  private @Nullable Subscription subscription;
  /** What {@link ConsumerSetting#ASSIGNORS} names and the client does not bring. */
  private List<Assignor> ownAssignors = List.of();
  private BadRecordPolicy badRecords = BadRecordPolicy.STOP;
  private boolean exclusive;
  private RebalanceListener listener = new RebalanceListener() {
  };

  /**
   * Begins with the defaults of {@link ConsumerSetting}. For {@link dev.decant.kafka.client.KafkaClient#consumer},
   * which begins with the properties of its client.
   *
   * @param client whose loop, connections and fetch memory the consumer will use
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
   * {@link ConsumerSetting#FETCH_MAX_WAIT}.
   *
   * @param value how long a broker may wait for {@code fetchMinBytes}; less than the client's request time-out
   * @return this
   */
  public ConsumerBuilder<K, V> fetchMaxWait(Duration value) {
    return set(ConsumerSetting.FETCH_MAX_WAIT, value);
  }

  /**
   * {@link ConsumerSetting#FETCH_MIN_BYTES}.
   *
   * @param bytes a broker waits for so much, within {@code fetchMaxWait}
   * @return this
   */
  public ConsumerBuilder<K, V> fetchMinBytes(int bytes) {
    return set(ConsumerSetting.FETCH_MIN_BYTES, Integer.toString(bytes));
  }

  /**
   * {@link ConsumerSetting#FETCH_MAX_BYTES}. Where half of what is free of the client's fetch memory is less, that
   * counts, so that one response can be received while another is consumed.
   *
   * @param bytes bound of a response, but for a larger first batch
   * @return this
   */
  public ConsumerBuilder<K, V> fetchMaxBytes(int bytes) {
    return set(ConsumerSetting.FETCH_MAX_BYTES, Integer.toString(bytes));
  }

  /**
   * {@link ConsumerSetting#MAX_PARTITION_FETCH_BYTES}.
   *
   * @param bytes bound of one partition's part of a response, but for a larger first batch
   * @return this
   */
  public ConsumerBuilder<K, V> maxPartitionFetchBytes(int bytes) {
    return set(ConsumerSetting.MAX_PARTITION_FETCH_BYTES, Integer.toString(bytes));
  }

  /**
   * {@link ConsumerSetting#MAX_POLL_RECORDS}.
   *
   * @param records a poll hands out no more
   * @return this
   */
  public ConsumerBuilder<K, V> maxPollRecords(int records) {
    return set(ConsumerSetting.MAX_POLL_RECORDS, Integer.toString(records));
  }

  /**
   * How large the records of a compressed batch may be once decompressed; 64 MiB by default. Kafka has no such setting.
   * The consumer keeps direct memory for the largest batch it has read; a larger one than this is an error of poll.
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
   * Whether the application sees to it that one thread at a time calls the consumer, as Kafka's own consumer demands;
   * false by default. Each call then takes effect at once, whichever thread makes it. {@link Consumer#wakeup} ends any
   * call that waits: a poll returns, others throw a {@link WakeupException}.
   *
   * @param value true if so
   * @return this
   */
  public ConsumerBuilder<K, V> exclusive(boolean value) {
    exclusive = value;
    return this;
  }

  /**
   * What becomes of a record that the decoder of its key or value cannot read; {@link BadRecordPolicy#STOP} by default.
   *
   * @param value one of the two policies that there are, or the application's own
   * @return this
   */
  public ConsumerBuilder<K, V> onBadRecord(BadRecordPolicy value) {
    badRecords = Objects.requireNonNull(value, "value");
    return this;
  }

  /**
   * {@link ConsumerSetting#OFFSET_RESET}.
   *
   * @param value where to begin without a position
   * @return this
   */
  public ConsumerBuilder<K, V> offsetReset(OffsetReset value) {
    return set(ConsumerSetting.OFFSET_RESET, value.toString());
  }

  /**
   * {@link ConsumerSetting#ISOLATION_LEVEL}.
   *
   * @param value whether to see only what is committed
   * @return this
   */
  public ConsumerBuilder<K, V> isolationLevel(IsolationLevel value) {
    return set(ConsumerSetting.ISOLATION_LEVEL, value.text());
  }

  /**
   * {@link ConsumerSetting#GROUP}: who commits, and with {@link #subscribe} who shares the partitions.
   *
   * @param id of the group
   * @return this
   */
  public ConsumerBuilder<K, V> group(String id) {
    return set(ConsumerSetting.GROUP, named("group.id", "id", id));
  }

  /**
   * {@link ConsumerSetting#GROUP_INSTANCE}.
   *
   * @param id different for each consumer of the group, and the same after a restart
   * @return this
   */
  public ConsumerBuilder<K, V> groupInstance(String id) {
    return set(ConsumerSetting.GROUP_INSTANCE, named("group.instance.id", "id", id));
  }

  /**
   * {@link ConsumerSetting#RACK}: where leaders know followers of the same rack, records are read from those (KIP-392).
   *
   * @param name as brokers name it
   * @return this
   */
  public ConsumerBuilder<K, V> rack(String name) {
    return set(ConsumerSetting.RACK, named("client.rack", "name", name));
  }

  /**
   * {@link ConsumerSetting#ASSIGNOR}.
   *
   * @param name such as {@code uniform} or {@code range}
   * @return this
   */
  public ConsumerBuilder<K, V> assignor(String name) {
    return set(ConsumerSetting.ASSIGNOR, named("group.remote.assignor", "name", name));
  }

  /**
   * {@link ConsumerSetting#GROUP_PROTOCOL}.
   *
   * @param value who divides the partitions
   * @return this
   */
  public ConsumerBuilder<K, V> groupProtocol(GroupProtocol value) {
    return set(ConsumerSetting.GROUP_PROTOCOL, value.text());
  }

  /**
   * {@link ConsumerSetting#ASSIGNORS}: those of {@link dev.decant.kafka.assignor.Assignors}, or the application's own.
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
   * {@link ConsumerSetting#SESSION_TIMEOUT}.
   *
   * @param value within the broker's bounds
   * @return this
   */
  public ConsumerBuilder<K, V> sessionTimeout(Duration value) {
    return set(ConsumerSetting.SESSION_TIMEOUT, value);
  }

  /**
   * {@link ConsumerSetting#HEARTBEAT_INTERVAL}.
   *
   * @param value less than the session time-out; a third of it is the default
   * @return this
   */
  public ConsumerBuilder<K, V> heartbeatInterval(Duration value) {
    return set(ConsumerSetting.HEARTBEAT_INTERVAL, value);
  }

  /**
   * {@link ConsumerSetting#METADATA_MAX_AGE}; the client's unless it is set.
   *
   * @param value between two looks
   * @return this
   */
  public ConsumerBuilder<K, V> metadataMaxAge(Duration value) {
    return set(ConsumerSetting.METADATA_MAX_AGE, value);
  }

  /**
   * Has the group assign partitions of these topics; needs a group.
   *
   * @param topics their names; they may be created later
   * @return this
   */
  public ConsumerBuilder<K, V> subscribe(String... topics) {
    subscription = new Subscription(TopicName.requireLegal("topics", topics), null);
    return this;
  }

  /**
   * Has the group assign partitions of all topics that match, also of those that are created later; needs a group.
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
   * Has the group assign partitions of all topics that match, also of those that are created later; needs a group. This
   * client matches, under both protocols.
   *
   * @param pattern of whole names
   * @param withInternal whether topics that Kafka keeps for itself may match
   * @return this
   */
  public ConsumerBuilder<K, V> subscribePattern(Pattern pattern, boolean withInternal) {
    subscription = new Subscription(List.of(), null,
        new TopicFilter(Objects.requireNonNull(pattern, "pattern"), withInternal));
    return this;
  }

  /**
   * Who hears of partitions that come and go.
   *
   * @param value told by the polling thread
   * @return this
   */
  public ConsumerBuilder<K, V> rebalanceListener(RebalanceListener value) {
    listener = Objects.requireNonNull(value, "value");
    return this;
  }

  /**
   * {@link ConsumerSetting#AUTO_COMMIT}. Without a group there is nothing to commit to.
   *
   * @param enabled false to commit by calls
   * @return this
   */
  public ConsumerBuilder<K, V> autoCommit(boolean enabled) {
    return set(ConsumerSetting.AUTO_COMMIT, Boolean.toString(enabled));
  }

  /**
   * {@link ConsumerSetting#AUTO_COMMIT_INTERVAL}.
   *
   * @param value between commits
   * @return this
   */
  public ConsumerBuilder<K, V> autoCommitInterval(Duration value) {
    return set(ConsumerSetting.AUTO_COMMIT_INTERVAL, value);
  }

  /**
   * {@link ConsumerSetting#MAX_POLL_INTERVAL}. Half of it without a poll is told to group listeners.
   *
   * @param value zero for no bound
   * @return this
   */
  public ConsumerBuilder<K, V> maxPollInterval(Duration value) {
    return set(ConsumerSetting.MAX_POLL_INTERVAL, value);
  }

  /**
   * {@link ConsumerSetting#REVOCATION_TIMEOUT}. Who has not polled by then is thrown out of the group.
   *
   * @param value the bound
   * @return this
   */
  public ConsumerBuilder<K, V> revocationTimeout(Duration value) {
    return set(ConsumerSetting.REVOCATION_TIMEOUT, value);
  }

  /**
   * {@link ConsumerSetting#API_TIMEOUT}.
   *
   * @param value the bound
   * @return this
   */
  public ConsumerBuilder<K, V> apiTimeout(Duration value) {
    return set(ConsumerSetting.API_TIMEOUT, value);
  }

  /**
   * Settings by Kafka's names, as in a properties file: the same as to call the methods of that name. The page
   * {@code docs/settings.md} says what becomes of names that are no setting of a consumer.
   *
   * @param settings such as {@code max.poll.records} to {@code 100}; text or objects, null as if it were not there
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
   * What holds now.
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

  /** An array as a list; null, and null in it, has the name of the parameter in its error. */
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

  /** In a classic group the interval between polls bounds a rebalance too, as it does for Kafka's own consumer. */
  private int revocationTimeoutMillis(boolean classic) {
    boolean interval = classic && !explicit.containsKey(ConsumerSetting.REVOCATION_TIMEOUT)
        && number(ConsumerSetting.MAX_POLL_INTERVAL) > 0;
    return number(interval ? ConsumerSetting.MAX_POLL_INTERVAL : ConsumerSetting.REVOCATION_TIMEOUT);
  }

  /**
   * Opens the consumer. With a subscription it joins the group at once; without, it reads nothing before partitions are
   * assigned.
   *
   * @return the consumer, to be closed
   * @throws IllegalArgumentException when settings contradict one another
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
