package dev.decant.lab;

import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.KafkaClusterBuilder;
import dev.decant.testkit.Listener;
import dev.decant.testkit.TestAuthority;
import dev.decant.testkit.TestCertificate;
import dev.decant.testkit.TestTokenEndpoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The security of the brokers of {@code decant broker}, and the properties of a client. Each start makes new
 * certificates, and a new password of the one user. One thread uses it; any thread may close it.
 */
final class BrokerSecurity implements AutoCloseable {
  static final Set<String> MECHANISMS = Set.of("none", "plain", "scram", "oauth");

  private static final String USER = "decant";
  private static final String MODULES = "org.apache.kafka.common.security.";
  private static final String[] HOSTS = {"localhost", "127.0.0.1"};

  private final String mechanism;
  private final String password = UUID.randomUUID().toString();
  private final Path directory;
  /** True if the directory was made here, and is deleted with the brokers. */
  private final boolean isTemporary;
  /** The certificate of the authority; null without TLS and tokens. */
  private final @Nullable Path authorityFile;
  private final @Nullable TestTokenEndpoint tokens;
  private final Listener listener;
  private boolean closed;

  /**
   * Makes certificates, and starts a token endpoint if the mechanism needs one.
   *
   * @param tls true to encrypt connections
   * @param mechanism one of {@link #MECHANISMS}
   * @param port port of the first broker; 0 for any
   * @param place directory for the files of a client; null for a temporary one
   * @throws IOException if the files cannot be written there
   */
  BrokerSecurity(boolean tls, String mechanism, int port, @Nullable Path place) throws IOException {
    this.mechanism = mechanism;
    isTemporary = place == null;
    directory = place == null
        ? Files.createTempDirectory("decant-broker-")
        : Files.createDirectories(place).toAbsolutePath();
    TestAuthority authority = TestAuthority.create("Decant's brokers");
    TestCertificate server = authority.server(HOSTS);
    boolean hasTokens = mechanism.equals("oauth");
    authorityFile = tls || hasTokens ? authority.writePem(directory.resolve("authority.pem")) : null;
    Listener.Builder builder = Listener.builder("CLIENTS").firstPort(port);
    if (tls) {
      builder.tls(server);
    }
    TestTokenEndpoint endpoint = null;
    switch (mechanism) {
      case "plain" -> builder.plain(USER, password);
      case "scram" -> builder.scram();
      case "oauth" -> {
        endpoint = TestTokenEndpoint.start(server).client(USER, password);
        builder.oauthBearer(endpoint.writeKeys(directory.resolve("keys.json")), endpoint.audience(),
            endpoint.issuer());
      }
      default -> {
      } // TLS alone
    }
    tokens = endpoint;
    listener = builder.build();
  }

  /** Sets the security of the brokers. */
  void secure(KafkaClusterBuilder builder) {
    builder.listener(listener);
    if (mechanism.equals("scram")) {
      builder.scramUser(USER, password);
    }
  }

  String bootstrap(KafkaCluster cluster) {
    return cluster.bootstrap(listener);
  }

  /**
   * Writes the properties of a client, by Kafka's names.
   *
   * @param cluster the started cluster
   * @return the file
   */
  Path writeProperties(KafkaCluster cluster) throws IOException {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("bootstrap.servers", bootstrap(cluster));
    properties.put("security.protocol", listener.securityProtocol());
    if (listener.securityProtocol().endsWith("SSL")) {
      properties.put("ssl.truststore.type", "PEM");
      properties.put("ssl.truststore.location", String.valueOf(authorityFile));
    }
    switch (mechanism) {
      case "plain" -> login(properties, "PLAIN", "plain.PlainLoginModule", "username", "password", "");
      case "scram" -> login(properties, "SCRAM-SHA-512", "scram.ScramLoginModule", "username", "password", "");
      case "oauth" -> {
        login(properties, "OAUTHBEARER", "oauthbearer.OAuthBearerLoginModule", "clientId", "clientSecret",
            " ssl.truststore.type=\"PEM\" ssl.truststore.location=\"" + authorityFile + "\"");
        properties.put("sasl.login.callback.handler.class", MODULES + "oauthbearer.OAuthBearerLoginCallbackHandler");
        properties.put("sasl.oauthbearer.token.endpoint.url", tokenEndpoint());
      }
      default -> {
      } // TLS alone
    }
    List<String> lines = new ArrayList<>();
    properties.forEach((name, value) -> lines.add(name + "=" + value.replace("\\", "\\\\")));
    Path file = directory.resolve("client.properties");
    // only the owner may read a temporary file; it holds the password
    Path written = Files.createTempFile(directory, "client", ".tmp");
    Files.write(written, lines, StandardCharsets.UTF_8);
    return Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private void login(Map<String, String> properties, String name, String module, String user, String secret,
      String more) {
    properties.put("sasl.mechanism", name);
    properties.put("sasl.jaas.config", MODULES + module + " required " + user + "=\"" + USER + "\" " + secret + "=\""
        + password + "\"" + more + ";");
  }

  /** Returns the address of the token endpoint; empty without one. */
  String tokenEndpoint() {
    return tokens == null ? "" : tokens.uri().toString();
  }

  /** Stops the token endpoint, and deletes a temporary directory. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (tokens != null) {
      tokens.close();
    }
    if (!isTemporary) {
      return;
    }
    for (String name : List.of("client.properties", "authority.pem", "keys.json", "")) {
      try {
        Files.deleteIfExists(directory.resolve(name));
      } catch (IOException e) {
        // a temporary file may stay behind
      }
    }
  }
}
