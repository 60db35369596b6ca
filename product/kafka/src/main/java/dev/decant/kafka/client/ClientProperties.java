package dev.decant.kafka.client;

import dev.decant.kafka.cluster.BrokerAddress;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.ConsumerSetting;
import dev.decant.kafka.producer.ProducerBuilder;
import dev.decant.kafka.producer.ProducerSetting;
import dev.decant.kafka.producer.TransactionsBuilder;
import dev.decant.kafka.security.SaslMechanism;
import dev.decant.kafka.settings.Contradictions;
import dev.decant.kafka.settings.SecuritySettings;
import dev.decant.kafka.settings.SettingOwner;
import dev.decant.kafka.settings.SettingProblems;
import dev.decant.kafka.settings.SettingReader;
import dev.decant.kafka.settings.SettingRule;
import dev.decant.kafka.settings.SettingTable;
import dev.decant.kafka.settings.SettingText;
import dev.decant.time.Timeouts;
import dev.decant.tls.TlsSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Settings under Kafka's names, sorted by owner. The owner accepts every value. */
final class ClientProperties {
  static final ClientProperties NONE = new ClientProperties();

  /** The meaning of 0: a connection closes when it has no request in flight. A timer needs some time. */
  private static final Duration SHORTEST_IDLE = Duration.ofMillis(1);
  private static final String BOOTSTRAP = "bootstrap.servers";
  private static final String CLIENT_ID = "client.id";
  private static final String METADATA_MAX_AGE = "metadata.max.age.ms";
  private static final String RACK_AWARE = "partitioner.rack.aware";
  private static final String REQUEST_TIMEOUT = "request.timeout.ms";
  private static final String RECONNECT = "reconnect.backoff.ms";
  private static final String RECONNECT_MAX = "reconnect.backoff.max.ms";
  private static final String TRANSACTION_TIMEOUT = "transaction.timeout.ms";
  private static final String MAX_BLOCK = "max.block.ms";

  private final Map<String, String> client = new TreeMap<>();
  private final Map<String, String> producer = new TreeMap<>();
  private final Map<String, String> consumer = new TreeMap<>();
  private final Map<String, String> security = new TreeMap<>();
  private final Map<String, Long> transactions = new TreeMap<>();

  private ClientProperties() {}

  /** Returns the entries of properties, with their defaults. */
  static Map<String, Object> entries(Properties properties) {
    Map<String, Object> entries = new HashMap<>();
    for (String name : properties.stringPropertyNames()) { // includes the defaults, but only those that are text
      entries.put(name, properties.getProperty(name));
    }
    properties.forEach((name, value) -> {
      if (!(name instanceof String text)) {
        throw new IllegalArgumentException("properties: the name " + name + " is no text");
      }
      entries.put(text, value);
    });
    return entries;
  }

  /**
   * Reads and checks all settings.
   *
   * @param given by Kafka's names
   * @param builder takes the settings of the client
   * @throws IllegalArgumentException with all problems, a line each
   */
  static ClientProperties read(Map<String, ?> given, KafkaClientBuilder builder) {
    SettingProblems problems = new SettingProblems();
    SortedMap<String, String> honoured = SettingReader.read(given, EnumSet.allOf(SettingOwner.class), problems);
    ClientProperties sorted = new ClientProperties();
    honoured.forEach((name, text) -> problems.collect(() -> sorted.put(name, text, builder)));
    sorted.readBootstrap(given.get(BOOTSTRAP), builder, problems);
    sorted.readReconnectBackoff(builder);
    sorted.readSecurity(builder, problems);
    sorted.findContradictions(problems);
    sorted.findTooLongFetches(builder, problems);
    problems.throwIfAny();
    return sorted;
  }

  private void put(String name, String text, KafkaClientBuilder builder) {
    SettingRule rule = SettingTable.rule(name);
    if (rule == null || name.equals(BOOTSTRAP)) {
      return;
    }
    if (SecuritySettings.defaults().containsKey(name)) {
      security.put(name, text);
      return;
    }
    if (rule.owners().contains(SettingOwner.CLIENT)) {
      setClient(name, text, builder);
      client.put(name, text);
      return;
    }
    if (rule.owners().contains(SettingOwner.PRODUCER)) {
      producer.put(name, producerText(name, text));
    }
    if (rule.owners().contains(SettingOwner.CONSUMER)) {
      consumer.put(name, ConsumerSetting.of(name).parse(text));
    }
    if (rule.owners().contains(SettingOwner.TRANSACTIONS)) {
      transactions.put(name, SettingText.number(name, text, "milliseconds", 1, Integer.MAX_VALUE));
    }
    if (name.equals(MAX_BLOCK)) {
      transactions.put(name, Math.max(1, ProducerSetting.MAX_BLOCK.parse(text)));
    }
  }

  private static String producerText(String name, String text) {
    if (name.equals(RACK_AWARE)) {
      return Boolean.toString(SettingText.flag(name, text));
    }
    if (name.equals("client.rack")) {
      return text;
    }
    ProducerSetting setting = ProducerSetting.of(name);
    return setting.format(setting.parse(text));
  }

  private static void setClient(String name, String text, KafkaClientBuilder builder) {
    switch (name) {
      case CLIENT_ID -> {
        if (!text.isEmpty()) {
          builder.clientId(text);
        }
      }
      case "allow.auto.create.topics" -> builder.allowAutoCreateTopics(SettingText.flag(name, text));
      case "metadata.cluster.check.enable" -> builder.metadataClusterCheck(SettingText.flag(name, text));
      case "enable.metrics.push" -> builder.enableMetricsPush(SettingText.flag(name, text));
      case REQUEST_TIMEOUT -> builder.requestTimeout(millis(name, text, 1));
      case "socket.connection.setup.timeout.ms" -> builder.connectTimeout(millis(name, text, 1));
      case METADATA_MAX_AGE ->
        builder.metadataMaxAge(millis(name, text, KafkaClientBuilder.LEAST_METADATA_AGE_MILLIS));
      case "metadata.max.idle.ms" ->
        builder.metadataMaxIdle(millis(name, text, KafkaClientBuilder.LEAST_METADATA_IDLE_MILLIS));
      case "connections.max.idle.ms" -> {
        Duration idle = millis(name, text, -1);
        builder.connectionsMaxIdle(idle.isNegative()
            ? Duration.ofNanos(Timeouts.FOR_EVER)
            : idle.isZero() ? SHORTEST_IDLE : idle);
      }
      case "decant.fetch.memory.bytes" -> builder.fetchMemory(bytes(name, text));
      case "decant.tls.memory.bytes" -> builder.tlsMemory(bytes(name, text));
      case "decant.runtime.check.enable" -> builder.runtimeCheck(SettingText.flag(name, text));
      case "buffer.memory" -> builder.bufferMemory(ProducerSetting.BUFFER_MEMORY.parse(text));
      // Both are set together, once both are known to be numbers.
      case RECONNECT, RECONNECT_MAX -> millis(name, text, 1);
      default -> throw new IllegalStateException(name + ": the client does not know its own setting");
    }
  }

  private static long bytes(String name, String text) {
    return SettingText.number(name, text, "bytes", KafkaClientBuilder.LEAST_POOL_BYTES, Long.MAX_VALUE);
  }

  private static Duration millis(String name, String text, long least) {
    return Duration.ofMillis(SettingText.number(name, text, "milliseconds", least, Long.MAX_VALUE));
  }

  private void readBootstrap(@Nullable Object given, KafkaClientBuilder builder, SettingProblems problems) {
    String text = given == null ? "" : SettingText.of(given);
    if (text.isEmpty()) {
      problems.add(BOOTSTRAP + ": is missing; name brokers as host:port, separated by commas");
      return;
    }
    List<BrokerAddress> addresses = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      problems.collect(() -> addresses.add(BrokerAddress.parse(part.strip(), BOOTSTRAP)));
    }
    builder.bootstrap(text);
  }

  private void readSecurity(KafkaClientBuilder builder, SettingProblems problems) {
    SecuritySettings read = SecuritySettings.read(security, problems);
    SaslMechanism sasl = read.sasl();
    if (sasl != null) {
      builder.sasl(sasl);
    }
    TlsSettings tls = read.tls();
    if (tls != null) {
      builder.tls(tls);
    }
  }

  /** Sets the pauses. As in Kafka's client, a first pause that is given alone does not grow. */
  private void readReconnectBackoff(KafkaClientBuilder builder) {
    Map<String, String> otherwise = builder.settings();
    String first = client.get(RECONNECT);
    String most = client.getOrDefault(RECONNECT_MAX, first == null ? otherwise.get(RECONNECT_MAX) : first);
    first = first == null ? otherwise.get(RECONNECT) : first;
    if (first != null && most != null) {
      builder.reconnectBackoff(millis(RECONNECT, first, 1), millis(RECONNECT_MAX, most, 1));
    }
  }

  private void findContradictions(SettingProblems problems) {
    Map<String, String> ofProducers = new HashMap<>();
    for (ProducerSetting setting : ProducerSetting.values()) {
      ofProducers.put(setting.kafkaName(), setting.format(setting.defaultValue()));
    }
    ofProducers.putAll(producer);
    Contradictions.ofProducer(ofProducers, problems);
    Map<String, String> ofMembers = new HashMap<>();
    for (ConsumerSetting setting : ConsumerSetting.values()) {
      ofMembers.put(setting.kafkaName(), setting.defaultValue());
    }
    ofMembers.putAll(consumer);
    Contradictions.ofMember(ofMembers, consumer.keySet(), problems);
  }

  /**
   * Checks the wait of fetches, but only if it is named: the client may have no consumer, and each consumer checks
   * again.
   */
  private void findTooLongFetches(KafkaClientBuilder builder, SettingProblems problems) {
    String wait = consumer.get(ConsumerSetting.FETCH_MAX_WAIT.kafkaName());
    String timeout = builder.settings().get(REQUEST_TIMEOUT);
    if (wait != null && timeout != null) {
      Contradictions.ofFetches(Long.parseLong(timeout), Long.parseLong(wait), problems);
    }
  }

  <K, V> ProducerBuilder<K, V> begin(ProducerBuilder<K, V> builder) {
    return builder.properties(producer);
  }

  <K, V> ConsumerBuilder<K, V> begin(ConsumerBuilder<K, V> builder) {
    return builder.properties(consumer);
  }

  TransactionsBuilder begin(TransactionsBuilder builder) {
    transactions.forEach((name, millis) -> {
      Duration value = Duration.ofMillis(millis);
      TransactionsBuilder unused = name.equals(TRANSACTION_TIMEOUT) ? builder.timeout(value) : builder.maxBlock(value);
    });
    return builder;
  }
}
