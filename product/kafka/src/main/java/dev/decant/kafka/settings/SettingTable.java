package dev.decant.kafka.settings;

import static dev.decant.kafka.settings.SettingOwner.CLIENT;
import static dev.decant.kafka.settings.SettingOwner.CONSUMER;
import static dev.decant.kafka.settings.SettingOwner.PRODUCER;
import static dev.decant.kafka.settings.SettingOwner.TRANSACTIONS;
import static dev.decant.kafka.settings.SettingRule.honoured;
import static dev.decant.kafka.settings.SettingRule.noEffect;
import static dev.decant.kafka.settings.SettingRule.refused;
import static dev.decant.kafka.settings.SettingRule.refusedUnless;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Every setting of Apache's producer, consumer and common client configs, with Decant's treatment of it. */
public final class SettingTable {
  private static final String NO_SHARE = "Decant has no share consumer; remove it";
  private static final String NO_SAMPLES = "Statistics are counters without samples; the metrics library samples them.";
  private static final String PARTITIONS_BY_LOAD = "Records without a key always avoid partitions without a leader"
      + " and those where much waits.";
  private static final String SOCKET_BUFFERS = "The operating system sizes the buffers of a socket.";
  private static final String SERDE = "The code names it, and a line in the log says so: `KafkaClient.";
  private static final Map<String, SettingRule> RULES = new TreeMap<>();

  static {
    List.of(client(), producer(), consumer(), withoutEffect(), refusedOfClients(), refusedOfBoth(),
        SecurityRules.sasl(), SecurityRules.login(), SecurityRules.oauth(), SecurityRules.kerberos(),
        SecurityRules.ssl())
        .forEach(rules -> rules.forEach(rule -> RULES.put(rule.name(), rule)));
  }

  private SettingTable() {}

  private static List<SettingRule> client() {
    return List.of(
        honoured("allow.auto.create.topics",
            "`allowAutoCreateTopics`, of producers and consumers. Kafka's consumers have"
                + " true, its producers always let brokers create topics.",
            CLIENT),
        honoured("bootstrap.servers", "`KafkaClient.builder(...)`.", CLIENT),
        honoured("client.id", "`clientId`.", CLIENT),
        honoured("enable.metrics.push", "`enableMetricsPush`.", CLIENT),
        honoured("reconnect.backoff.ms", "`reconnectBackoff`. Given alone, the pause does not grow.", CLIENT),
        honoured("reconnect.backoff.max.ms", "`reconnectBackoff`.", CLIENT),
        honoured("request.timeout.ms", "`requestTimeout`.", CLIENT),
        honoured("connections.max.idle.ms", "`connectionsMaxIdle`; 0 means 1 ms, less than 0 for ever.", CLIENT),
        honoured("socket.connection.setup.timeout.ms",
            "`connectTimeout`. Of each attempt, the negotiation of versions included.", CLIENT),
        honoured("metadata.cluster.check.enable", "`metadataClusterCheck`. Also with brokers before Kafka 4.4, and"
            + " whatever `metadata.recovery.strategy` says.", CLIENT),
        honoured("metadata.max.age.ms",
            "`metadataMaxAge` of the client. Members of classic groups look for topics as often.", CLIENT, CONSUMER),
        honoured("metadata.max.idle.ms",
            "`metadataMaxIdle` of the client. Topics that no producer has used for so long are forgotten.", CLIENT),
        honoured("buffer.memory", "`bufferMemory`: one limit for all producers of the client that have none of their"
            + " own. Given to a producer's builder, it is that producer's own.", CLIENT, PRODUCER),
        honoured("decant.fetch.memory.bytes", "`fetchMemory`. Decant's own. Direct memory for responses of all"
            + " consumers of a client, and the bound of a batch.", CLIENT),
        honoured("decant.runtime.check.enable", "`runtimeCheck`. Decant's own. Each client that opens checks the"
            + " JVM.", CLIENT),
        honoured("decant.tls.memory.bytes", "`tlsMemory`. Decant's own. Bound of the direct memory of encrypted"
            + " connections.", CLIENT),
        honoured("transaction.timeout.ms", "`KafkaClient.transactions(id)` starts with it.", TRANSACTIONS));
  }

  private static List<SettingRule> producer() {
    return List.of(
        honoured("acks", "`acks`.", PRODUCER),
        honoured("batch.size", "`batchSize`. Counts records before compression.", PRODUCER),
        honoured("compression.type", "`compression`. snappy, lz4 and zstd need a module.", PRODUCER),
        honoured("compression.gzip.level", "`compressionLevel`.", PRODUCER),
        honoured("compression.lz4.level", "`compressionLevel`.", PRODUCER),
        honoured("compression.zstd.level", "`compressionLevel`.", PRODUCER),
        honoured("delivery.timeout.ms", "`deliveryTimeout`.", PRODUCER),
        honoured("enable.idempotence", "`idempotence`. Kafka's client switches it off where acks is 1 or 0; Decant asks"
            + " for `enable.idempotence=false`.", PRODUCER),
        honoured("max.in.flight.requests.per.connection", "`maxInFlight`. Of batches of one partition; a broker has 5"
            + " requests in flight at most.", PRODUCER),
        honoured("retries", "`retries`. `delivery.timeout.ms` bounds them too.", PRODUCER),
        honoured("linger.ms", "`linger`. Batches form by themselves while another one is in flight.", PRODUCER),
        honoured("max.block.ms", "`maxBlock`. Transactions start with it too.", PRODUCER),
        honoured("max.request.size", "`maxRequestSize`.", PRODUCER),
        honoured("partitioner.rack.aware", "`rack`. Needs `client.rack`.", PRODUCER),
        honoured("retry.backoff.ms", "`retryBackoff` of producers. Consumers have pauses of their own.", PRODUCER),
        honoured("retry.backoff.max.ms",
            "`retryBackoff` of producers. Less than `retry.backoff.ms`, it is the length of every"
                + " pause.",
            PRODUCER));
  }

  private static List<SettingRule> consumer() {
    return List.of(
        honoured("auto.commit.interval.ms", "`autoCommitInterval`.", CONSUMER),
        honoured("auto.offset.reset", "`offsetReset`.", CONSUMER),
        honoured("client.rack", "`rack` of consumers; of producers with `partitioner.rack.aware`.", CONSUMER, PRODUCER),
        honoured("decant.revocation.timeout.ms", "`revocationTimeout`. Decant's own. In a classic group"
            + " `max.poll.interval.ms` replaces it if only that name is set.", CONSUMER),
        honoured("default.api.timeout.ms", "`apiTimeout`.", CONSUMER),
        honoured("enable.auto.commit", "`autoCommit`.", CONSUMER),
        honoured("fetch.max.bytes", "`fetchMaxBytes`. Half of the free fetch memory bounds it too.", CONSUMER),
        honoured("fetch.max.wait.ms", "`fetchMaxWait`.", CONSUMER),
        honoured("fetch.min.bytes", "`fetchMinBytes`.", CONSUMER),
        honoured("group.id", "`group`.", CONSUMER),
        honoured("group.instance.id", "`groupInstance`.", CONSUMER),
        honoured("group.protocol", "`groupProtocol`. Kafka's default is classic.", CONSUMER),
        honoured("group.remote.assignor", "`assignor`.", CONSUMER),
        honoured("heartbeat.interval.ms", "`heartbeatInterval`. Classic groups only.", CONSUMER),
        honoured("isolation.level", "`isolationLevel`.", CONSUMER),
        honoured("max.partition.fetch.bytes", "`maxPartitionFetchBytes`.", CONSUMER),
        honoured("max.poll.interval.ms", "`maxPollInterval`. 0, the default, sets no bound.", CONSUMER),
        honoured("max.poll.records", "`maxPollRecords`.", CONSUMER),
        honoured("partition.assignment.strategy", "`assignors`. Classic groups only. Takes range, roundrobin,"
            + " cooperative-sticky and the names of Apache's classes for these.", CONSUMER),
        honoured("session.timeout.ms", "`sessionTimeout`. Classic groups only.", CONSUMER));
  }

  private static List<SettingRule> withoutEffect() {
    return List.of(
        noEffect("key.serializer", SERDE + "producer(keys, values)` takes an `Encoder`."),
        noEffect("value.serializer", SERDE + "producer(keys, values)` takes an `Encoder`."),
        noEffect("key.deserializer", SERDE + "consumer(keys, values)` takes a `Decoder`."),
        noEffect("value.deserializer", SERDE + "consumer(keys, values)` takes a `Decoder`."),
        noEffect("bootstrap.resolve.timeout.ms", "Names are resolved whenever Decant connects, never while a client is"
            + " opened."),
        noEffect("buffer.memory.allocation.strategy", "Memory is always taken as records need it."),
        noEffect("check.crcs", "Checksums are always checked."),
        noEffect("internal.throw.on.fetch.stable.offset.unsupported", "Internal to Kafka's client."),
        noEffect("metadata.recovery.rebootstrap.trigger.ms", "The bootstrap addresses are tried as soon as no known"
            + " broker is connected."),
        noEffect("metadata.recovery.strategy", "Decant always goes back to the bootstrap addresses."),
        noEffect("metrics.num.samples", NO_SAMPLES),
        noEffect("metrics.recording.level", "Counters are always on."),
        noEffect("metrics.sample.window.ms", NO_SAMPLES),
        noEffect("partitioner.adaptive.partitioning.enable", PARTITIONS_BY_LOAD),
        noEffect("partitioner.availability.timeout.ms", PARTITIONS_BY_LOAD),
        noEffect("receive.buffer.bytes", SOCKET_BUFFERS),
        noEffect("send.buffer.bytes", SOCKET_BUFFERS),
        noEffect("socket.connection.setup.timeout.max.ms", "`socket.connection.setup.timeout.ms` holds for each"
            + " attempt; it does not grow."));
  }

  private static List<SettingRule> refusedOfClients() {
    return List.of(
        refused("bootstrap.controllers", "Decant talks to brokers; use bootstrap.servers"),
        refusedUnless("use_all_dns_ips", "client.dns.lookup", "Decant tries every address of a name; use"
            + " use_all_dns_ips or remove it"),
        refusedUnless("", "config.providers", "Decant resolves no placeholders; give it the values themselves"),
        refused("config.providers.*", "Decant resolves no placeholders; give it the values themselves"),
        refusedUnless("", "interceptor.classes", "wrap the calls of send and poll in your code, or add listeners to"
            + " KafkaClient.events()"),
        refusedUnless("", "metric.reporters", "use KafkaClient.statistics, or the module decant-micrometer or"
            + " decant-opentelemetry"),
        refusedUnless("true", "exclude.internal.topics", "subscribe to internal topics by name, and remove it"),
        refused("share.acknowledgement.mode", NO_SHARE),
        refused("share.acquire.mode", NO_SHARE));
  }

  private static List<SettingRule> refusedOfBoth() {
    return List.of(
        refusedUnless("", "partitioner.class", "give the producer a Partitioner: ProducerBuilder.partitioner(...)"),
        refusedUnless("false", "partitioner.ignore.keys", "give the producer a Partitioner that returns STICKY:"
            + " partitioner((key, keyLength, partitions) -> Partitioner.STICKY)"),
        refused("transactional.id", "open transactions with KafkaClient.transactions(id) and give them to each producer"
            + " with transactions(...)"),
        refusedUnless("false", "transaction.two.phase.commit.enable", "open transactions with"
            + " KafkaClient.transactions(id).twoPhaseCommit(true)"));
  }

  private static Map<String, String> serdes() {
    return Map.of("String", "string()", "ByteArray", "bytes()", "ByteBuffer", "byteBuffer()", "Long", "longs()",
        "Integer", "ints()", "Double", "doubles()", "UUID", "uuid()");
  }

  /** Returns true if a setting names a serializer or deserializer. */
  static boolean isOfSerializers(String name) {
    return name.equals("key.serializer") || name.equals("value.serializer") || name.equals("key.deserializer")
        || name.equals("value.deserializer");
  }

  /** Returns Decant's replacement of one of Kafka's serializers or deserializers; null for those of others. */
  static @Nullable String serde(String type) {
    String method = type.startsWith("org.apache.kafka.")
        ? serdes().get(type.replaceFirst(".*[.]", "").replaceFirst("(Des|S)erializer$", ""))
        : null;
    return method == null ? null : "Serdes." + method;
  }

  /** Returns the rules, in the order of names. */
  public static Collection<SettingRule> rules() {
    return Collections.unmodifiableCollection(RULES.values());
  }

  /** Returns the names of the rules that are no prefix. */
  static List<String> names() {
    return RULES.keySet().stream().filter(name -> !name.endsWith(".*")).toList();
  }

  /**
   * Returns the rule for a name; null if neither the name nor a prefix of it is known.
   *
   * @param name as Kafka writes it
   */
  public static @Nullable SettingRule rule(String name) {
    SettingRule rule = RULES.get(name);
    for (int dot = name.lastIndexOf('.'); rule == null && dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
      rule = RULES.get(name.substring(0, dot) + ".*");
    }
    return rule;
  }
}
