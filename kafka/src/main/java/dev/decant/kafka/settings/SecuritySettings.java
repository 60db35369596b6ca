package dev.decant.kafka.settings;

import dev.decant.kafka.security.Sasl;
import dev.decant.kafka.security.SaslMechanism;
import dev.decant.tls.KeySource;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsKeyException;
import dev.decant.tls.TlsSettings;
import dev.decant.tls.TrustSource;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How connections are secured, as Kafka's properties say it: {@code security.protocol}, {@code ssl.*} and
 * {@code sasl.*}. No problem shows a password, a key or a part of {@code sasl.jaas.config}.
 */
public final class SecuritySettings {
  private static final String PROTOCOL = "security.protocol";
  private static final String ENDPOINT = "ssl.endpoint.identification.algorithm";
  private static final String KEY_PASSWORD = "ssl.key.password";
  private static final String KEY_STORE = "ssl.keystore.";
  private static final String TRUST_STORE = "ssl.truststore.";
  private static final String PEM = "PEM";

  /** What each name is if it is not there. */
  private static final Map<String, String> DEFAULTS = new TreeMap<>(Map.of(ENDPOINT, "https", "ssl.keystore.type",
      "JKS", "ssl.truststore.type", "JKS", "ssl.enabled.protocols", "TLSv1.2,TLSv1.3", PROTOCOL, "PLAINTEXT"));

  static {
    for (String name : new String[] {"sasl.mechanism", "sasl.jaas.config", KEY_PASSWORD, "ssl.cipher.suites",
        KEY_STORE + "certificate.chain", KEY_STORE + "key", KEY_STORE + "location", KEY_STORE + "password",
        TRUST_STORE + "certificates", TRUST_STORE + "location", TRUST_STORE + "password"}) {
      DEFAULTS.put(name, "");
    }
  }

  private final Map<String, String> given;
  private final SettingProblems problems;
  private @Nullable SaslMechanism sasl;
  private @Nullable TlsSettings tls;

  private SecuritySettings(Map<String, String> given, SettingProblems problems) {
    this.given = given;
    this.problems = problems;
  }

  /**
   * The names that are read here.
   *
   * @return with what each is by default
   */
  public static Map<String, String> defaults() {
    return new LinkedHashMap<>(DEFAULTS);
  }

  /**
   * Reads and checks all of them, files of keys and certificates included.
   *
   * @param given by name
   * @param problems takes what is wrong
   * @return what is set; nothing of what is wrong
   */
  public static SecuritySettings read(Map<String, String> given, SettingProblems problems) {
    SecuritySettings read = new SecuritySettings(given, problems);
    read.read();
    return read;
  }

  /**
   * How the client proves who it is.
   *
   * @return null for not at all
   */
  public @Nullable SaslMechanism sasl() {
    return sasl;
  }

  /**
   * How connections are encrypted.
   *
   * @return null for not at all
   */
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
      problems.collect(() -> tls = readTls());
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

  private TlsSettings readTls() {
    TlsSettings.Builder builder = TlsSettings.builder();
    int before = problems.lines().size();
    collect("ssl.enabled.protocols", () -> builder.protocols(list("ssl.enabled.protocols")));
    if (!value("ssl.cipher.suites").isEmpty()) {
      builder.cipherSuites(list("ssl.cipher.suites"));
    }
    String endpoint = value(ENDPOINT);
    if (endpoint.isEmpty()) {
      builder.withoutHostNameVerification();
    } else if (!endpoint.equalsIgnoreCase("https")) {
      problems.add(ENDPOINT + ": \"" + endpoint + "\" is unknown: use https, or an empty value to verify no host name");
    }
    problems.collect(() -> readTrust(builder));
    problems.collect(() -> readKeys(builder));
    TlsSettings settings = builder.build();
    if (problems.lines().size() == before) {
      tryOut(settings);
    }
    return settings;
  }

  private void collect(String name, Runnable check) {
    problems.collect(() -> {
      try {
        check.run();
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
      }
    });
  }

  private static void tryOut(TlsSettings settings) {
    try {
      TlsContext.load(settings);
    } catch (TlsKeyException | IllegalArgumentException e) {
      throw new IllegalArgumentException("ssl.*: " + e.getMessage(), e);
    }
  }

  private String[] list(String name) {
    return value(name).strip().split("\\s*,\\s*");
  }

  private void readTrust(TlsSettings.Builder builder) {
    String type = type(TRUST_STORE);
    String location = value(TRUST_STORE + "location");
    String certificates = value(TRUST_STORE + "certificates");
    char[] password = value(TRUST_STORE + "password").toCharArray();
    requireOneSource(TRUST_STORE, type, location, TRUST_STORE + "certificates", certificates);
    if (type.equals(PEM)) {
      if (password.length > 0) {
        throw new IllegalArgumentException(TRUST_STORE + "password: PEM certificates have none; remove it");
      }
      if (!certificates.isEmpty()) {
        builder.trust(TrustSource.pemText(certificates));
      } else if (!location.isEmpty()) {
        builder.trust(TrustSource.pem(Path.of(location)));
      }
    } else if (!location.isEmpty()) {
      builder.trust(type.equals("JKS")
          ? TrustSource.jks(Path.of(location), password)
          : TrustSource.pkcs12(Path.of(location), password));
    } else if (password.length > 0) {
      throw new IllegalArgumentException(TRUST_STORE + "password: needs " + TRUST_STORE + "location");
    }
  }

  private void readKeys(TlsSettings.Builder builder) {
    String type = type(KEY_STORE);
    String location = value(KEY_STORE + "location");
    String chain = value(KEY_STORE + "certificate.chain");
    String key = value(KEY_STORE + "key");
    char[] password = value(KEY_STORE + "password").toCharArray();
    char[] keyPassword = value(KEY_PASSWORD).toCharArray();
    if (chain.isEmpty() != key.isEmpty()) {
      throw new IllegalArgumentException(KEY_STORE + (chain.isEmpty() ? "certificate.chain" : "key") + ": is missing; "
          + KEY_STORE + (chain.isEmpty() ? "key" : "certificate.chain") + " needs it");
    }
    requireOneSource(KEY_STORE, type, location, KEY_STORE + "key", key);
    if (location.isEmpty() && key.isEmpty()) {
      if (password.length + keyPassword.length > 0) {
        throw new IllegalArgumentException((password.length > 0 ? KEY_STORE + "password" : KEY_PASSWORD) + ": needs "
            + KEY_STORE + "location");
      }
      return;
    }
    if (type.equals(PEM)) {
      if (password.length > 0) {
        throw new IllegalArgumentException(KEY_STORE + "password: a PEM file has none; the key's is " + KEY_PASSWORD);
      }
      builder.keys(key.isEmpty()
          ? KeySource.pem(Path.of(location), keyPassword)
          : KeySource.pemText(chain, key, keyPassword));
      return;
    }
    if (password.length == 0) {
      throw new IllegalArgumentException(KEY_STORE + "password: is missing; " + KEY_STORE + "location needs it");
    }
    if (type.equals("JKS")) {
      builder.keys(KeySource.jks(Path.of(location), password, keyPassword.length == 0 ? password : keyPassword));
    } else if (keyPassword.length > 0 && !value(KEY_PASSWORD).equals(value(KEY_STORE + "password"))) {
      throw new IllegalArgumentException(KEY_PASSWORD + ": a PKCS12 store has one password for all; remove it");
    } else {
      builder.keys(KeySource.pkcs12(Path.of(location), password));
    }
  }

  private String type(String store) {
    String type = value(store + "type").toUpperCase(Locale.ROOT);
    if (!type.equals("JKS") && !type.equals("PKCS12") && !type.equals(PEM)) {
      throw new IllegalArgumentException(store + "type: \"" + type + "\" is unknown: use JKS, PKCS12 or PEM");
    }
    return type;
  }

  private static void requireOneSource(String store, String type, String location, String textName, String text) {
    if (!text.isEmpty() && !type.equals(PEM)) {
      throw new IllegalArgumentException(textName + ": needs " + store + "type=PEM");
    }
    if (!text.isEmpty() && !location.isEmpty()) {
      throw new IllegalArgumentException(textName + ": contradicts " + store + "location; set one of them");
    }
  }
}
