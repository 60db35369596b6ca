package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.decant.event.Registration;
import dev.decant.kafka.broker.Exchange;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.TestKeys;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.event.ErrorListener;
import dev.decant.kafka.event.ProducerListener;
import dev.decant.kafka.jfr.JfrEvents;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.SaslAuthenticateRequest;
import dev.decant.kafka.protocol.message.SaslAuthenticateResponse;
import dev.decant.kafka.protocol.message.SaslHandshakeResponse;
import dev.decant.kafka.security.TestLoginModule;
import dev.decant.kafka.security.TestSaslProvider;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that passwords, tokens and keys are in no log, event, flight recording, exception or text of an object, whether
 * a client is accepted or refused.
 */
@Timeout(60)
@SuppressWarnings("try") // an open resource may serve its block without being named in it
class SecretsTest {
  private static final String PASSWORD = "planted-password-e19a07";
  private static final String TOKEN = "planted.token.5b77c2d4aa";
  private static final String WRONG = "planted-wrong-33c81f";
  private static final Duration LATER = Duration.ofSeconds(20);

  private final ScriptedBroker broker = ScriptedBroker.start(1);
  private final StringWriter seen = new StringWriter();
  private final Logger root = Logger.getLogger("");
  private final Logger decant = Logger.getLogger("dev.decant");
  private final Handler handler = new Handler() {
    @Override
    public void publish(LogRecord record) {
      seen.append(record.getLoggerName() + ": " + record.getMessage() + "\n");
      for (Object value : record.getParameters() == null ? new Object[0] : record.getParameters()) {
        tell(value);
      }
      tell(record.getThrown());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  };

  @TempDir
  private Path files;

  @BeforeEach
  void listen() {
    handler.setLevel(Level.ALL);
    decant.setLevel(Level.ALL);
    root.addHandler(handler);
    decant.setUseParentHandlers(false);
    decant.addHandler(handler);
    TestSaslProvider.register();
    broker.always(ApiKey.SASL_HANDSHAKE, exchange -> exchange.answer(
        new SaslHandshakeResponse().mechanisms(List.of("PLAIN", "SCRAM-SHA-256", "OAUTHBEARER"))::write));
    broker.always(ApiKey.SASL_AUTHENTICATE, SecretsTest::authenticate);
  }

  @AfterEach
  void stop() {
    root.removeHandler(handler);
    decant.removeHandler(handler);
    decant.setUseParentHandlers(true);
    decant.setLevel(null);
    TestSaslProvider.remove();
    broker.close();
  }

  /** Accepts the right password and, as a careless broker may, repeats the name of a refused client. */
  private static void authenticate(Exchange exchange) throws IOException {
    ByteBuffer sent = ((SaslAuthenticateRequest) exchange.request().body()).authBytes();
    byte[] bytes = new byte[sent.remaining()];
    sent.get(bytes);
    boolean isRight = new String(bytes, StandardCharsets.UTF_8).endsWith("\0" + PASSWORD);
    exchange.answer((isRight
        ? new SaslAuthenticateResponse()
        : new SaslAuthenticateResponse().errorCode(ErrorCode.SASL_AUTHENTICATION_FAILED.code())
            .errorMessage("alice is refused"))::write);
  }

  private void tell(Object value) {
    if (value instanceof Throwable thrown) {
      thrown.printStackTrace(new PrintWriter(seen));
    }
    seen.append(value + "\n");
  }

  /** Keeps every argument of every event. */
  private <L> L listener(Class<L> type) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
      if (method.getDeclaringClass() == Object.class) {
        return method.getName().equals("hashCode") ? System.identityHashCode(self) : false;
      }
      seen.append(method.getName() + "\n");
      for (Object argument : arguments == null ? new Object[0] : arguments) {
        tell(argument);
      }
      return null;
    }));
  }

  private Map<String, Object> secured(String mechanism, String jaas) throws Exception {
    return new HashMap<>(Map.of("bootstrap.servers", broker.address(), "security.protocol", "SASL_SSL",
        "ssl.truststore.type", "PEM", "ssl.truststore.certificates", TestKeys.authorityPem(), "sasl.mechanism",
        mechanism, "sasl.jaas.config", jaas));
  }

  private static String user(String module, String password) {
    return "org.apache.kafka.common.security." + module + " required username=\"alice\" password=\"" + password
        + "\";";
  }

  /** Opens a client, sends with it, and keeps the outcome. */
  private boolean send(Map<String, Object> settings) {
    KafkaClientBuilder builder;
    try {
      builder = KafkaClient.builder(settings);
    } catch (IllegalArgumentException e) {
      tell(e);
      return false;
    }
    tell(builder);
    tell(builder.settings());
    try (KafkaClient client = builder.requestTimeout(LATER).connectTimeout(LATER).build()) {
      Registration unused = JfrEvents.watch(client);
      client.events().watchErrors(listener(ErrorListener.class));
      client.events().watchConnections(listener(ConnectionListener.class));
      client.events().watchProducers(listener(ProducerListener.class));
      Throwable thrown = catchThrowable(() -> {
        try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string())
            .topic(ScriptedBroker.TOPIC).open()) {
          producer.sendAndWait("k", "v");
          tell(producer);
        }
      });
      tell(thrown);
      tell(client);
      tell(client.status());
      tell(client.runtimeFindings());
      tell(client.tls());
      return thrown == null;
    }
  }

  private static List<String> secrets() throws Exception {
    String key = TestKeys.keyPem(TestKeys.CLIENT).lines().skip(1).findFirst().orElseThrow();
    return List.of(PASSWORD, TOKEN, WRONG, TestKeys.PASSWORD, key);
  }

  private static void assertWithout(String text, String where) throws Exception {
    for (String secret : secrets()) {
      assertThat(text.contains(secret)).as("the secret %s in %s", secret, where).isFalse();
      for (int shift = 0; shift < 3; shift++) { // as base64 shows it, at each offset
        String shown = Base64.getEncoder()
            .encodeToString(("x".repeat(shift) + secret).getBytes(StandardCharsets.UTF_8));
        String inner = shown.substring(4, shown.length() - 4);
        assertThat(text.contains(inner)).as("the secret %s in base64 in %s", secret, where).isFalse();
      }
    }
  }

  @Test
  void noSecretIsInAnythingThatIsWrittenOrReported() throws Exception {
    Path recording = files.resolve("all.jfr");
    Path token = Files.writeString(files.resolve("token"), "e30." + Base64.getUrlEncoder().withoutPadding()
        .encodeToString(
            ("{\"exp\":" + (System.currentTimeMillis() / 1000 + 600) + "}").getBytes(StandardCharsets.UTF_8))
        + "." + TOKEN.replace(".", "-"));
    Path keys = files.resolve("client.p12");
    TestKeys.write(TestKeys.CLIENT, keys);
    try (Recording flight = new Recording()) {
      flight.enable("jdk.JavaExceptionThrow").withStackTrace();
      flight.enable("jdk.JavaErrorThrow").withStackTrace();
      FlightRecorder.getFlightRecorder().getEventTypes().stream()
          .filter(type -> type.getName().startsWith("decant.") || type.getName().startsWith("dev.decant."))
          .forEach(type -> flight.enable(type.getName()).withoutThreshold());
      flight.start();

      broker.secure(TestKeys.broker(TestKeys.SERVER), false);
      assertThat(send(secured("PLAIN", user("plain.PlainLoginModule", PASSWORD)))).isTrue();
      assertThat(send(secured("PLAIN", user("plain.PlainLoginModule", WRONG)))).isFalse();
      assertThat(send(secured("SCRAM-SHA-256", user("scram.ScramLoginModule", WRONG)))).isFalse();
      String module = TestLoginModule.class.getName() + " required username=\"alice\" password=\"";
      assertThat(send(secured("PLAIN", module + PASSWORD + "\";"))).isTrue();
      assertThat(send(secured("PLAIN", module + WRONG + "\" fails=\"yes\";"))).isFalse();
      assertThat(send(secured(TestSaslProvider.NAME, module + WRONG + "\";"))).isFalse();
      Map<String, Object> bearer = secured("OAUTHBEARER", "");
      bearer.put("sasl.oauthbearer.token.endpoint.url", token.toUri().toString());
      assertThat(send(bearer)).isFalse();
      Map<String, Object> untrusting = secured("PLAIN", user("plain.PlainLoginModule", PASSWORD));
      untrusting.remove("ssl.truststore.certificates");
      untrusting.putAll(Map.of("ssl.truststore.type", "PKCS12", "ssl.truststore.location", keys.toString(),
          "ssl.truststore.password", TestKeys.PASSWORD));
      assertThat(send(untrusting)).isFalse();
      Map<String, Object> wrongStore = secured("PLAIN", user("plain.PlainLoginModule", PASSWORD));
      wrongStore.putAll(Map.of("ssl.keystore.type", "PKCS12", "ssl.keystore.location", keys.toString(),
          "ssl.keystore.password", WRONG));
      assertThat(send(wrongStore)).isFalse();
      assertThat(send(secured("PLAIN", "broken " + PASSWORD))).isFalse();
      Map<String, Object> keyed = new HashMap<>(wrongStore);
      keyed.putAll(Map.of("ssl.keystore.password", TestKeys.PASSWORD, "ssl.key.password", WRONG));
      assertThat(send(keyed)).isFalse();
      keyed.putAll(Map.of("ssl.key.password", TestKeys.PASSWORD, "ssl.provider", "Nobody", "ssl.enabled.protocols",
          "TLSv1.2,TLSv1.1", "value.serializer", "com.acme.Encrypting", "acme.vault.password", PASSWORD));
      assertThat(send(keyed)).isFalse();
      flight.dump(recording);
    }
    StringBuilder recorded = new StringBuilder();
    RecordingFile.readAllEvents(recording).forEach(event -> recorded.append(event).append('\n'));
    assertThat(recorded.toString()).as("what was recorded").contains("AuthenticationException");
    assertThat(seen.toString()).as("what was told").contains("alice is refused").contains("onError");
    assertWithout(seen.toString(), "logs, events, exceptions and texts");
    assertWithout(recorded.toString(), "events of the flight recording");
    assertWithout(Files.readString(recording, StandardCharsets.ISO_8859_1), "the flight recording");
  }
}
