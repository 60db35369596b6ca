package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.TestCertificate;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Passwords and keys of settings are in no log, exception or text of a client, behind either interface. */
@ExtendWith(PlainCluster.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TlsSecretsTest {
  private static final String STORE = "planted-store-5d0c";
  private static final String WRONG = "planted-wrong-e1f7";
  private static final TestCertificate CLIENT = PlainCluster.AUTHORITY.client("orders");

  private final String topic = PlainCluster.createTopic(1);
  private final StringWriter told = new StringWriter();
  private final Logger root = Logger.getLogger("");
  private final Logger decant = Logger.getLogger("dev.decant");
  private final Handler handler = new Handler() {
    @Override
    public void publish(LogRecord record) {
      told.append(record.getLoggerName() + ": " + record.getMessage() + "\n");
      for (Object value : record.getParameters() == null ? new Object[0] : record.getParameters()) {
        told.append(value + "\n");
      }
      tell(record.getThrown());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  };

  @TempDir
  private Path directory;

  @BeforeEach
  void listen() throws IOException {
    CLIENT.writePkcs12(directory.resolve("keys.p12"), STORE.toCharArray());
    handler.setLevel(Level.ALL);
    decant.setLevel(Level.ALL);
    root.addHandler(handler);
    decant.setUseParentHandlers(false);
    decant.addHandler(handler);
  }

  @AfterEach
  void stop() {
    root.removeHandler(handler);
    decant.removeHandler(handler);
    decant.setUseParentHandlers(true);
    decant.setLevel(null);
  }

  private void tell(@Nullable Throwable thrown) {
    if (thrown != null) {
      thrown.printStackTrace(new PrintWriter(told));
    }
  }

  private Map<String, Object> settings(Object... more) {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers",
        PlainCluster.encrypted(), "security.protocol", "SSL", "ssl.truststore.type", "PEM",
        "ssl.truststore.certificates", PlainCluster.AUTHORITY.pem(), "ssl.keystore.type", "PKCS12",
        "ssl.keystore.location", directory.resolve("keys.p12").toString(),
        "ssl.keystore.password", STORE));
    settings.put(RecordingEngines.EVENTS, new CopyOnWriteArrayList<String>());
    for (int i = 0; i < more.length; i += 2) {
      settings.put((String) more[i], more[i + 1]);
    }
    return settings;
  }

  /** Opens both clients and sends a request to the broker. */
  private boolean open(Map<String, Object> settings) {
    boolean works = true;
    try (Producer<String, String> producer = new DecantProducer<>(settings, new StringSerializer(),
        new StringSerializer())) {
      told.append(producer + "\n" + producer.partitionsFor(topic));
    } catch (RuntimeException e) {
      tell(e);
      works = false;
    }
    try (Consumer<String, String> consumer = new DecantConsumer<>(settings, new StringDeserializer(),
        new StringDeserializer())) {
      told.append(consumer + "\n" + consumer.partitionsFor(topic));
    } catch (RuntimeException e) {
      tell(e);
      works = false;
    }
    return works;
  }

  @Test
  void noSecretIsInAnythingThatIsWrittenOrThrown() {
    String engines = RecordingEngines.class.getName();
    assertThat(open(settings("ssl.engine.factory.class", engines))).isTrue();
    assertThat(open(settings("ssl.engine.factory.class", engines, RecordingEngines.FAILS, STORE))).isFalse();
    assertThat(open(settings("ssl.engine.factory.class", engines, "ssl.keystore.password", WRONG))).isFalse();
    assertThat(open(settings("ssl.engine.factory.class", String.class))).isFalse();
    assertThat(open(settings("ssl.keystore.password", WRONG))).isFalse();
    assertThat(open(settings("ssl.key.password", WRONG))).isFalse();
    assertThat(open(settings("ssl.provider", "Nobody", "ssl.enabled.protocols", "TLSv1.2,TLSv1"))).isFalse();
    assertThat(open(settings("ssl.protocol", "DTL"))).isFalse();
    assertThat(open(settings("ssl.keymanager.algorithm", "Keys"))).isFalse();
    assertThat(open(settings("security.providers", "com.example.None"))).isTrue();
    Map<String, Object> pem = settings("ssl.keystore.type", "PEM", "ssl.keystore.certificate.chain", CLIENT.chainPem(),
        "ssl.keystore.key", CLIENT.keyPem().replace("END PRIVATE", "END SECRET"));
    pem.keySet().removeAll(List.of("ssl.keystore.location", "ssl.keystore.password"));
    assertThat(open(pem)).isFalse();

    String key = CLIENT.keyPem().lines().skip(1).findFirst().orElseThrow();
    assertThat(told.toString()).contains("no key in the vault", "com.example.None", "is left out")
        .doesNotContain(STORE, WRONG, key);
  }
}
