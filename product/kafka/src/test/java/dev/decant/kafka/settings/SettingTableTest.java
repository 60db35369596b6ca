package dev.decant.kafka.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.LogLines;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SettingTableTest {
  static Set<String> apachesNames() {
    Set<String> names = new TreeSet<>(ProducerConfig.configNames());
    names.addAll(ConsumerConfig.configNames());
    names.addAll(AdminClientConfig.configNames());
    return names;
  }

  private static List<String> problems(Map<String, ?> settings, SettingOwner first, SettingOwner... more) {
    SettingProblems problems = new SettingProblems();
    SettingReader.read(settings, EnumSet.of(first, more), problems);
    return problems.lines();
  }

  @ParameterizedTest
  @MethodSource("apachesNames")
  void everyNameOfApachesClientsHasARuleWithAReason(String name) {
    SettingRule rule = Objects.requireNonNull(SettingTable.rule(name), name);
    assertThat(rule.text()).isNotBlank();
    assertThat(rule.owners().isEmpty()).isEqualTo(rule.treatment() != Treatment.HONOURED);
  }

  @Test
  void everyRuleIsOfANameThatApachesClientsHave() {
    Set<String> known = apachesNames();
    List<String> invented = new ArrayList<>();
    for (SettingRule rule : SettingTable.rules()) {
      String prefix = rule.name().substring(0, rule.name().length() - 1);
      boolean found = rule.name().endsWith(".*")
          ? known.stream().anyMatch(name -> name.startsWith(prefix)) || known.contains(rule.name().replace(".*", ""))
          : known.contains(rule.name());
      if (!found) {
        invented.add(rule.name());
      }
    }
    assertThat(invented).containsExactly("decant.fetch.memory.bytes", "decant.revocation.timeout.ms",
        "decant.runtime.check.enable", "decant.tls.memory.bytes");
  }

  @ParameterizedTest
  @CsvSource({"liner.ms,linger.ms", "linger_ms,linger.ms", "lingerMs,linger.ms", "BATCH.SIZE,batch.size",
      "max.poll.recrods,max.poll.records", "group.ids,group.id", "bootstrap.server,bootstrap.servers",
      "spring.kafka.consumer.group.id,group.id", "producer.acks,acks", "enable.autocommit,enable.auto.commit",
      "ack,acks", "security.protocl,security.protocol"})
  void unknownNameComesWithTheNearestKnownOne(String unknown, String meant) {
    assertThat(problems(Map.of(unknown, "1"), SettingOwner.CLIENT))
        .containsExactly(unknown + ": unknown; did you mean " + meant + "?");
  }

  @ParameterizedTest
  @CsvSource({"zookeeper.connect", "x", "acme.tracing.sasl.mechanism", "my.interceptor.client.id"})
  void nameThatIsNearNoneIsUnknown(String unknown) {
    assertThat(problems(Map.of(unknown, "1"), SettingOwner.CLIENT)).containsExactly(
        unknown + ": unknown to Kafka's clients; a setting of a serializer belongs to the encoder or decoder");
  }

  /** No serializer has such names. */
  @Test
  void nameThatLooksLikeDecantsComesWithAllOfThose() {
    assertThat(problems(Map.of("decant.fetch.memory", "1", "value.serializer", "com.acme.orders.OrderSerializer"),
        SettingOwner.CLIENT)).singleElement().asString().startsWith("decant.fetch.memory: unknown; Decant's own"
            + " settings are decant.")
        .contains("decant.fetch.memory.bytes, ");
  }

  @Test
  void nameOfSomebodyElseIsAnsweredWithWhereItBelongs() {
    assertThat(problems(Map.of("request.timeout.ms", "1", "group.id", "g", "transaction.timeout.ms", "1"),
        SettingOwner.PRODUCER)).containsExactly(
            "group.id: a setting of consumers: use ConsumerBuilder.properties",
            "request.timeout.ms: a setting of the client: use KafkaClient.fromProperties or KafkaClient.builder",
            "transaction.timeout.ms: a setting of transactions: use KafkaClient.transactions(...).timeout, or"
                + " KafkaClient.fromProperties");
    assertThat(problems(Map.of("linger.ms", "1", "client.id", "c"), SettingOwner.CONSUMER)).containsExactly(
        "client.id: a setting of the client: use KafkaClient.fromProperties or KafkaClient.builder",
        "linger.ms: a setting of producers: use ProducerBuilder.properties");
  }

  @Test
  void tlsAndSaslAreSettingsOfTheClient() {
    Map<String, String> settings = Map.of("security.protocol", "SASL_SSL", "sasl.mechanism", "PLAIN",
        "ssl.keystore.type", "JKS");
    assertThat(problems(settings, SettingOwner.CLIENT)).isEmpty();
    assertThat(problems(settings, SettingOwner.PRODUCER)).hasSize(3)
        .allSatisfy(line -> assertThat(line).contains("a setting of the client"));
  }

  @ParameterizedTest
  @CsvSource({"client.dns.lookup,resolve_canonical_bootstrap_servers_only,"
      + "use_all_dns_ips", "exclude.internal.topics,false,true", "interceptor.classes,a.B,''",
      "metric.reporters,a.B,''",
      "partitioner.class,a.B,''", "partitioner.ignore.keys,true,false",
      "transaction.two.phase.commit.enable,true,False",
      "config.providers,file,''"})
  void valueThatDecantCannotDoIsRefusedAndTheOtherAccepted(String name, String refused, String accepted) {
    assertThat(problems(Map.of(name, refused), SettingOwner.CLIENT)).singleElement().asString()
        .startsWith(name + ": ");
    assertThat(problems(Map.of(name, accepted), SettingOwner.CLIENT)).isEmpty();
  }

  /** A file for Apache's clients names serializers and their settings, which the code gives to Decant. */
  @Test
  void settingsOfSerializersAndInterceptorsArePassedOverWithOneLine() throws Exception {
    Map<String, Object> settings = new HashMap<>(Map.of("key.serializer",
        "org.apache.kafka.common.serialization.StringSerializer", "value.deserializer",
        Class.forName("org.apache.kafka.common.serialization.LongDeserializer"), "value.serializer",
        "com.example.OrderSerializer", "schema.registry.url", "https://registry:8081",
        "schema.registry.ssl.truststore.location", "/a.jks", "specific.avro.reader", true,
        "confluent.monitoring.interceptor.sasl.mechanism", "PLAIN", "apicurio.registry.auto-register", "true"));
    settings.put("spring.json.trusted.packages", "*");
    try (LogLines log = new LogLines(SettingReader.class.getName())) {
      assertThat(problems(settings, SettingOwner.CLIENT)).isEmpty();
      assertThat(log.lines()).containsExactly("INFO settings of serializers and interceptors have no effect, as the"
          + " code gives encoders and decoders: apicurio.registry.auto-register,"
          + " confluent.monitoring.interceptor.sasl.mechanism, key.serializer (Serdes.string()),"
          + " schema.registry.ssl.truststore.location, schema.registry.url, specific.avro.reader,"
          + " spring.json.trusted.packages, value.deserializer (Serdes.longs()), value.serializer");
      assertThat(problems(Map.of("acks", "all"), SettingOwner.PRODUCER)).isEmpty();
      assertThat(log.lines()).as("one line").hasSize(1);
    }
  }

  /** What the settings of somebody's own class are called, nobody but the class knows. */
  @Test
  void namesThatMayBeOfANamedClassArePassedOver() {
    String unknown = "x.limit: unknown to Kafka's clients; a setting of a serializer belongs to the encoder or decoder";
    Map<String, String> own = Map.of("value.serializer", "com.acme.orders.OrderSerializer", "x.limit", "1");
    assertThat(problems(own, SettingOwner.CLIENT)).isEmpty();
    assertThat(problems(Map.of("value.serializer", "org.apache.kafka.common.serialization.LongSerializer", "x.limit",
        "1"), SettingOwner.CLIENT)).containsExactly(unknown);
    assertThat(problems(Map.of("key.deserializer", "com.acme.orders.OrderDeserializer", "orders.group.ids", "1",
        "acme.group.ids", "1"), SettingOwner.CLIENT)).as("in a namespace of its package").isEmpty();
    assertThat(problems(Map.of("key.deserializer", "com.acme.group.OrderDeserializer", "group.ids", "1"),
        SettingOwner.CLIENT)).as("a name of Kafka's, spelled wrong")
        .containsExactly("group.ids: unknown; did you mean group.id?");
  }

  /** Also names that are spelled wrong, or of a library beside Kafka's. */
  @Test
  void valueThatMayBeASecretIsPartOfNoProblem() {
    List<String> names = new ArrayList<>(apachesNames());
    names.addAll(List.of("ssl.keystore.pasword", "sasl.jaas.confg", "my.api.token", "client.secret", "private.key",
        "schema.registry.basic.auth.user.info", "Password", "key.serialiser"));
    names.removeIf(name -> !name.toLowerCase(Locale.ROOT).matches(
        ".*(passw|pasw|secret|jaas|key|token|auth).*"));
    assertThat(names).contains("sasl.jaas.config", "ssl.keystore.password", "key.serializer").hasSizeGreaterThan(20);
    for (String name : names) {
      assertThat(problems(Map.of(name, "hunter2"), SettingOwner.CLIENT)).as(name).hasSizeLessThan(2).allSatisfy(
          line -> assertThat(line).startsWith(name + ": ").doesNotContain("hunter2"));
    }
  }

  @Test
  void nullIsAsIfTheNameWereNotThere() {
    Map<String, Object> settings = new HashMap<>();
    settings.put("liner.ms", null);
    assertThat(problems(settings, SettingOwner.CLIENT)).isEmpty();
  }
}
