package dev.decant.testkit;

import dev.decant.tls.TlsSettings.ClientCertificates;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A secured listener of the brokers, beside the plain one that each broker of a {@link KafkaCluster} has for itself and
 * for administration. A cluster may have several, so that tests of all mechanisms share it:
 *
 * <pre>
 * TestAuthority authority = TestAuthority.create();
 * Listener tls = Listener.builder("TLS").tls(authority.server("localhost", "127.0.0.1")).build();
 * Listener sasl = Listener.builder("SASL").tls(authority.server("localhost", "127.0.0.1"))
 *     .plain("alice", "alice-secret").scram().build();
 * KafkaCluster cluster = KafkaCluster.builder().listener(tls).listener(sasl).scramUser("bob", "bob-secret").start();
 * String bootstrap = cluster.bootstrap(sasl);
 * </pre>
 *
 * <p>Immutable; any thread.
 */
public final class Listener {
  private static final Pattern NAME = Pattern.compile("[A-Z][A-Z0-9_]*");

  final String host;
  final int firstPort;
  final @Nullable TestCertificate certificate;
  final ClientCertificates clientCertificates;
  final @Nullable TestAuthority trusted;
  /** Login modules with their options, by the name of the mechanism. */
  final Map<String, String> mechanisms;
  /** Settings, by their names without the prefix of the listener. */
  final Map<String, String> settings;
  final Map<String, String> systemProperties;
  private final String name;

  private Listener(Builder builder) {
    name = builder.name;
    host = builder.host;
    firstPort = builder.firstPort;
    certificate = builder.certificate;
    clientCertificates = builder.clientCertificates;
    trusted = builder.trusted;
    Map<String, String> modules = new TreeMap<>(builder.mechanisms);
    if (!builder.plainUsers.isEmpty()) {
      StringBuilder users = new StringBuilder("org.apache.kafka.common.security.plain.PlainLoginModule required");
      builder.plainUsers.forEach((user, password) -> users.append(" user_").append(user).append('=')
          .append(quoted(password)));
      modules.put("PLAIN", users.append(';').toString());
    }
    mechanisms = Map.copyOf(modules);
    settings = Map.copyOf(builder.settings);
    systemProperties = Map.copyOf(builder.systemProperties);
  }

  /**
   * Makes a builder of a listener.
   *
   * @param name capital letters, digits and underscores, such as {@code SASL_TLS}; {@code PLAINTEXT}, {@code
   *     CONTROLLER} and {@code PROXIED} are taken
   * @return a builder
   * @throws IllegalArgumentException for another name
   */
  public static Builder builder(String name) {
    Objects.requireNonNull(name, "name");
    if (!NAME.matcher(name).matches() || name.equals("PLAINTEXT") || name.equals("CONTROLLER")
        || name.equals("PROXIED")) {
      throw new IllegalArgumentException("a listener cannot be called \"" + name + "\"; use capital letters, digits and"
          + " underscores, and not PLAINTEXT, CONTROLLER or PROXIED");
    }
    return new Builder(name);
  }

  /**
   * Returns the name of the listener in the settings of the brokers.
   *
   * @return capital letters, digits and underscores
   */
  public String name() {
    return name;
  }

  /**
   * Returns the protocol of its clients.
   *
   * @return {@code SSL}, {@code SASL_SSL} or {@code SASL_PLAINTEXT}, as in Kafka's {@code security.protocol}
   */
  public String securityProtocol() {
    return (mechanisms.isEmpty() ? "" : "SASL_") + (certificate == null ? "PLAINTEXT" : "SSL");
  }

  /** Returns the prefix of this listener's settings. */
  String prefix() {
    return "listener.name." + name.toLowerCase(Locale.ROOT) + ".";
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** Returns a text without passwords and keys. */
  @Override
  public String toString() {
    return "Listener[" + name + ", " + securityProtocol() + ", mechanisms=" + mechanisms.keySet() + "]";
  }

  /** Builder of a listener, which needs TLS or a mechanism. One thread. */
  public static final class Builder {
    private final String name;
    private String host = "127.0.0.1";
    private int firstPort;
    private @Nullable TestCertificate certificate;
    private ClientCertificates clientCertificates = ClientCertificates.NONE;
    private @Nullable TestAuthority trusted;
    private final Map<String, String> plainUsers = new LinkedHashMap<>();
    private final Map<String, String> mechanisms = new LinkedHashMap<>();
    private final Map<String, String> settings = new LinkedHashMap<>();
    private final Map<String, String> systemProperties = new LinkedHashMap<>();

    private Builder(String name) {
      this.name = name;
    }

    /**
     * Encrypts the connections: TLS 1.3 and 1.2.
     *
     * @param server the brokers' certificate; it should be for {@code 127.0.0.1}, or for the value of {@link #host}
     * @return this
     */
    public Builder tls(TestCertificate server) {
      certificate = Objects.requireNonNull(server, "server");
      return this;
    }

    /**
     * Makes brokers ask clients for certificates; by default they do not.
     *
     * @param asked wanted or needed
     * @param authority issuer of the certificates that are accepted
     * @return this
     */
    public Builder clientCertificates(ClientCertificates asked, TestAuthority authority) {
      clientCertificates = Objects.requireNonNull(asked, "asked");
      trusted = Objects.requireNonNull(authority, "authority");
      return this;
    }

    /**
     * Accepts a user by PLAIN.
     *
     * @param user letters and digits
     * @param password the user's
     * @return this
     */
    public Builder plain(String user, String password) {
      Objects.requireNonNull(user, "user");
      if (!user.matches("[A-Za-z0-9._-]+")) {
        throw new IllegalArgumentException("user \"" + user + "\" of PLAIN: use letters, digits, '.', '_' and '-'");
      }
      plainUsers.put(user, Objects.requireNonNull(password, "password"));
      return this;
    }

    /**
     * Accepts users by SCRAM-SHA-256 and SCRAM-SHA-512, and delegation tokens: the users of {@link
     * KafkaClusterBuilder#scramUser} and {@link KafkaCluster#setScramPassword}.
     *
     * @return this
     */
    public Builder scram() {
      return scram("SCRAM-SHA-256").scram("SCRAM-SHA-512");
    }

    private Builder scram(String mechanism) {
      mechanisms.put(mechanism, "org.apache.kafka.common.security.scram.ScramLoginModule required;");
      return this;
    }

    /**
     * Accepts tokens by OAUTHBEARER: JWTs, whose signature, expiry, audience and issuer the brokers check. The claim
     * {@code sub} names the user.
     *
     * @param keys the public keys (JWKS): a {@code file:} or {@code https:} address
     * @param audience the required audience of a token
     * @param issuer the required issuer of a token
     * @return this
     */
    public Builder oauthBearer(URI keys, String audience, String issuer) {
      Objects.requireNonNull(keys, "keys");
      mechanisms.put("OAUTHBEARER", "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;");
      settings.put("oauthbearer.sasl.server.callback.handler.class",
          "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler");
      settings.put("sasl.oauthbearer.jwks.endpoint.url", keys.toString());
      settings.put("sasl.oauthbearer.expected.audience", Objects.requireNonNull(audience, "audience"));
      settings.put("sasl.oauthbearer.expected.issuer", Objects.requireNonNull(issuer, "issuer"));
      systemProperties.put("org.apache.kafka.sasl.oauthbearer.allowed.urls", keys.toString());
      return this;
    }

    /**
     * Accepts tickets of Kerberos by GSSAPI.
     *
     * @param keytab has the key of the service
     * @param principal of the service, such as {@code kafka/localhost@EXAMPLE.COM}; clients need its host in {@link
     *     #host}
     * @param configuration the {@code krb5.conf} that names the KDC; one for all listeners of a cluster
     * @return this
     */
    public Builder gssapi(Path keytab, String principal, Path configuration) {
      Objects.requireNonNull(keytab, "keytab");
      Objects.requireNonNull(principal, "principal");
      Objects.requireNonNull(configuration, "configuration");
      mechanisms.put("GSSAPI", "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true storeKey=true"
          + " keyTab=" + quoted(keytab.toAbsolutePath().toString()) + " principal=" + quoted(principal) + ";");
      settings.put("sasl.kerberos.service.name", principal.split("[/@]", 2)[0]);
      systemProperties.put("java.security.krb5.conf", configuration.toAbsolutePath().toString());
      return this;
    }

    /**
     * Ends the session of a connection after a time, unless its client authenticates again (KIP-368).
     *
     * @param session length for all mechanisms; zero, the default, for no end
     * @return this
     */
    public Builder maxReauth(Duration session) {
      Objects.requireNonNull(session, "session");
      return setting("connections.max.reauth.ms", Long.toString(session.toMillis()));
    }

    /**
     * Sets the host that the brokers advertise.
     *
     * @param advertised {@code 127.0.0.1} by default; {@code localhost}, or another name of the loopback interface
     * @return this
     */
    public Builder host(String advertised) {
      host = Objects.requireNonNull(advertised, "advertised");
      return this;
    }

    /**
     * Sets the ports for clients: the first broker has this port, the others the next ones. By default the ports are
     * free ones.
     *
     * @param port of the first broker; a port that is taken ends the start
     * @return this
     */
    public Builder firstPort(int port) {
      firstPort = port;
      return this;
    }

    /**
     * Sets one setting that applies to this listener only.
     *
     * @param key as in {@code server.properties}, without the prefix {@code listener.name.*}
     * @param value its value
     * @return this
     */
    public Builder setting(String key, String value) {
      settings.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
      return this;
    }

    /**
     * Makes the listener.
     *
     * @return for {@link KafkaClusterBuilder#listener}
     * @throws IllegalArgumentException if it has neither TLS nor a mechanism, or requires client certificates
     *     without TLS
     */
    public Listener build() {
      if (certificate == null && clientCertificates != ClientCertificates.NONE) {
        throw new IllegalArgumentException("listener " + name + " wants client certificates without tls(server)");
      }
      if (certificate == null && mechanisms.isEmpty() && plainUsers.isEmpty()) {
        throw new IllegalArgumentException("listener " + name + " is not secured; give it tls(server), or a mechanism"
            + " such as plain(user, password)");
      }
      return new Listener(this);
    }
  }
}
