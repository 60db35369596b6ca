package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.provider.FileConfigProvider;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DecantSettingsTest {
  private static final Map<String, String> NO_DEFAULTS = Map.of();

  private static Map<String, Object> of(Map<String, ?> given, Map<String, String> defaults, boolean producer) {
    Map<String, Object> all = new HashMap<>(given);
    all.putIfAbsent("bootstrap.servers", "127.0.0.1:1");
    for (String side : new String[] {"key.", "value."}) {
      all.put(side + (producer ? "serializer" : "deserializer"),
          producer ? StringSerializer.class : StringDeserializer.class);
    }
    return DecantSettings.of(producer ? new ProducerConfig(all) : new ConsumerConfig(all), name -> false, defaults);
  }

  private static Map<String, String> decants() {
    Map<String, String> defaults = new HashMap<>(KafkaClient.builder("").settings());
    try (KafkaClient client = KafkaClient.connect("127.0.0.1:1")) {
      defaults.putAll(client.consumer(Serdes.bytes(), Serdes.bytes()).settings());
      defaults.putAll(client.producer(Serdes.bytes(), Serdes.bytes()).settings());
    }
    return defaults;
  }

  private static Map<String, Object> ofProducer(Map<String, ?> given) {
    return of(given, NO_DEFAULTS, true);
  }

  private static Map<String, Object> ofConsumer(Map<String, ?> given) {
    return of(given, NO_DEFAULTS, false);
  }

  /** A producer ignored a misspelt name in silence, and a consumer logged settings that it uses. */
  @Test
  void unusedAreTheNamesThatNobodyKnows() {
    ProducerConfig config = new ProducerConfig(Map.of("bootstrap.servers", "127.0.0.1:1", "boostrap.servers", "x",
        "linger.ms", "7", "security.protocol", "PLAINTEXT", "ssl.protocol", "TLS", "decant.fetch.memory.bytes", "1m",
        "key.serializer", StringSerializer.class, "value.serializer", StringSerializer.class));
    DecantSettings.of(config, name -> false, NO_DEFAULTS);
    assertThat(config.unused()).containsExactly("boostrap.servers");
  }

  @Test
  void givenValuesReachTheClientAsText() {
    assertThat(ofProducer(Map.of("batch.size", 1000, "linger.ms", "7", "compression.type", "lz4")))
        .containsEntry("batch.size", "1000").containsEntry("linger.ms", "7").containsEntry("compression.type", "lz4")
        .containsEntry("bootstrap.servers", "127.0.0.1:1");
  }

  /** The program relies on Apache's default, which differs from Decant's. */
  @ClientsFrom(value = "4.0", because = "the default of linger.ms")
  @Test
  void apachesDefaultHoldsWhereDecantsDiffers() {
    Map<String, String> decants = Map.of("linger.ms", "0", "batch.size", "16384");

    assertThat(of(Map.of(), decants, true)).containsEntry("linger.ms", "5").doesNotContainKey("batch.size");
    assertThat(of(Map.of("linger.ms", 0), decants, true)).containsEntry("linger.ms", "0");
  }

  @Test
  void whatTheProducerOrConsumerDoesItselfIsNotForTheClient() {
    assertThat(ofProducer(Map.of("transactional.id", "t", "partitioner.ignore.keys", true)))
        .doesNotContainKeys("transactional.id", "partitioner.ignore.keys", "key.serializer", "value.serializer",
            "interceptor.classes", "metric.reporters", "partitioner.class");
    assertThat(ofConsumer(Map.of("group.id", "g", "exclude.internal.topics", false)))
        .doesNotContainKeys("exclude.internal.topics", "key.deserializer", "partition.assignment.strategy")
        .containsEntry("group.id", "g");
  }

  @Test
  void namesOfTheCallerAreLeftOut() {
    ProducerConfig config = new ProducerConfig(Map.of("bootstrap.servers", "127.0.0.1:1", "acks", "1",
        "key.serializer", StringSerializer.class, "value.serializer", StringSerializer.class));

    assertThat(DecantSettings.of(config, "acks"::equals, NO_DEFAULTS)).doesNotContainKey("acks");
  }

  @ParameterizedTest
  @CsvSource({"receive.buffer.bytes,1000", "check.crcs,false", "metadata.recovery.strategy,none"})
  void valueWithoutEffectIsAccepted(String name, String value) {
    assertThat(ofConsumer(Map.of(name, value))).doesNotContainKey(name);
  }

  @Test
  void valueThatIsRefusedSaysWhatToDoInApachesException() {
    assertThatThrownBy(
        () -> ofProducer(Map.of("client.dns.lookup", "resolve_canonical_bootstrap_servers_only")))
        .isInstanceOf(ConfigException.class)
        .hasMessage("client.dns.lookup: Decant tries every address of a name; use use_all_dns_ips or remove it");
    assertThat(ofProducer(Map.of("client.dns.lookup", "use_all_dns_ips"))).doesNotContainKey("client.dns.lookup");
  }

  @Test
  void valueThatApachesDefinitionRefusesIsRefusedByIt() {
    assertThatThrownBy(() -> ofProducer(Map.of("acks", "2"))).isInstanceOf(ConfigException.class)
        .hasMessageContaining("acks");
  }

  @Test
  void placeholdersAreResolvedBefore(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("settings"), "batch=1234\n");

    assertThat(ofProducer(Map.of("config.providers", "file", "config.providers.file.class",
        FileConfigProvider.class.getName(), "batch.size", "${file:" + file + ":batch}")))
        .containsEntry("batch.size", "1234").doesNotContainKeys("config.providers", "config.providers.file.class");
  }

  @Test
  void secretsReachTheClientAndNobodyElse() {
    Map<String, Object> settings = ofConsumer(Map.of("security.protocol", "SASL_PLAINTEXT", "sasl.mechanism", "PLAIN",
        "sasl.jaas.config", "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\""
            + " password=\"planted-password\";"));

    assertThat(settings).hasEntrySatisfying("sasl.jaas.config",
        value -> assertThat(value.toString()).contains("planted-password"));
  }

  @Test
  void securitySettingsOfAProtocolThatIsNotInUseDoNotCount() {
    assertThat(ofProducer(Map.of("ssl.truststore.location", "/nowhere", "sasl.mechanism", "PLAIN")))
        .doesNotContainKeys("ssl.truststore.location", "sasl.mechanism");
    assertThat(ofProducer(Map.of("security.protocol", "SSL", "ssl.truststore.location", "/nowhere", "sasl.mechanism",
        "PLAIN"))).containsEntry("ssl.truststore.location", "/nowhere").doesNotContainKey("sasl.mechanism");
  }

  @Test
  void apachesDefaultMechanismHoldsWhereSaslIsInUse() {
    assertThat(ofProducer(Map.of("security.protocol", "SASL_SSL"))).containsEntry("sasl.mechanism", "GSSAPI");
  }

  @Test
  void settingsOfSerializersAreLeftToThem() {
    assertThat(ofProducer(Map.of("schema.registry.url", "http://localhost"))).doesNotContainKey("schema.registry.url");
  }

  @Test
  void decantsOwnSettingsReachTheClient() {
    assertThat(ofConsumer(Map.of("decant.revocation.timeout.ms", 1000)))
        .containsEntry("decant.revocation.timeout.ms", "1000");
  }

  /** The client accepts the result, with its own defaults for the other settings. */
  @Test
  void theClientTakesTheSettings() {
    Map<String, String> decants = decants();

    try (KafkaClient client = KafkaClient.builder(of(Map.of("acks", "1", "client.id", "orders"), decants, true))
        .build()) {
      assertThat(client).isNotNull();
    }
    try (KafkaClient client = KafkaClient.builder(of(Map.of("group.id", "g", "auto.offset.reset", "earliest"), decants,
        false)).build()) {
      assertThat(client).isNotNull();
    }
  }
}
