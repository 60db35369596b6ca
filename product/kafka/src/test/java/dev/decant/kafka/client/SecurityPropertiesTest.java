package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.decant.kafka.broker.LogLines;
import dev.decant.kafka.security.Ssl;
import dev.decant.runtime.Finding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests security by Kafka's names: accepted and refused settings, and that no error has a password. */
@Timeout(60)
class SecurityPropertiesTest {
  private static final String SECRET = "planted-s3cret-of-alice";
  private static final String PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule";
  private static final String SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule";

  private static String jaas(String module) {
    return module + " required username=\"alice\" password=\"" + SECRET + "\";";
  }

  private static Map<String, Object> with(String... namesAndValues) {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", "127.0.0.1:1"));
    for (int i = 0; i < namesAndValues.length; i += 2) {
      settings.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return settings;
  }

  /** Returns the lines of the error for these settings, and checks that the password is not in it. */
  private static List<String> problems(Map<String, ?> settings) {
    Throwable thrown = catchThrowable(() -> KafkaClient.fromProperties(settings).close());
    assertThat(thrown).isInstanceOf(IllegalArgumentException.class);
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      assertThat(t.toString()).doesNotContain(SECRET);
    }
    String message = String.valueOf(thrown.getMessage());
    List<String> lines = message.lines().map(String::strip).toList();
    return lines.size() == 1 ? lines : lines.subList(1, lines.size());
  }

  @ParameterizedTest
  @CsvSource({"PLAIN," + PLAIN, "SCRAM-SHA-256," + SCRAM, "SCRAM-SHA-512," + SCRAM})
  void mechanismsAreThoseOfTheFile(String mechanism, String module) {
    Map<String, Object> settings = with("security.protocol", "SASL_PLAINTEXT", "sasl.mechanism", mechanism,
        "sasl.jaas.config", jaas(module));
    assertThat(KafkaClient.builder(settings).settings()).containsEntry("security.protocol", "SASL_PLAINTEXT")
        .containsEntry("sasl.mechanism", mechanism).doesNotContainKey("sasl.jaas.config");
    settings.put("security.protocol", "sasl_ssl");
    assertThat(KafkaClient.builder(settings).settings()).containsEntry("security.protocol", "SASL_SSL");
  }

  @Test
  void passwordThatIsSentInTheClearIsAFinding() {
    try (KafkaClient client = KafkaClient.fromProperties(with("security.protocol", "SASL_PLAINTEXT", "sasl.mechanism",
        "PLAIN", "sasl.jaas.config", jaas(PLAIN)))) {
      assertThat(client.runtimeFindings()).extracting(Finding::id).contains("sasl.unencrypted");
      assertThat(client.status().findings()).extracting(Finding::message).noneMatch(text -> text.contains(SECRET));
    }
    try (KafkaClient client = KafkaClient.fromProperties(with("security.protocol", "SASL_SSL", "sasl.mechanism",
        "PLAIN", "sasl.jaas.config", jaas(PLAIN)))) {
      assertThat(client.runtimeFindings()).extracting(Finding::id).doesNotContain("sasl.unencrypted");
    }
  }

  @Test
  void saslWithoutAProtocolThatHasItIsOneLine() {
    assertThat(problems(with("sasl.mechanism", "PLAIN", "sasl.jaas.config", jaas(PLAIN)))).containsExactly(
        "sasl.jaas.config, sasl.mechanism: contradicts security.protocol=PLAINTEXT, the default; set"
            + " security.protocol=SASL_SSL, or SASL_PLAINTEXT, or remove it");
    assertThat(problems(with("security.protocol", "SSL", "sasl.mechanism", "PLAIN"))).containsExactly(
        "sasl.mechanism: contradicts security.protocol=SSL; set security.protocol=SASL_SSL or remove it");
  }

  @Test
  void tlsWithoutAProtocolThatHasItIsOneLine() {
    assertThat(problems(with("security.protocol", "SASL_PLAINTEXT", "sasl.mechanism", "PLAIN", "sasl.jaas.config",
        jaas(PLAIN), "ssl.truststore.location", "/none", "ssl.truststore.password", SECRET))).containsExactly(
            "ssl.truststore.location, ssl.truststore.password: contradicts security.protocol=SASL_PLAINTEXT; set"
                + " security.protocol=SASL_SSL or remove it");
  }

  @Test
  void saslProtocolNeedsMechanismAndCredentials() {
    assertThat(problems(with("security.protocol", "SASL_SSL"))).containsExactly(
        "sasl.mechanism: is missing; set PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER or GSSAPI");
    assertThat(problems(with("security.protocol", "SASL_SSL", "sasl.mechanism", "PLAIN"))).singleElement().asString()
        .startsWith("sasl.jaas.config: is missing; PLAIN takes " + PLAIN);
    assertThat(problems(with("security.protocol", "SASL_SSL", "sasl.mechanism", "PLAIN", "sasl.jaas.config",
        PLAIN + " required username=alice;"))).containsExactly(
            "sasl.jaas.config: the option password is missing or empty");
    assertThat(problems(with("security.protocol", "SASSL"))).containsExactly("security.protocol: \"SASSL\" is unknown:"
        + " use PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL");
  }

  @Test
  void oauthIsReadFromItsNamesAndTheHandlerOfKafkaIsTaken() {
    String handler = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler";
    Map<String, Object> settings = with("security.protocol", "SASL_SSL", "sasl.mechanism", "OAUTHBEARER",
        "sasl.oauthbearer.token.endpoint.url", "https://login.example.com/token",
        "sasl.oauthbearer.client.credentials.client.id", "orders",
        "sasl.oauthbearer.client.credentials.client.secret", SECRET, "sasl.login.callback.handler.class", handler,
        "sasl.oauthbearer.expected.audience", "kafka", "sasl.oauthbearer.jwks.endpoint.url", "https://x");
    assertThat(KafkaClient.builder(settings).settings()).containsEntry("sasl.mechanism", "OAUTHBEARER");
    settings.put("sasl.login.callback.handler.class", "com.example.Handler");
    settings.put("sasl.login.retry.backoff.ms", "never");
    settings.put("sasl.login.refresh.window.factor", "0.4");
    assertThat(problems(settings)).hasSize(2).anySatisfy(line -> assertThat(line).startsWith(
        "sasl.login.callback.handler.class: it is a class for Apache's client; give KafkaClientBuilder.sasl a"
            + " JavaSasl"))
        .anySatisfy(
            line -> assertThat(line).startsWith("sasl.login.retry.backoff.ms: \"never\" is no number"));
  }

  @Test
  void loginModuleThatDoesNotFitIsNamedWithTheOneThatDoes() {
    assertThat(problems(with("security.protocol", "SASL_SSL", "sasl.mechanism", "SCRAM-SHA-256", "sasl.jaas.config",
        jaas(PLAIN))))
        .containsExactly("sasl.jaas.config: " + PLAIN + " does not fit sasl.mechanism SCRAM-SHA-256, which"
            + " takes " + SCRAM);
    assertThat(problems(with("security.protocol", "SASL_SSL", "sasl.mechanism", "PLAIN", "sasl.jaas.config",
        jaas("software.amazon.msk.auth.iam.IAMLoginModule")))).singleElement().asString().startsWith(
            "sasl.jaas.config: the login module software.amazon.msk.auth.iam.IAMLoginModule is not on the class path;"
                + " PLAIN takes " + PLAIN);
    assertThat(problems(with("security.protocol", "SASL_SSL", "sasl.mechanism", "GSSAPI", "sasl.jaas.config",
        jaas(SCRAM)))).as("a file without a mechanism").singleElement().asString().endsWith("GSSAPI is the default of"
            + " Apache's clients, so set sasl.mechanism to SCRAM-SHA-256 or SCRAM-SHA-512");
    assertThat(problems(with("security.protocol", "SASL_SSL", "sasl.mechanism", "AWS_MSK_IAM", "sasl.jaas.config",
        jaas(PLAIN)))).singleElement().asString().startsWith("sasl.mechanism: \"AWS_MSK_IAM\" is unknown; use PLAIN");
  }

  @ParameterizedTest
  @ValueSource(strings = {SECRET, SECRET + " required;", PLAIN + " " + SECRET, PLAIN + " required " + SECRET + ";",
      PLAIN + " required password=" + SECRET, PLAIN + " required password=\"" + SECRET + ";",
      PLAIN + " required username=\"a\" password='" + SECRET + "' password=\"" + SECRET + "\";",
      PLAIN + " required username=\"a\" password=\"" + SECRET + "\"; " + SECRET, PLAIN + " required password=;",
      PLAIN + " required /* " + SECRET})
  void brokenLoginConfigurationIsRefusedWithoutAPartOfIt(String text) {
    assertThat(problems(with("security.protocol", "SASL_SSL", "sasl.mechanism", "PLAIN", "sasl.jaas.config", text)))
        .singleElement().asString().startsWith("sasl.jaas.config: ");
  }

  @Test
  void tlsSettingsThatCannotHoldAreALineEach() {
    assertThat(problems(with("security.protocol", "SSL", "ssl.enabled.protocols", "TLSv1.1",
        "ssl.endpoint.identification.algorithm", "maybe", "ssl.truststore.type", "BCFKS", "ssl.keystore.key", SECRET)))
        .containsExactly(
            "ssl.enabled.protocols: protocol version TLSv1.1 is not supported; use TLSv1.3, TLSv1.2 or both",
            "ssl.endpoint.identification.algorithm: \"maybe\" is unknown: use https, or an empty value to verify no"
                + " host name",
            "ssl.truststore.type: \"BCFKS\" is unknown: use JKS, PKCS12 or PEM, or a type that a registered security"
                + " provider has",
            "ssl.keystore.certificate.chain: is missing; ssl.keystore.key needs it");
    assertThat(problems(with("security.protocol", "SSL", "ssl.truststore.location", "/no/such/file",
        "ssl.truststore.password", SECRET)))
        .containsExactly("ssl.truststore.location: file /no/such/file does not exist");
    assertThat(problems(with("security.protocol", "SSL", "ssl.truststore.type", "PEM", "ssl.truststore.certificates",
        SECRET))).singleElement().asString().startsWith("ssl.*: trust store of PEM text has no block");
    assertThat(problems(with("security.protocol", "SSL", "ssl.engine.factory.class", "a.B"))).singleElement().asString()
        .startsWith("ssl.engine.factory.class: give KafkaClientBuilder.tls").contains("TlsEngineFactory");
    assertThat(problems(with("security.protocol", "SSL", "security.providers", "a.B"))).singleElement().asString()
        .startsWith("security.providers: call Security.insertProviderAt");
  }

  /** JKS is the default: a PEM file without its type once looked like a wrong password. */
  @Test
  void storeThatIsPemIsNamedByItsSettingAndItsType(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("ca.pem"), "# ours\n-----BEGIN CERTIFICATE-----\nAA==\n");
    String words = " cannot be read: the file is PEM, not JKS: name the type PEM";
    assertThat(problems(with("security.protocol", "SSL", "ssl.truststore.location", file.toString())))
        .singleElement().asString().startsWith("ssl.truststore.location: JKS trust store " + file + words);
    assertThat(problems(with("security.protocol", "SSL", "ssl.keystore.location", file.toString(),
        "ssl.keystore.password", SECRET))).singleElement().asString()
        .startsWith("ssl.keystore.location: JKS key store " + file + words).doesNotContain(SECRET);
  }

  /** Files for older JDKs name the versions that brokers accepted then. */
  @Test
  void olderVersionsBesideNewerOnesAreLeftOutWithALine() {
    for (String versions : List.of("TLSv1.2,TLSv1.1,TLSv1", "TLSv1.1, TLSv1.2, TLSv1.3", "SSLv3,TLSv1.3")) {
      try (LogLines log = new LogLines(Ssl.class.getName())) {
        assertThat(KafkaClient.builder(with("security.protocol", "SSL", "ssl.enabled.protocols", versions)))
            .isNotNull();
        assertThat(log.lines()).singleElement().asString().startsWith("INFO ssl.enabled.protocols: ")
            .contains(versions.contains("SSLv3") ? "SSLv3" : "TLSv1.1");
      }
    }
    for (String versions : List.of("TLSv1.1", "TLSv1,TLSv1.1", "TLSv1.4,TLSv1.2", "TLSv1.2,SSL")) {
      assertThat(problems(with("security.protocol", "SSL", "ssl.enabled.protocols", versions))).singleElement()
          .asString().startsWith("ssl.enabled.protocols: protocol version ");
    }
  }

  @Test
  void providerAndAlgorithmsAreThoseOfTheJvm() {
    assertThat(KafkaClient.builder(with("security.protocol", "SSL", "ssl.protocol", "TLSv1.2", "ssl.provider",
        "SunJSSE", "ssl.keymanager.algorithm", "PKIX", "ssl.trustmanager.algorithm", "PKIX",
        "ssl.secure.random.implementation", "SHA1PRNG"))).isNotNull();
    assertThat(problems(with("security.protocol", "SSL", "ssl.provider", "BCJSSE"))).singleElement().asString()
        .startsWith("ssl.*: security provider BCJSSE is not registered");
    assertThat(problems(with("security.protocol", "SSL", "ssl.keymanager.algorithm", "Keys"))).singleElement()
        .asString().startsWith("ssl.*: no security provider has a KeyManagerFactory of algorithm Keys");
    assertThat(problems(with("security.protocol", "SSL", "ssl.secure.random.implementation", "Dice"))).singleElement()
        .asString().startsWith("ssl.secure.random.implementation: no security provider has random numbers of"
            + " algorithm Dice; there are ");
  }
}
