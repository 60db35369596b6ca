package dev.decant.brokers;

import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.Listener;
import dev.decant.testkit.TestAuthority;
import dev.decant.testkit.TestCertificate;
import dev.decant.testkit.TestTokenEndpoint;
import dev.decant.tls.TlsSettings.ClientCertificates;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * One broker with a listener for each way to be secured, shared by all test classes that are extended with it, and what
 * clients need to know of it.
 */
public final class SecuredCluster implements AutoCloseable {
  /** What the tests know, and nobody may learn. */
  static final String ALICE_SECRET = "planted-alice-9b41";
  static final String BOB_SECRET = "planted-bob-77e0";

  static final TestAuthority AUTHORITY = TestAuthority.create();
  private static final TestCertificate SERVER = AUTHORITY.server("localhost", "127.0.0.1");
  static final Listener TLS = Listener.builder("TLS").tls(SERVER)
      .clientCertificates(ClientCertificates.WANTED, AUTHORITY).build();
  static final Listener MUTUAL = Listener.builder("MUTUAL").tls(SERVER)
      .clientCertificates(ClientCertificates.NEEDED, AUTHORITY).build();
  /** Its certificate is for another host; PLAIN alone. */
  static final Listener ELSEWHERE = Listener.builder("ELSEWHERE").tls(AUTHORITY.server("broker.example.com"))
      .plain("alice", ALICE_SECRET).build();
  static final Listener UNENCRYPTED = Listener.builder("UNENCRYPTED").scram().build();

  /** Starts it before the first class, and ends it after the last. */
  static final class Shared implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
      current = context.getRoot().getStore(Namespace.create(SecuredCluster.class))
          .computeIfAbsent(SecuredCluster.class, key -> new SecuredCluster(), SecuredCluster.class);
    }
  }

  private static volatile @Nullable SecuredCluster current;

  final KafkaCluster cluster;
  final TestTokenEndpoint tokens;
  /** All mechanisms, over TLS. */
  final Listener sasl;
  /** The same, and sessions of 8 s. */
  final Listener brief;
  final Path directory;
  private final Path authorityFile;

  private SecuredCluster() {
    try {
      directory = Files.createTempDirectory("decant-secured");
      authorityFile = AUTHORITY.writePem(directory.resolve("authority.pem"));
      tokens = TestTokenEndpoint.start(SERVER).client("alice", ALICE_SECRET);
      // Apache's client asks no other endpoints
      System.setProperty("org.apache.kafka.sasl.oauthbearer.allowed.urls", tokens.uri().toString());
      sasl = mechanisms("SASL").build();
      brief = mechanisms("BRIEF").maxReauth(Duration.ofSeconds(8)).build();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cluster = KafkaCluster.builder().listener(TLS).listener(MUTUAL).listener(ELSEWHERE).listener(UNENCRYPTED)
        .listener(sasl).listener(brief).scramUser("alice", ALICE_SECRET).scramUser("bob", BOB_SECRET).authorizer()
        .delegationTokens().setting("num.network.threads", "1").start();
  }

  private Listener.Builder mechanisms(String name) throws IOException {
    return Listener.builder(name).tls(SERVER).plain("alice", ALICE_SECRET).scram().oauthBearer(
        tokens.writeKeys(directory.resolve("keys.json")), tokens.audience(), tokens.issuer());
  }

  static SecuredCluster current() {
    SecuredCluster started = current;
    if (started == null) {
      throw new IllegalStateException("extend the class with SecuredCluster.Shared");
    }
    return started;
  }

  /** Address, protocol and trust; for our client and Apache's. */
  Map<String, Object> properties(Listener listener) {
    Map<String, Object> properties = new HashMap<>();
    properties.put("bootstrap.servers", cluster.bootstrap(listener));
    properties.put("security.protocol", listener.securityProtocol());
    if (listener.securityProtocol().endsWith("SSL")) {
      properties.put("ssl.truststore.type", "PEM");
      properties.put("ssl.truststore.location", authorityFile.toString());
    }
    return properties;
  }

  /** A client with a certificate. */
  Map<String, Object> mutual(Listener listener, TestCertificate certificate) {
    Map<String, Object> properties = properties(listener);
    properties.putAll(Map.of("ssl.keystore.type", "PEM", "ssl.keystore.certificate.chain", certificate.chainPem(),
        "ssl.keystore.key", certificate.keyPem()));
    return properties;
  }

  Map<String, Object> plain(Listener listener, String user, String password) {
    return sasl(listener, "PLAIN", "plain.PlainLoginModule", user(user, password));
  }

  Map<String, Object> scram(Listener listener, String mechanism, String user, String password) {
    return sasl(listener, mechanism, "scram.ScramLoginModule", user(user, password));
  }

  Map<String, Object> delegationToken(Listener listener, String id, String hmac) {
    return sasl(listener, "SCRAM-SHA-256", "scram.ScramLoginModule", user(id, hmac) + " tokenauth=\"true\"");
  }

  Map<String, Object> oauth(Listener listener, String id, String secret) {
    Map<String, Object> properties = sasl(listener, "OAUTHBEARER", "oauthbearer.OAuthBearerLoginModule",
        "clientId=\"" + id + "\" clientSecret=\"" + secret + "\" ssl.truststore.type=\"PEM\" ssl.truststore.location=\""
            + authorityFile + "\"");
    properties.put("sasl.oauthbearer.token.endpoint.url", tokens.uri().toString());
    properties.put("sasl.login.callback.handler.class",
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler");
    return properties;
  }

  /** Writes a token where a client may read it, and gives the address. */
  String writeToken(String name, String token) {
    try {
      return Files.writeString(directory.resolve(name), token).toUri().toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Map<String, Object> sasl(Listener listener, String mechanism, String module, String options) {
    Map<String, Object> properties = properties(listener);
    properties.put("sasl.mechanism", mechanism);
    properties.put("sasl.jaas.config", "org.apache.kafka.common.security." + module + " required " + options + ";");
    return properties;
  }

  private static String user(String name, String password) {
    return "username=\"" + name + "\" password=\"" + password + "\"";
  }

  @Override
  public void close() {
    cluster.close();
    tokens.close();
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
