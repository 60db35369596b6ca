package dev.decant.kafka.apache;

import static dev.decant.kafka.apache.OwnSaslClasses.SECRET;
import static dev.decant.kafka.apache.OwnSaslClasses.TOLD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.decant.kafka.apache.OwnSaslClasses.HandlerWithoutItsLibrary;
import dev.decant.kafka.apache.OwnSaslClasses.HiddenHandler;
import dev.decant.kafka.apache.OwnSaslClasses.NameHandler;
import dev.decant.kafka.apache.OwnSaslClasses.OwnLogin;
import dev.decant.kafka.apache.OwnSaslClasses.TokenHandler;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.ScriptedSasl;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.security.TestLoginModule;
import dev.decant.kafka.security.TestSaslProvider;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import javax.security.auth.login.LoginException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application's login classes, callback handlers and login modules, against a broker that the test scripts. */
@Timeout(120)
@ExtendWith(QuietLog.class)
@Isolated("it fails if any client of the JVM logs a warning")
class SaslClassesTest {
  private static final String PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule";
  private static final String OAUTH = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule";
  private static final String OWN = TestLoginModule.class.getName();
  private static final Duration LATER = Duration.ofSeconds(30);

  private final ScriptedBroker broker = ScriptedBroker.start(1);

  @BeforeEach
  void begin() {
    OwnSaslClasses.forget();
    TestSaslProvider.register();
  }

  @AfterEach
  void end() {
    broker.close();
    TestSaslProvider.remove();
  }

  private ScriptedSasl taking(Predicate<String> isTaken) {
    return new ScriptedSasl(broker, isTaken);
  }

  private Map<String, Object> settings(String mechanism, String module, Object... more) {
    Map<String, Object> all = new HashMap<>(Map.of("bootstrap.servers", broker.address(), "security.protocol",
        "SASL_PLAINTEXT", "sasl.mechanism", mechanism, "sasl.jaas.config", module, "acme.team", "payments"));
    for (String side : new String[] {"key", "value"}) {
      all.put(side + ".serializer", StringSerializer.class);
      all.put(side + ".deserializer", StringDeserializer.class);
    }
    for (int i = 0; i < more.length; i += 2) {
      all.put(more[i].toString(), more[i + 1] instanceof Class<?> type ? type.getName() : more[i + 1]);
    }
    return all;
  }

  private static String entry(String module, String... options) {
    StringBuilder entry = new StringBuilder(module + " required");
    for (int i = 0; i < options.length; i += 2) {
      entry.append(" ").append(options[i]).append("=\"").append(options[i + 1]).append("\"");
    }
    return entry + ";";
  }

  private static void send(DecantProducer<String, String> producer, String value) throws Exception {
    producer.send(new ProducerRecord<>(ScriptedBroker.TOPIC, "k", value)).get();
  }

  private static String read(DecantConsumer<String, String> consumer) {
    consumer.assign(List.of(new TopicPartition(ScriptedBroker.TOPIC, 0)));
    consumer.seekToBeginning(consumer.assignment());
    while (true) {
      ConsumerRecords<String, String> records = consumer.poll(LATER);
      for (ConsumerRecord<String, String> record : records) {
        return record.value();
      }
    }
  }

  private void sendAndRead(Map<String, Object> settings) throws Exception {
    try (DecantProducer<String, String> producer = new DecantProducer<>(settings);
        DecantConsumer<String, String> consumer = new DecantConsumer<>(settings)) {
      send(producer, "v");
      assertThat(read(consumer)).isEqualTo("v");
    }
  }

  private static List<String> linesOf(String name) {
    return TOLD.stream().filter(line -> line.startsWith(name)).toList();
  }

  @Test
  void loginClassIsConfiguredOnceForClientsWithTheSameSettingsAndClosedAfterTheLast() throws Exception {
    ScriptedSasl sasl = taking(message -> message.equals("|alice|" + SECRET));
    sendAndRead(settings("PLAIN", entry(PLAIN, "username", "alice", "password", SECRET), "sasl.login.class",
        OwnLogin.class));
    assertThat(sasl.messages()).isNotEmpty().allMatch(message -> message.equals("|alice|" + SECRET));
    assertThat(linesOf("OwnLogin")).containsExactly("OwnLogin configured for KafkaClient, acme.team=payments",
        "OwnLogin logs in", "OwnLogin closed");

    sendAndRead(settings("PLAIN", entry(PLAIN, "username", "alice", "password", SECRET), "sasl.login.class",
        OwnLogin.class));
    assertThat(linesOf("OwnLogin logs")).as("logins after all had closed").hasSize(2);
    Map<String, Object> others = settings("PLAIN", entry(PLAIN, "username", "alice", "password", SECRET),
        "sasl.login.class", OwnLogin.class, "sasl.login.refresh.buffer.seconds", "10");
    try (DecantProducer<String, String> one = new DecantProducer<>(others);
        DecantProducer<String, String> other = new DecantProducer<>(settings("PLAIN",
            entry(PLAIN, "username", "alice", "password", SECRET), "sasl.login.class", OwnLogin.class))) {
      send(one, "a");
      send(other, "b");
    }
    assertThat(linesOf("OwnLogin logs")).as("logins of other settings").hasSize(4);
    assertThat(linesOf("OwnLogin closed")).hasSize(4);
  }

  /** A rebalance listener may close the consumer that is closing: other clients lost their shared login. */
  @Test
  void aClientThatIsClosedTwiceGivesItsShareOfALoginBackOnce() {
    Map<String, Object> settings = settings("PLAIN", entry(PLAIN, "username", "alice", "password", SECRET),
        "sasl.login.class", OwnLogin.class);
    SecuredClient one = ProducerOptions.read(settings, null, null).openClient();
    SecuredClient other = ProducerOptions.read(settings, null, null).openClient();
    one.close();
    one.close();
    assertThat(linesOf("OwnLogin closed")).as("the other one uses it").isEmpty();
    other.close();
    assertThat(linesOf("OwnLogin closed")).hasSize(1);
  }

  @Test
  void loginHandlerGivesTokensAndExtensions() throws Exception {
    ScriptedSasl sasl = taking(message -> message.equals("n,,|auth=Bearer " + SECRET + ".1|tenant=acme||"));
    sendAndRead(settings("OAUTHBEARER", entry(OAUTH, "clientId", "orders"), "sasl.login.callback.handler.class",
        TokenHandler.class));
    assertThat(sasl.mechanisms()).isNotEmpty().containsOnly("OAUTHBEARER");
    assertThat(TOLD).containsExactly("TokenHandler configured for OAUTHBEARER with OAuthBearerLoginModule[clientId],"
        + " acme.team=payments, servers=ArrayList", "TokenHandler closed");
    assertThat(OwnSaslClasses.TOKENS).as("shared by both clients").hasValue(1);
    assertThat(OwnSaslClasses.LOADERS).containsExactly(Thread.currentThread().getContextClassLoader());
  }

  /** A broker bounds the session by the token's lifetime (KIP-368); the next connection has another token. */
  @Test
  void tokensAreRefreshedAheadOfTheirEndAndConnectionsReplaced() throws Exception {
    ScriptedSasl sasl = taking(message -> message.startsWith("n,,|auth=Bearer " + SECRET));
    sasl.sessionMillis(300);
    try (DecantProducer<String, String> producer = new DecantProducer<>(settings("OAUTHBEARER", entry(OAUTH),
        "sasl.login.callback.handler.class", TokenHandler.class, "acme.age.ms", "3600000",
        "sasl.login.refresh.window.factor", "0.5", "sasl.login.refresh.window.jitter", "0",
        "sasl.login.refresh.min.period.seconds", "0"))) {
      while (sasl.messages().stream().distinct().count() < 3) {
        send(producer, "v");
      }
    }
    assertThat(sasl.messages()).contains("n,,|auth=Bearer " + SECRET + ".1|tenant=acme||",
        "n,,|auth=Bearer " + SECRET + ".2|tenant=acme||", "n,,|auth=Bearer " + SECRET + ".3|tenant=acme||");
  }

  @ClientsFrom(value = "4.1", because = "classes that fetch and check tokens (KIP-1139)")
  @Test
  void retrieverAndValidatorOfItsOwn() throws Exception {
    ScriptedSasl sasl = taking(message -> message.equals("n,,|auth=Bearer " + SECRET + ".checked||"));
    sendAndRead(settings("OAUTHBEARER", entry(OAUTH, "clientId", "orders"), "sasl.oauthbearer.jwt.retriever.class",
        OwnTokens.Retriever.class, "sasl.oauthbearer.jwt.validator.class", OwnTokens.Validator.class));
    assertThat(sasl.messages()).isNotEmpty();
    assertThat(TOLD).containsExactlyInAnyOrder("Retriever configured for OAUTHBEARER, acme.team=payments",
        "Validator configured for OAUTHBEARER", "Validator asked about fetched", "Retriever closed");

    assertThat(opening(oauth("sasl.oauthbearer.jwt.retriever.class", OwnTokens.Retriever.class,
        "sasl.oauthbearer.jwt.validator.class", OwnTokens.Validator.class, "acme.fails", "Retriever.retrieve"), true))
        .isInstanceOf(SaslAuthenticationException.class)
        .hasStackTraceContaining("the vault has no token");
  }

  @Test
  void clientHandlerAndMechanismOfAProviderWithALoginModuleOfItsOwn() throws Exception {
    ScriptedSasl sasl = taking(message -> message.equals("kafka/127.0.0.1 carol word " + SECRET)).farewell("welcome");
    sendAndRead(settings(TestSaslProvider.NAME, entry(OWN, "username", "nobody", "password", "none"),
        "sasl.client.callback.handler.class", NameHandler.class));
    assertThat(sasl.messages()).contains("", "kafka/127.0.0.1 carol word " + SECRET);
    assertThat(sasl.mechanisms()).containsOnly(TestSaslProvider.NAME);
    assertThat(linesOf("NameHandler configured")).hasSize(2).allMatch(line -> line.contains("with TestLoginModule"));
    assertThat(linesOf("NameHandler closed")).as("one of each client").hasSize(2);
  }

  @Test
  void clientHandlerOfAMechanismOfKafkas() throws Exception {
    ScriptedSasl sasl = taking(message -> message.equals("|carol|" + SECRET));
    sendAndRead(settings("PLAIN", entry(PLAIN, "username", "nobody", "password", "none"),
        "sasl.client.callback.handler.class", NameHandler.class));
    assertThat(sasl.messages()).contains("|carol|" + SECRET);
  }

  @Test
  void loginModuleOfItsOwnServesAMechanismOfKafkas() throws Exception {
    ScriptedSasl sasl = taking(message -> message.equals("|alice|" + SECRET));
    sendAndRead(settings("PLAIN", entry(OWN, "username", "alice", "password", SECRET)));
    assertThat(sasl.messages()).contains("|alice|" + SECRET);
  }

  @Test
  void serviceNameIsThatOfTheLogin() throws Exception {
    ScriptedSasl sasl = taking(message -> message.startsWith("stream/127.0.0.1 alice")).farewell("welcome");
    sendAndRead(settings(TestSaslProvider.NAME, entry(OWN, "username", "alice", "password", SECRET),
        "sasl.login.class", OwnLogin.class));
    assertThat(sasl.messages()).contains("stream/127.0.0.1 alice word " + SECRET);
  }

  // Errors.

  private static Throwable opening(Map<String, Object> settings, boolean producer) {
    Throwable failure = catchThrowable(() -> {
      if (producer) {
        new DecantProducer<String, String>(settings).close();
      } else {
        new DecantConsumer<String, String>(settings).close();
      }
    });
    assertThat(failure).isInstanceOf(KafkaException.class)
        .satisfies(e -> assertThat(e).hasStackTraceContaining("").message().doesNotContain(SECRET));
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      assertThat(String.valueOf(cause.getMessage())).doesNotContain(SECRET);
    }
    return failure instanceof ConfigException ? failure : Objects.requireNonNull(failure.getCause());
  }

  private Map<String, Object> oauth(Object... more) {
    return settings("OAUTHBEARER", entry(OAUTH, "secret", SECRET), more);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void loginThatFailsEndsTheOpening(boolean producer) {
    assertThat(opening(settings("PLAIN", entry(PLAIN, "username", "alice", "password", SECRET), "sasl.login.class",
        OwnLogin.class, "acme.fails", "OwnLogin.login"), producer)).isInstanceOf(SaslAuthenticationException.class)
        .hasMessage("login by " + OwnLogin.class.getName() + " failed: javax.security.auth.login.LoginException: the"
            + " vault is sealed")
        .hasCauseInstanceOf(LoginException.class);
    assertThat(linesOf("OwnLogin closed")).hasSize(1);

    assertThat(opening(settings("PLAIN", entry(OWN, "fails", "yes", "password", SECRET)), producer))
        .isInstanceOf(SaslAuthenticationException.class).hasMessageContaining("login by " + OWN)
        .hasMessageContaining("the vault is sealed").hasCauseInstanceOf(LoginException.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void loginHandlerThatThrowsEndsTheOpening(boolean producer) {
    assertThat(opening(oauth("sasl.login.callback.handler.class", TokenHandler.class, "acme.fails",
        "TokenHandler.handle"), producer)).isInstanceOf(SaslAuthenticationException.class)
        .hasMessageContaining(TokenHandler.class.getName()).hasStackTraceContaining("the metadata service is away");
    assertThat(opening(oauth("sasl.login.callback.handler.class", TokenHandler.class, "acme.fails",
        "TokenHandler.configure"), producer)).isInstanceOf(ConfigException.class)
        .hasMessage("sasl.login.callback.handler.class: " + TokenHandler.class.getName()
            + " cannot be configured: java.lang.IllegalArgumentException: acme.team is unknown")
        .hasCauseInstanceOf(IllegalArgumentException.class);
    assertThat(linesOf("TokenHandler closed")).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sasl.login.callback.handler.class", "sasl.client.callback.handler.class",
      "sasl.login.class"})
  void classThatIsMissingOrSomethingElseIsNamed(String setting) {
    for (boolean producer : new boolean[] {true, false}) {
      assertThat(opening(oauth(setting, "com.acme.Missing"), producer)).isInstanceOf(ConfigException.class)
          .hasMessageContaining("com.acme.Missing").hasMessageContaining(setting);
      assertThat(opening(oauth(setting, String.class), producer)).isInstanceOf(ConfigException.class)
          .hasMessageStartingWith(setting + ": java.lang.String is no org.apache.kafka.common.security.auth.");
    }
  }

  @Test
  void classThatCannotBeMadeIsNamed() {
    assertThat(opening(oauth("sasl.login.callback.handler.class", HiddenHandler.class), true))
        .isInstanceOf(ConfigException.class).hasMessageStartingWith("sasl.login.callback.handler.class: "
            + HiddenHandler.class.getName() + " cannot be made: ");
    assertThat(opening(oauth("sasl.client.callback.handler.class", HandlerWithoutItsLibrary.class), false))
        .isInstanceOf(ConfigException.class).hasMessageContaining("com/acme/Sdk")
        .hasMessageStartingWith("sasl.client.callback.handler.class: " + HandlerWithoutItsLibrary.class.getName());
  }

  @Test
  void mechanismThatNoProviderHasIsNamed() {
    assertThat(opening(settings("SCRAM-SHA-52", entry(PLAIN, "username", "a", "password", SECRET)), false))
        .isInstanceOf(ConfigException.class).hasMessageContaining("no security provider of this JVM")
        .hasMessageContaining("SCRAM-SHA-52");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void entryOfJaasThatIsNoneIsAConfigExceptionWithoutItsText(boolean producer) {
    assertThat(opening(settings("PLAIN", SECRET), producer)).isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("sasl.jaas.config");
    assertThat(opening(settings("PLAIN", SECRET, "sasl.login.class", OwnLogin.class), producer))
        .isInstanceOf(ConfigException.class).hasMessageStartingWith("sasl.jaas.config");
    assertThat(opening(settings("PLAIN", "com.sun.security.auth.module.JndiLoginModule required a=\"" + SECRET + "\";",
        "sasl.login.class", OwnLogin.class), producer)).isInstanceOf(ConfigException.class)
        .hasMessageContaining("not allowed");
  }

  @Test
  void clientHandlerThatThrowsFailsTheRecordsAndThePollAtOnce() {
    taking(message -> true);
    Map<String, Object> settings = settings("PLAIN", entry(PLAIN, "username", "a", "password", "b"),
        "sasl.client.callback.handler.class", NameHandler.class, "acme.fails", "NameHandler.handle");
    try (DecantProducer<String, String> producer = new DecantProducer<>(settings);
        DecantConsumer<String, String> consumer = new DecantConsumer<>(settings)) {
      assertThatThrownBy(() -> send(producer, "v")).isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(SaslAuthenticationException.class).hasMessageContaining("PLAIN cannot begin")
          .hasStackTraceContaining("the metadata service is away");
      consumer.assign(List.of(new TopicPartition(ScriptedBroker.TOPIC, 0)));
      assertThatThrownBy(() -> consumer.poll(LATER)).isInstanceOf(SaslAuthenticationException.class)
          .hasMessageContaining("PLAIN cannot begin");
    }
  }

  @Test
  void tokenThatTheBrokerRefusesIsInNoMessage() {
    ScriptedSasl sasl = taking(message -> false);
    try (DecantProducer<String, String> producer = new DecantProducer<>(settings("OAUTHBEARER", entry(OAUTH),
        "sasl.login.callback.handler.class", TokenHandler.class))) {
      Throwable failure = catchThrowable(() -> send(producer, "v"));
      assertThat(failure).hasCauseInstanceOf(SaslAuthenticationException.class)
          .hasMessageContaining("nobody is known by that");
      assertThat(failure).satisfies(e -> {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
          assertThat(String.valueOf(cause.getMessage())).doesNotContain(SECRET);
        }
      });
    }
    assertThat(sasl.messages().getFirst()).contains(SECRET);
  }

  @Test
  void apachesOwnClassesNamedAreThoseOfDecant() throws Exception {
    ScriptedSasl sasl = taking(message -> message.equals("|alice|" + SECRET));
    Map<String, Object> settings = settings("PLAIN", entry(PLAIN, "username", "alice", "password", SECRET),
        "sasl.login.class", "org.apache.kafka.common.security.authenticator.DefaultLogin",
        "sasl.client.callback.handler.class",
        "org.apache.kafka.common.security.authenticator.SaslClientCallbackHandler");
    sendAndRead(settings);
    assertThat(sasl.messages()).contains("|alice|" + SECRET);
    assertThat(broker.requests(ApiKey.SASL_HANDSHAKE)).isNotEmpty();
    assertThat(new SaslClasses(ConsumerSettings.read(settings, null, null).values()).areOthers()).isFalse();
  }
}
