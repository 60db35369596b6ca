package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.testkit.TestAuthority;
import dev.decant.testkit.TestCertificate;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The configurations of configurations.properties: Decant's clients behind Apache's interfaces accept what Apache's
 * clients accept, and the native client accepts all but the listed names. No client here reaches a broker.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ConfigurationsTest {
  private static final String SECRET = "planted-password";
  private static final Map<String, String> PLACES = new HashMap<>();

  /** A serializer of the application's. */
  public static final class OrderSerializer implements Serializer<String> {
    @Override
    public byte[] serialize(String topic, String data) {
      return data.getBytes(StandardCharsets.UTF_8);
    }
  }

  /** A deserializer of the application's. */
  public static final class OrderDeserializer implements Deserializer<String> {
    @Override
    public String deserialize(String topic, byte[] data) {
      return new String(data, StandardCharsets.UTF_8);
    }
  }

  record Configuration(String name, List<String> refusedNatively, String text) {
    @Override
    public String toString() {
      return name;
    }

    Map<String, Object> settings() {
      Properties properties = new Properties();
      try {
        properties.load(new StringReader(Pattern.compile("\\{([a-z0-9.]+)}").matcher(text).replaceAll(
            found -> Matcher.quoteReplacement(Objects.requireNonNull(PLACES.get(found.group(1)), found.group(1))))));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", "127.0.0.1:1"));
      properties.stringPropertyNames().forEach(name -> settings.put(name, properties.getProperty(name)));
      return settings;
    }
  }

  @BeforeAll
  static void writeFiles() throws Exception {
    TestAuthority authority = TestAuthority.create();
    TestCertificate client = authority.client("orders");
    Path directory = Files.createTempDirectory("decant-configurations");
    char[] password = SECRET.toCharArray();
    PLACES.put("trust.p12", authority.writePkcs12(directory.resolve("trust.p12"), password).toString());
    PLACES.put("keys.p12", client.writePkcs12(directory.resolve("keys.p12"), password).toString());
    PLACES.put("trust.pem", authority.writePem(directory.resolve("trust.pem")).toString());
    PLACES.put("keys.pem", client.writePem(directory.resolve("keys.pem")).toString());
    for (String name : List.of("trust", "keys")) {
      KeyStore from = KeyStore.getInstance(directory.resolve(name + ".p12").toFile(), password);
      KeyStore to = KeyStore.getInstance("JKS");
      to.load(null, password);
      String alias = from.aliases().nextElement();
      to.setEntry(alias,
          from.getEntry(alias, from.isKeyEntry(alias) ? new KeyStore.PasswordProtection(password) : null),
          from.isKeyEntry(alias) ? new KeyStore.PasswordProtection(password) : null);
      Path file = directory.resolve(name + ".jks");
      try (OutputStream out = Files.newOutputStream(file)) {
        to.store(out, password);
      }
      PLACES.put(name + ".jks", file.toString());
    }
    PLACES.putAll(Map.of("password", SECRET, "serializer", OrderSerializer.class.getName(), "deserializer",
        OrderDeserializer.class.getName(), "interceptor", RecordingInterceptor.class.getName(), "engines",
        RecordingEngines.class.getName(), "providers", RecordingProvider.Creator.class.getName(), "handler",
        OwnSaslClasses.TokenHandler.class.getName()));
    PLACES.put("directory", directory.toString());
  }

  @AfterAll
  static void deleteFiles() throws IOException {
    java.security.Security.removeProvider(RecordingProvider.NAME);
    Path directory = Path.of(Objects.requireNonNull(PLACES.get("directory")));
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  static List<Configuration> configurations() throws IOException {
    String all;
    try (var in = Objects.requireNonNull(ConfigurationsTest.class.getResourceAsStream("configurations.properties"))) {
      all = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    List<Configuration> found = new ArrayList<>();
    for (String part : all.split("(?m)^=== ", -1)) { // the first part is the file's comment
      int line = part.indexOf('\n');
      String[] heading = part.substring(0, line).split("\\|", -1);
      if (heading.length > 1) {
        List<String> refused = heading[1].isBlank() ? List.of() : List.of(heading[1].strip().split("\\s*,\\s*"));
        found.add(new Configuration(heading[0].strip(), refused, part.substring(line)));
      }
    }
    assertThat(found).hasSizeGreaterThan(20);
    return found;
  }

  private static Map<String, Object> forApache(Configuration configuration) {
    Map<String, Object> settings = configuration.settings();
    settings.put(RecordingEngines.EVENTS, new CopyOnWriteArrayList<String>());
    return settings;
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void producersTakeWhatApachesTakes(Configuration configuration) {
    Map<String, Object> settings = forApache(configuration);
    settings.putIfAbsent("key.serializer", StringSerializer.class.getName());
    settings.putIfAbsent("value.serializer", StringSerializer.class.getName());
    new KafkaProducer<>(settings).close(Duration.ZERO);
    new DecantProducer<>(settings).close(Duration.ZERO);
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void consumersTakeWhatApachesTakes(Configuration configuration) {
    Map<String, Object> settings = forApache(configuration);
    if (settings.remove("interceptor.classes") != null) {
      settings.put("interceptor.classes", List.of());
    }
    settings.putIfAbsent("key.deserializer", StringDeserializer.class.getName());
    settings.putIfAbsent("value.deserializer", StringDeserializer.class.getName());
    new KafkaConsumer<>(settings).close();
    new DecantConsumer<>(settings).close();
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void nativeClientNamesWhatItRefuses(Configuration configuration) {
    TreeSet<String> refused = new TreeSet<>();
    String message = "";
    try {
      KafkaClient.builder(configuration.settings());
    } catch (IllegalArgumentException e) {
      message = String.valueOf(e.getMessage());
      message.lines().filter(line -> !line.endsWith("problems with the settings:"))
          .forEach(line -> refused.add(line.strip().replaceFirst(":.*", "")));
    }
    assertThat(refused).as(message).containsExactlyElementsOf(configuration.refusedNatively());
    assertThat(message).doesNotContain(SECRET);
  }
}
