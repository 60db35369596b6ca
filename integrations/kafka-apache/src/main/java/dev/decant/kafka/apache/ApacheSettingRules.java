package dev.decant.kafka.apache;

import static dev.decant.kafka.apache.ApacheSetting.here;
import static dev.decant.kafka.apache.ApacheSetting.mapped;
import static dev.decant.kafka.apache.ApacheSetting.noEffect;
import static dev.decant.kafka.apache.ApacheSetting.refusedUnless;

import dev.decant.kafka.apache.ApacheSetting.Handling;
import dev.decant.kafka.settings.SettingRule;
import dev.decant.kafka.settings.SettingTable;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The treatment of every setting of Apache's producer and consumer: the rules of the native client, some of which this
 * class replaces. Behind Apache's interfaces a setting may have a meaning that the native client leaves to code.
 */
final class ApacheSettingRules {
  private static final String RUNS = "Decant constructs, configures and closes what it names, and calls that as"
      + " Apache's client does.";
  private static final String METRICS = "Of the metrics that `metrics()` has.";
  private static final String NO_SHARE = "a consumer is no share consumer; remove it, or keep Apache's"
      + " KafkaShareConsumer";
  private static final String CLASSIC_ONLY = "Classic groups only; Apache's definition refuses it otherwise.";
  private static final String RESOLVED = "Apache's definition resolves the placeholders before Decant reads the"
      + " values.";
  private static final String BROKERS = "The broker checks the token.";
  private static final String JWKS = "sasl.oauthbearer.jwks.endpoint.";
  private static final String KEY_OR_TRUST = "Files are read again when they change, each minute.";
  private static final String OTHERS = "A class that is not Apache's is constructed, configured, called and closed as"
      + " Apache's client does.";
  /** Settings that only Apache's admin client has. */
  private static final Set<String> NOT_OF_THESE = Set.of("bootstrap.controllers");
  /** Prefixes of the native rules; this class has a rule for each name below them. */
  private static final Set<String> PREFIXES = Set.of("sasl.*", "sasl.oauthbearer.jwks.*");

  private static final Map<String, ApacheSetting> RULES = new TreeMap<>();

  static {
    SettingTable.rules().forEach(rule -> RULES.put(rule.name(), ofNative(rule)));
    List.of(both(), producer(), consumer(), security())
        .forEach(rules -> rules.forEach(rule -> RULES.put(rule.name(), rule)));
  }

  private ApacheSettingRules() {}

  private static List<ApacheSetting> both() {
    return List.of(
        mapped("allow.auto.create.topics", "Of a consumer. Metadata requests of a producer always let the broker create"
            + " topics, as those of Apache's."),
        mapped("client.id", ""),
        mapped("decant.fetch.memory.bytes", "Decant's own, of a consumer: direct memory for responses. By default a"
            + " 64th of the JVM's direct memory, 4 MiB to 64 MiB, and a larger batch has more while it is read. A value"
            + " that is set also bounds a batch."),
        mapped("decant.tls.memory.bytes", "Decant's own, of each client: bound of the direct memory of encrypted"
            + " connections, 16 MiB by default. Each of them takes 64 KiB, and up to 192 KiB while it is busy."),
        mapped("decant.runtime.check.enable", "Decant's own: false if a client is not to check the JVM when it opens."),
        here("auto.include.jmx.reporter", "Releases before 4.0."),
        here("config.providers", RESOLVED),
        here("config.providers.*", RESOLVED),
        here("interceptor.classes", RUNS),
        here("metric.reporters", RUNS + " Reporters get the metrics that `metrics()` has."),
        here("metrics.num.samples", METRICS),
        here("metrics.recording.level", METRICS),
        here("metrics.sample.window.ms", METRICS),
        mapped("retry.backoff.ms", "Of a producer. A consumer has pauses of its own."),
        mapped("retry.backoff.max.ms", "Of a producer. A consumer has pauses of its own."));
  }

  private static List<ApacheSetting> producer() {
    return List.of(
        mapped("acks", ""),
        mapped("buffer.memory", "Of each producer. Direct memory, which is taken as records need it."),
        mapped("enable.idempotence", "As with Apache's client, off where `acks` or `retries` exclude it."),
        here("key.serializer", RUNS),
        here("value.serializer", RUNS),
        mapped("max.block.ms", ""),
        mapped("max.in.flight.requests.per.connection", "Of the batches of a partition. A broker has 5 requests in"
            + " flight at most."),
        here("partitioner.class", RUNS),
        here("partitioner.ignore.keys", ""),
        mapped("partitioner.rack.aware", "Needs `client.rack`."),
        mapped("retries", "`delivery.timeout.ms` bounds them too."),
        mapped("transaction.timeout.ms", ""),
        here("transactional.id", ""),
        here("transaction.two.phase.commit.enable", "With true, `initTransactions` fails unless the brokers support"
            + " KIP-939: see [two phases](transactions.md#two-phases)."));
  }

  private static List<ApacheSetting> consumer() {
    return List.of(
        mapped("client.rack", "Of a consumer; of a producer with `partitioner.rack.aware`."),
        mapped("decant.revocation.timeout.ms", "Decant's own: how long other members wait until this one has revoked"
            + " its partitions. Without it, `max.poll.interval.ms`."),
        here("decant.fetch.memory.consumers",
            "Decant's own: how many consumers the process has, if they are many. Together"
                + " they take a quarter of the JVM's direct memory at most, each of them 1 MiB at least."),
        here("exclude.internal.topics", ""),
        mapped("group.protocol", "Apache's default, classic, holds."),
        mapped("heartbeat.interval.ms", CLASSIC_ONLY),
        here("internal.leave.group.on.close", "Releases before 4.1. Streams sets false: a member stays in its group."),
        here("key.deserializer", RUNS),
        here("value.deserializer", RUNS),
        mapped("max.poll.interval.ms", "Apache's default, five minutes, holds."),
        here("partition.assignment.strategy", CLASSIC_ONLY + " " + RUNS),
        mapped("session.timeout.ms", CLASSIC_ONLY),
        refusedUnless("implicit", "share.acknowledgement.mode", NO_SHARE),
        refusedUnless("batch_optimized", "share.acquire.mode", NO_SHARE));
  }

  private static List<ApacheSetting> security() {
    return List.of(
        mapped("sasl.jaas.config", "One login module, Apache's or another, with its options."),
        mapped("sasl.mechanism", "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER, GSSAPI (the default), or one of a"
            + " security provider."),
        here("sasl.client.callback.handler.class", OTHERS),
        here("sasl.login.callback.handler.class", OTHERS),
        here("sasl.login.class", OTHERS + " Clients with the same settings share a login."),
        mapped("sasl.oauthbearer.jwt.retriever.class", OTHERS),
        here("sasl.oauthbearer.jwt.validator.class", "One of Apache's has no effect: the broker checks the token. "
            + OTHERS),
        mapped("sasl.oauthbearer.assertion.template.file", "Read for each token."),
        noEffect(JWKS + "refresh.ms", BROKERS),
        noEffect(JWKS + "retry.backoff.max.ms", BROKERS),
        noEffect(JWKS + "retry.backoff.ms", BROKERS),
        noEffect(JWKS + "url", BROKERS),
        here("security.providers", "Decant makes and configures the creators and registers their providers, as Apache's"
            + " client does, if `security.protocol` is not PLAINTEXT."),
        mapped("ssl.endpoint.identification.algorithm", "An empty value turns the check of host names off."),
        here("ssl.engine.factory.class", RUNS + " Each minute it is asked whether it should be rebuilt."),
        mapped("ssl.keystore.location", KEY_OR_TRUST),
        mapped("ssl.truststore.location", KEY_OR_TRUST + " Without it, what the JDK trusts."));
  }

  private static ApacheSetting ofNative(SettingRule rule) {
    return switch (rule.treatment()) {
      case HONOURED -> mapped(rule.name(), withoutCode(rule.text()));
      case NO_EFFECT -> new ApacheSetting(rule.name(), Handling.NO_EFFECT, rule.accepted(), rule.text());
      case REFUSED, NOT_YET -> refusedUnless(rule.accepted(), rule.name(), rule.text());
    };
  }

  /**
   * Returns a native rule's text without its beginning, which names the builder's method: a user of Apache's interfaces
   * has no builder.
   */
  private static String withoutCode(String text) {
    return text.replaceFirst("^(`[^`]*`|[^`.])*[.] *", "");
  }

  /**
   * Returns the rules that documents list: one for each name of Apache's producer and consumer, and Decant's own, in
   * the order of names.
   */
  static Collection<ApacheSetting> listed() {
    Map<String, ApacheSetting> listed = new TreeMap<>(RULES);
    listed.keySet().removeAll(NOT_OF_THESE);
    listed.keySet().removeAll(PREFIXES);
    return Collections.unmodifiableCollection(listed.values());
  }

  /** Returns the rule for a name of Apache's; null if neither the name nor a prefix of it is known. */
  static @Nullable ApacheSetting of(String name) {
    ApacheSetting rule = RULES.get(name);
    for (int dot = name.lastIndexOf('.'); rule == null && dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
      rule = RULES.get(name.substring(0, dot) + ".*");
    }
    return rule;
  }
}
