package dev.decant.kafka.security;

import dev.decant.net.Printable;
import dev.decant.tls.KeySource;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsKeyException;
import dev.decant.tls.TlsSettings;
import dev.decant.tls.TrustSource;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.security.Security;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** Reads TLS from Kafka's properties. */
public final class Ssl {
  private static final String ENDPOINT = "ssl.endpoint.identification.algorithm";
  private static final String KEY_PASSWORD = "ssl.key.password";
  private static final String KEY_STORE = "ssl.keystore.";
  private static final String TRUST_STORE = "ssl.truststore.";
  private static final String PEM = "PEM";
  private static final String VERSIONS = "ssl.enabled.protocols";
  private static final String RANDOM = "ssl.secure.random.implementation";
  private static final Map<String, String> DEFAULTS = Map.of(ENDPOINT, "https", "ssl.keystore.type", "JKS",
      "ssl.truststore.type", "JKS", VERSIONS, "TLSv1.2,TLSv1.3");

  private static final System.Logger LOG = System.getLogger(Ssl.class.getName());
  /** Versions that the JDK knows and Decant does not use. Properties files often name them beside newer ones. */
  private static final Set<String> OLD_VERSIONS = Set.of("TLSv1.1", "TLSv1", "SSLv3", "SSLv2Hello");

  private final Map<String, String> given;
  private final List<String> problems = new ArrayList<>();

  private Ssl(Map<String, String> given) {
    this.given = given;
  }

  /**
   * Makes the settings that Kafka's properties {@code ssl.*} describe. Files are read once, to check that they can be
   * used.
   *
   * @param properties by Kafka's names; other names are ignored
   * @return the settings
   * @throws IllegalArgumentException if a setting cannot be used: a line for each problem, without a secret
   */
  public static TlsSettings fromProperties(Map<String, String> properties) {
    return new Ssl(Objects.requireNonNull(properties, "properties")).read();
  }

  private String value(String name) {
    String text = given.get(name);
    if (text == null || (text.isBlank() && !name.equals(ENDPOINT) && DEFAULTS.containsKey(name))) {
      // An empty endpoint algorithm is no default: it switches off the check of host names.
      return DEFAULTS.getOrDefault(name, "");
    }
    return text;
  }

  private TlsSettings read() {
    TlsSettings.Builder builder = TlsSettings.builder();
    collect(VERSIONS + ": ", () -> builder.protocols(versions()));
    if (!value("ssl.cipher.suites").isEmpty()) {
      builder.cipherSuites(list("ssl.cipher.suites"));
    }
    String endpoint = value(ENDPOINT);
    if (endpoint.isEmpty()) {
      builder.withoutHostNameVerification();
    } else if (!endpoint.equalsIgnoreCase("https")) {
      problems.add(ENDPOINT + ": \"" + endpoint + "\" is unknown: use https, or an empty value to verify no host name");
    }
    collect("", () -> readTrust(builder));
    collect("", () -> readKeys(builder));
    collect("", () -> readProvider(builder));
    TlsSettings settings = builder.build();
    if (problems.isEmpty()) {
      collect("", () -> tryOut(settings));
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("\n", problems));
    }
    return settings;
  }

  private void collect(String prefix, Runnable check) {
    try {
      check.run();
    } catch (IllegalArgumentException e) {
      problems.add(prefix + e.getMessage());
    }
  }

  private void tryOut(TlsSettings settings) {
    try {
      TlsContext.load(settings);
    } catch (TlsKeyException | IllegalArgumentException e) {
      throw new IllegalArgumentException(nameFor(String.valueOf(e.getMessage())) + ": " + e.getMessage(), e);
    }
  }

  /** Returns the setting whose file a message is about; the common prefix if it is about something else. */
  private String nameFor(String message) {
    return Stream.of(TRUST_STORE, KEY_STORE).map(store -> store + "location")
        .filter(name -> !value(name).isEmpty() && message.contains(value(name)))
        .max(Comparator.comparingInt(name -> value(name).length())).orElse("ssl.*");
  }

  private String[] list(String name) {
    return value(name).strip().split("\\s*,\\s*");
  }

  /** Returns the named versions. Older ones beside newer ones are left out; alone they are an error of the builder. */
  private String[] versions() {
    List<String> named = List.of(list(VERSIONS));
    List<String> old = named.stream().filter(OLD_VERSIONS::contains).toList();
    if (old.isEmpty() || old.size() == named.size()) {
      return named.toArray(String[]::new);
    }
    LOG.log(System.Logger.Level.INFO, "{0}: {1} is left out; connections use TLSv1.3 or TLSv1.2, as far as they are"
        + " named", VERSIONS, String.join(", ", old));
    return named.stream().filter(version -> !old.contains(version)).toArray(String[]::new);
  }

  private void readProvider(TlsSettings.Builder builder) {
    String protocol = value("ssl.protocol").strip();
    if (!protocol.isEmpty()) {
      builder.contextProtocol(protocol);
    }
    builder.provider(value("ssl.provider").strip()).keyManagerAlgorithm(value("ssl.keymanager.algorithm").strip())
        .trustManagerAlgorithm(value("ssl.trustmanager.algorithm").strip());
    String random = value(RANDOM).strip();
    if (!random.isEmpty()) {
      try {
        builder.secureRandom(SecureRandom.getInstance(random));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalArgumentException(RANDOM + ": no security provider has random numbers of algorithm "
            + Printable.of(random) + "; there are " + String.join(", ", Security.getAlgorithms("SecureRandom")), e);
      }
    }
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
      builder.trust(TrustSource.store(type, Path.of(location), password));
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
      if (password.length > 0) { // Kafka's clients ignore a password of a key without a store
        throw new IllegalArgumentException(KEY_STORE + "password: needs " + KEY_STORE + "location");
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
    builder.keys(KeySource.store(type, Path.of(location), password, keyPassword.length == 0 ? password : keyPassword));
  }

  /** Returns PEM, or a type that a security provider has. */
  private String type(String store) {
    String type = value(store + "type").strip().toUpperCase(Locale.ROOT);
    if (!type.equals(PEM) && Security.getAlgorithms("KeyStore").stream().noneMatch(type::equalsIgnoreCase)) {
      throw new IllegalArgumentException(store + "type: \"" + Printable.of(type) + "\" is unknown: use JKS, PKCS12 or"
          + " PEM, or a type that a registered security provider has");
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
