package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.decant.testkit.TestCertificate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.Security;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.logging.Logger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An application's TLS classes: factories of engines, security providers and their algorithms. The broker requires a
 * certificate. The test compares the calls with those of Apache's clients.
 */
@ExtendWith(PlainCluster.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TlsClassesTest {
  private static final String FACTORY = "ssl.engine.factory.class";
  private static final TestCertificate CLIENT = PlainCluster.AUTHORITY.client("orders");
  private static final Duration LATER = Duration.ofSeconds(20);

  private final List<String> events = new CopyOnWriteArrayList<>();

  @AfterEach
  void removeProvider() {
    Security.removeProvider(RecordingProvider.NAME);
    RecordingProvider.MADE.clear();
  }

  private Map<String, Object> settings(Object... more) {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers",
        PlainCluster.encrypted(), "client.id", "orders-1", "security.protocol", "SSL",
        "ssl.truststore.type", "PEM", "ssl.truststore.certificates", PlainCluster.AUTHORITY.pem(), "ssl.keystore.type",
        "PEM", "ssl.keystore.certificate.chain", CLIENT.chainPem(), "ssl.keystore.key", CLIENT.keyPem()));
    settings.put(RecordingEngines.EVENTS, events);
    for (int i = 0; i < more.length; i += 2) {
      settings.put((String) more[i], more[i + 1]);
    }
    return settings;
  }

  private static String sendAndRead(Map<String, Object> settings,
      Function<Map<String, Object>, Producer<String, String>> producers,
      Function<Map<String, Object>, Consumer<String, String>> consumers) throws Exception {
    String topic = PlainCluster.createTopic(1);
    try (Producer<String, String> producer = producers.apply(settings)) {
      producer.send(new ProducerRecord<>(topic, "k", "v")).get(30, TimeUnit.SECONDS);
    }
    List<String> read = new ArrayList<>();
    try (Consumer<String, String> consumer = consumers.apply(settings)) {
      consumer.assign(List.of(new TopicPartition(topic, 0)));
      consumer.seekToBeginning(consumer.assignment());
      while (read.isEmpty()) {
        consumer.poll(LATER).forEach(record -> read.add(record.value()));
      }
    }
    return read.getFirst();
  }

  private static DecantProducer<String, String> producer(Map<String, Object> settings) {
    return new DecantProducer<>(settings, new StringSerializer(), new StringSerializer());
  }

  private static DecantConsumer<String, String> consumer(Map<String, Object> settings) {
    return new DecantConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
  }

  private static String decants(Map<String, Object> settings) throws Exception {
    return sendAndRead(settings, TlsClassesTest::producer, TlsClassesTest::consumer);
  }

  private static String apaches(Map<String, Object> settings) throws Exception {
    return sendAndRead(settings, s -> new KafkaProducer<>(s, new StringSerializer(), new StringSerializer()),
        s -> new KafkaConsumer<>(s, new StringDeserializer(), new StringDeserializer()));
  }

  @Test
  void factoryOfEnginesIsMadeConfiguredAskedAndClosedAsByApachesClients() throws Exception {
    assertThat(apaches(settings(FACTORY, RecordingEngines.class))).isEqualTo("v");
    List<String> apaches = new ArrayList<>(events);
    events.clear();
    assertThat(decants(settings(FACTORY, RecordingEngines.class.getName()))).isEqualTo("v");

    String engine = "engine 127.0.0.1 https";
    String configured = "configured for orders-1, [TLSv1.2, TLSv1.3]";
    assertThat(withoutRepetition(events)).containsExactly(configured, engine, "closed", configured, engine, "closed");
    assertThat(withoutRepetition(apaches)).isEqualTo(withoutRepetition(events));
  }

  /** The number of connections differs between clients. */
  private static List<String> withoutRepetition(List<String> all) {
    List<String> kept = new ArrayList<>();
    for (String event : all) {
      if (kept.isEmpty() || !kept.getLast().equals(event)) {
        kept.add(event);
      }
    }
    return kept;
  }

  @Test
  void checkOfHostNamesIsTheFactorysAndOffWhereTheSettingIsEmpty() throws Exception {
    decants(settings(FACTORY, RecordingEngines.class, "ssl.endpoint.identification.algorithm", ""));
    assertThat(events).contains("engine 127.0.0.1 ");
  }

  /** Returns settings as Apache's definition parses them. */
  private static Map<String, Object> parsed(Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(new ProducerConfig(settings).values());
    settings.forEach(all::putIfAbsent);
    return all;
  }

  /** Apache's brokers rebuild the factory when a file has changed; the client checks each minute. */
  @Test
  void factoryOfApachesOwnTakesChangedFiles(@TempDir Path directory) throws Exception {
    Path keys = directory.resolve("keys.pem");
    Files.writeString(keys, CLIENT.keyPem() + CLIENT.chainPem());
    Map<String, Object> settings = settings("ssl.keystore.location", keys.toString(), FACTORY,
        DefaultSslEngineFactory.class, "key.serializer", StringSerializer.class, "value.serializer",
        StringSerializer.class);
    settings.keySet().removeAll(List.of("ssl.keystore.key", "ssl.keystore.certificate.chain"));
    assertThat(decants(settings)).isEqualTo("v");

    try (SslEngines engines = new SslEngines(DefaultSslEngineFactory.class, parsed(settings))) {
      assertThat(engines.reload()).isFalse();
      Files.setLastModifiedTime(keys, FileTime.fromMillis(1));
      assertThat(engines.reload()).isTrue();
      assertThat(engines.reload()).isFalse();
    }
  }

  @Test
  void factoryThatShouldBeRebuiltIsReplacedOnceAndClosed() {
    Map<String, Object> configs = parsed(settings(RecordingEngines.CHANGES, true, "key.serializer",
        StringSerializer.class, "value.serializer", StringSerializer.class));
    SslEngines engines = new SslEngines(RecordingEngines.class, configs);
    assertThat(engines.reload()).isTrue();
    String configured = "configured for orders-1, [TLSv1.2, TLSv1.3]";
    assertThat(events).containsExactly(configured, configured, "closed");
    configs.put(RecordingEngines.FAILS, true);
    assertThatThrownBy(engines::reload).isInstanceOf(IllegalStateException.class);
    assertThat(engines.clientEngine("localhost", 1).getPeerHost()).as("the one before it stays").isEqualTo("localhost");
    engines.close();
    engines.close();
    assertThat(engines.reload()).isFalse();
    assertThat(events).as("the one that could not be configured is closed, too").containsExactly(configured, configured,
        "closed", "closed", "engine localhost https", "closed");
  }

  @Test
  void factoryOfAProtocolThatIsNotInUseIsNotMade() {
    Map<String, Object> plain = settings(FACTORY, RecordingEngines.class, "security.protocol", "PLAINTEXT",
        "bootstrap.servers", PlainCluster.bootstrap());
    producer(plain).close();
    consumer(plain).close();
    assertThat(events).isEmpty();
  }

  @Test
  void classThatIsNoFactoryIsAnErrorThatNamesIt() {
    for (Class<?> wrong : List.of(String.class, Private.class, Abstract.class)) {
      Map<String, Object> settings = settings(FACTORY, wrong);
      for (Throwable thrown : List.of(catchThrowable(() -> producer(settings)),
          catchThrowable(() -> consumer(settings)))) {
        assertThat(thrown).isInstanceOf(KafkaException.class).cause().isInstanceOf(ConfigException.class)
            .hasMessageContaining(FACTORY + ": ").hasMessageContaining(wrong.getName());
      }
    }
    Map<String, Object> failing = settings(FACTORY, RecordingEngines.class, RecordingEngines.FAILS, true);
    assertThatThrownBy(() -> producer(failing)).isInstanceOf(KafkaException.class).cause()
        .hasMessage("no key in the vault");
    assertThatThrownBy(() -> consumer(failing)).isInstanceOf(KafkaException.class).cause()
        .hasMessage("no key in the vault");
  }

  /** Has no accessible constructor. */
  private static final class Private {
    @SuppressWarnings("unused") // by reflection, in vain
    private Private() {}
  }

  /** Has no constructor without arguments. */
  @SuppressWarnings("unused") // reflection tries to call it
  private record Abstract(int one) {}

  @Test
  void providerIsRegisteredConfiguredAndUsed() throws Exception {
    assertThat(decants(settings("security.providers", RecordingProvider.Creator.class.getName(), "ssl.provider",
        RecordingProvider.NAME, "ssl.protocol", "RecordingTLS", "ssl.keymanager.algorithm", "PKIX",
        "ssl.trustmanager.algorithm", "PKIX", "ssl.secure.random.implementation", "SHA1PRNG"))).isEqualTo("v");
    assertThat(Security.getProviders()[0].getName()).as("in front, as Apache's client puts it")
        .isEqualTo(RecordingProvider.NAME);
    assertThat(new LinkedHashSet<>(RecordingProvider.MADE)).containsExactly("provider for orders-1",
        "context with SHA1PRNG", "engine");
    assertThat(apaches(settings("security.providers", RecordingProvider.Creator.class.getName(), "ssl.provider",
        RecordingProvider.NAME, "ssl.protocol", "RecordingTLS"))).as("Apache's clients beside them").isEqualTo("v");
  }

  /** As with Apache's client, the failure is logged: the JDK's providers may be enough. */
  @Test
  void creatorThatCannotBeMadeIsLeftOutWithThoseBehindIt() throws Exception {
    String creator = RecordingProvider.Creator.class.getName();
    Logger logger = Logger.getLogger(SecurityProviders.class.getName());
    List<String> logged = new CopyOnWriteArrayList<>();
    logger.setFilter(record -> {
      logged.add(record.getLevel() + " " + record.getMessage());
      return false;
    });
    try {
      assertThat(decants(settings("security.providers", "com.example.None, " + creator))).isEqualTo("v");
      assertThat(Security.getProvider(RecordingProvider.NAME)).isNull();
      assertThat(decants(settings("security.providers", String.class.getName()))).isEqualTo("v");
    } finally {
      logger.setFilter(null);
    }
    assertThat(withoutRepetition(logged)).hasSize(2).allSatisfy(line -> assertThat(line).startsWith("SEVERE "))
        .anyMatch(line -> line.contains("com.example.None is not used"))
        .anyMatch(line -> line.contains("java.lang.String is not used"));
  }

  @ParameterizedTest
  @CsvSource({"ssl.provider,Nobody,security provider Nobody is not registered", "ssl.protocol,DTL,protocol DTL",
      "ssl.keymanager.algorithm,Keys,KeyManagerFactory of algorithm Keys",
      "ssl.trustmanager.algorithm,Trust,TrustManagerFactory of algorithm Trust",
      "ssl.secure.random.implementation,Dice,random numbers of algorithm Dice",
      "ssl.enabled.protocols,TLSv1.1,protocol version TLSv1.1 is not supported",
      "ssl.cipher.suites,NONE,cipher suite NONE", "ssl.truststore.type,BCFKS,\"BCFKS\" is unknown",
      "ssl.endpoint.identification.algorithm,maybe,\"MAYBE\" is unknown"})
  void valueThatCannotBeUsedIsApachesExceptionForBothClients(String name, String value, String words) {
    Map<String, Object> settings = settings(name, value);
    if (name.equals("ssl.truststore.type")) {
      settings.remove("ssl.truststore.certificates");
    }
    for (Throwable thrown : List.of(catchThrowable(() -> producer(settings)),
        catchThrowable(() -> consumer(settings)))) {
      assertThat(thrown).isInstanceOf(KafkaException.class).cause().isInstanceOf(ConfigException.class).message()
          .containsIgnoringCase(words);
    }
  }

  /** Files with placeholders have these values if a variable is not set. */
  @ParameterizedTest
  @CsvSource({"ssl.keystore.type,''", "ssl.truststore.type,' '", "ssl.enabled.protocols,''",
      "ssl.key.password,unused", "socket.connection.setup.timeout.ms,0"})
  void whatApachesClientsPassOverIsNoError(String name, String value) {
    Map<String, Object> settings = Map.of("bootstrap.servers", "localhost:1", "security.protocol", "SSL", name, value);
    new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer()).close();
    new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer()).close();
    producer(settings).close();
    consumer(settings).close();
  }

  @Test
  void olderVersionsBesideNewerOnesAreNoError() throws Exception {
    assertThat(decants(settings("ssl.enabled.protocols", "TLSv1.2,TLSv1.1,TLSv1"))).isEqualTo("v");
  }
}
