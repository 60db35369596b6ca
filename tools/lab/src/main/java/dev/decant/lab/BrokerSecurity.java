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
 * How the brokers of {@code decant broker} are secured, and the properties of a client of theirs. Certificates, and the
 * password of the one user, are made for each start. Used by one thread, and closed by any.
 */
final class BrokerSecurity implements AutoCloseable {
  static final Set<String> MECHANISMS = Set.of("none", "plain", "scram", "oauth");

  private static final String USER = "decant";
  private static final String MODULES = "org.apache.kafka.common.security.";
  private static final String[] HOSTS = {"localhost", "127.0.0.1"};

  private final String mechanism;
  private final String password = UUID.randomUUID().toString();
  private final Path directory;
  /** Whether the directory is ours, and goes with the brokers. */
  private final boolean isTemporary;
  /** Null without TLS and tokens. */
  private final @Nullable Path authorityFile;
  private final @Nullable TestTokenEndpoint tokens;
  private final Listener listener;
  private boolean closed;

  /**
   * Makes certificates, and starts a token endpoint where there is to be one.
   *
   * @param tls whether connections are encrypted
   * @param mechanism of {@link #MECHANISMS}
   * @param port of the first broker; 0 for any
   * @param place for the files of a client; null for a temporary directory
   * @throws IOException if they cannot be written there
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

  /** Adds what it takes to the brokers. */
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
   * @param cluster has started
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
    Path written = Files.createTempFile(directory, "client", ".tmp"); // its owner alone may read it
    Files.write(written, lines, StandardCharsets.UTF_8);
    return Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private void login(Map<String, String> properties, String name, String module, String user, String secret,
      String more) {
    properties.put("sasl.mechanism", name);
    properties.put("sasl.jaas.config", MODULES + module + " required " + user + "=\"" + USER + "\" " + secret + "=\""
        + password + "\"" + more + ";");
  }

  /** Where tokens come from; empty without them. */
  String tokenEndpoint() {
    return tokens == null ? "" : tokens.uri().toString();
  }

  /** Ends the token endpoint, and removes a directory that was not asked for. */
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
        // a temporary file may be left
      }
    }
  }
}
