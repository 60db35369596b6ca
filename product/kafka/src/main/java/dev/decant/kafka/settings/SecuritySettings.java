package dev.decant.kafka.settings;

import dev.decant.kafka.security.Sasl;
import dev.decant.kafka.security.SaslMechanism;
import dev.decant.kafka.security.Ssl;
import dev.decant.tls.TlsSettings;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Security of connections by Kafka's properties: {@code security.protocol}, {@code ssl.*} and {@code sasl.*}. No
 * problem shows a password, a key or a part of {@code sasl.jaas.config}.
 */
public final class SecuritySettings {
  private static final String PROTOCOL = "security.protocol";
  private static final String OAUTH = "sasl.oauthbearer.";
  private static final String KERBEROS = "sasl.kerberos.";
  private static final String KEY_STORE = "ssl.keystore.";
  private static final String TRUST_STORE = "ssl.truststore.";

  /** The default of each name. */
  private static final Map<String, String> DEFAULTS = new TreeMap<>(Map.of("ssl.endpoint.identification.algorithm",
      "https", "ssl.keystore.type", "JKS", "ssl.truststore.type", "JKS", "ssl.enabled.protocols", "TLSv1.2,TLSv1.3",
      PROTOCOL, "PLAINTEXT"));

  static {
    for (String name : new String[] {"sasl.mechanism", "sasl.jaas.config", "ssl.key.password", "ssl.cipher.suites",
        "ssl.protocol", "ssl.provider", "ssl.keymanager.algorithm", "ssl.trustmanager.algorithm",
        "ssl.secure.random.implementation",
        KEY_STORE + "certificate.chain", KEY_STORE + "key", KEY_STORE + "location", KEY_STORE + "password",
        TRUST_STORE + "certificates", TRUST_STORE + "location", TRUST_STORE + "password",
        OAUTH + "token.endpoint.url", OAUTH + "scope", OAUTH + "client.credentials.client.id",
        OAUTH + "client.credentials.client.secret", OAUTH + "assertion.claim.aud", OAUTH + "assertion.claim.iss",
        OAUTH + "assertion.claim.sub", OAUTH + "assertion.file", OAUTH + "assertion.private.key.file",
        OAUTH + "assertion.private.key.passphrase", OAUTH + "assertion.template.file"}) {
      DEFAULTS.put(name, "");
    }
    DEFAULTS.putAll(Map.of("sasl.login.connect.timeout.ms", "10000", "sasl.login.read.timeout.ms", "10000",
        "sasl.login.retry.backoff.ms", "100", "sasl.login.retry.backoff.max.ms", "10000",
        OAUTH + "header.urlencode", "false", OAUTH + "assertion.algorithm", "RS256",
        OAUTH + "assertion.claim.exp.seconds", "300", OAUTH + "assertion.claim.nbf.seconds", "60",
        OAUTH + "assertion.claim.jti.include", "false",
        OAUTH + "jwt.retriever.class", "org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever"));
  }

  static {
    DEFAULTS.putAll(Map.of("sasl.login.refresh.buffer.seconds", "300", "sasl.login.refresh.min.period.seconds", "60",
        "sasl.login.refresh.window.factor", "0.8", "sasl.login.refresh.window.jitter", "0.05"));
    DEFAULTS.putAll(Map.of(KERBEROS + "service.name", "", KERBEROS + "ticket.renew.window.factor", "0.8",
        KERBEROS + "ticket.renew.jitter", "0.05", KERBEROS + "min.time.before.relogin", "60000"));
  }

  private final Map<String, String> given;
  private final SettingProblems problems;
  private @Nullable SaslMechanism sasl;
  private @Nullable TlsSettings tls;

  private SecuritySettings(Map<String, String> given, SettingProblems problems) {
    this.given = given;
    this.problems = problems;
  }

  /** Returns the names that this class reads, with their defaults. */
  public static Map<String, String> defaults() {
    return new LinkedHashMap<>(DEFAULTS);
  }

  /**
   * Reads and checks all settings, with the files of keys and certificates.
   *
   * @param given by name
   * @param problems takes the problems
   * @return the valid settings; wrong ones are left out
   */
  public static SecuritySettings read(Map<String, String> given, SettingProblems problems) {
    SecuritySettings read = new SecuritySettings(given, problems);
    read.read();
    return read;
  }

  /** Returns the login of the client; null for none. */
  public @Nullable SaslMechanism sasl() {
    return sasl;
  }

  /** Returns the encryption of connections; null for none. */
  public @Nullable TlsSettings tls() {
    return tls;
  }

  private String value(String name) {
    String text = given.get(name);
    return text == null ? DEFAULTS.getOrDefault(name, "") : text;
  }

  private void read() {
    String protocol = value(PROTOCOL).toUpperCase(Locale.ROOT);
    switch (protocol) {
      case "PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL" -> {
      }
      default -> {
        problems.add(PROTOCOL + ": \"" + protocol + "\" is unknown: use PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL");
        return;
      }
    }
    boolean isEncrypted = protocol.endsWith("SSL");
    boolean isAuthenticated = protocol.startsWith("SASL");
    if (isAuthenticated) {
      problems.collect(() -> sasl = Sasl.fromProperties(given));
    } else {
      contradicts("sasl.", protocol, isEncrypted ? "SASL_SSL" : "SASL_SSL, or SASL_PLAINTEXT,");
    }
    if (isEncrypted) {
      try {
        tls = Ssl.fromProperties(given);
      } catch (IllegalArgumentException e) {
        String.valueOf(e.getMessage()).lines().forEach(problems::add); // one line for each problem
      }
    } else {
      contradicts("ssl.", protocol, isAuthenticated ? "SASL_SSL" : "SSL or SASL_SSL");
    }
  }

  private void contradicts(String prefix, String protocol, String instead) {
    String names = given.entrySet().stream().filter(e -> e.getKey().startsWith(prefix) && !e.getValue().isEmpty())
        .map(Map.Entry::getKey).sorted().collect(Collectors.joining(", "));
    if (!names.isEmpty()) {
      problems.add(names + ": contradicts " + PROTOCOL + "=" + protocol
          + (given.containsKey(PROTOCOL) ? "" : ", the default") + "; set " + PROTOCOL + "=" + instead
          + " or remove it");
    }
  }
}
