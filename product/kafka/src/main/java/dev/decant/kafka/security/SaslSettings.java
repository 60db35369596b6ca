package dev.decant.kafka.security;

import dev.decant.net.Printable;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads SASL mechanisms from Kafka's properties. */
final class SaslSettings {
  private static final String MECHANISM = "sasl.mechanism";
  private static final String JAAS = "sasl.jaas.config";
  private static final String NAMES = "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER or GSSAPI";
  private static final String OWN = "give KafkaClientBuilder.sasl a SaslMechanism, such as one of JavaSasl";

  /** The login modules that Kafka's clients use, with their mechanisms. */
  private enum Module {
    PLAIN("org.apache.kafka.common.security.plain.PlainLoginModule", "PLAIN"),
    SCRAM("org.apache.kafka.common.security.scram.ScramLoginModule", "SCRAM-SHA-256 or SCRAM-SHA-512"),
    OAUTHBEARER("org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule", "OAUTHBEARER"),
    KERBEROS("com.sun.security.auth.module.Krb5LoginModule", "GSSAPI");

    private final String className;
    private final String mechanisms;

    Module(String className, String mechanisms) {
      this.className = className;
      this.mechanisms = mechanisms;
    }

    static String names() {
      return Stream.of(values()).map(module -> module.className).collect(Collectors.joining(", "));
    }
  }

  private SaslSettings() {}

  static SaslMechanism read(Map<String, String> properties) {
    String name = properties.getOrDefault(MECHANISM, "");
    if (name.isEmpty()) {
      throw new IllegalArgumentException(MECHANISM + ": is missing; set " + NAMES);
    }
    return mechanism(name, properties);
  }

  /** Makes the mechanism of a name. No other place does. */
  private static SaslMechanism mechanism(String name, Map<String, String> properties) {
    JaasConfig.Entry own = moduleOfTheApplication(properties);
    if (own != null) {
      return JaasSettings.read(name, own, properties);
    }
    return switch (name.toUpperCase(Locale.ROOT)) {
      case "PLAIN" -> Sasl.plain(user(options(name, Module.PLAIN, properties)));
      case "SCRAM-SHA-256" -> {
        Map<String, String> options = options(name, Module.SCRAM, properties);
        yield isToken(options) ? Sasl.delegationTokenSha256(user(options)) : Sasl.scramSha256(user(options));
      }
      case "SCRAM-SHA-512" -> {
        Map<String, String> options = options(name, Module.SCRAM, properties);
        yield isToken(options) ? Sasl.delegationTokenSha512(user(options)) : Sasl.scramSha512(user(options));
      }
      case "OAUTHBEARER" -> OAuthSettings.read(properties, properties.getOrDefault(JAAS, "").isEmpty()
          ? Objects.requireNonNullElse(LoginContextEntries.optionsOf(Module.OAUTHBEARER.className), Map.of())
          : options(name, Module.OAUTHBEARER, properties));
      case "GSSAPI" -> GssapiSettings.read(properties, properties.getOrDefault(JAAS, "").isEmpty()
          ? null
          : options(name, Module.KERBEROS, properties));
      default -> throw new IllegalArgumentException(MECHANISM + ": \"" + Printable.of(name)
          + "\" is unknown; use " + NAMES + ", or " + OWN);
    };
  }

  /**
   * Returns the login module of {@code sasl.jaas.config} if it is on the class path and not one that Kafka's clients
   * use; otherwise null.
   */
  private static JaasConfig.@Nullable Entry moduleOfTheApplication(Map<String, String> properties) {
    String text = properties.getOrDefault(JAAS, "");
    if (text.isEmpty()) {
      return null;
    }
    JaasConfig.Entry entry = JaasConfig.parse(text);
    boolean isKafkas = Stream.of(Module.values()).anyMatch(module -> module.className.equals(entry.module()));
    return isKafkas || !JaasSettings.isThere(entry.module()) ? null : entry;
  }

  /** Returns the options of the login module that a mechanism needs. */
  private static Map<String, String> options(String mechanism, Module wanted, Map<String, String> properties) {
    String text = properties.getOrDefault(JAAS, "");
    if (text.isEmpty()) {
      Map<String, String> ofContext = LoginContextEntries.optionsOf(wanted.className);
      if (ofContext == null) {
        throw new IllegalArgumentException(JAAS + ": is missing; " + mechanism + " takes " + wanted.className
            + " required ..., here or in the context " + LoginContextEntries.CONTEXT
            + " of the file of java.security.auth.login.config");
      }
      return ofContext;
    }
    JaasConfig.Entry entry = JaasConfig.parse(text);
    if (entry.module().equals(wanted.className)) {
      return entry.options();
    }
    for (Module module : Module.values()) {
      if (entry.module().equals(module.className)) {
        throw new IllegalArgumentException(JAAS + ": " + entry.module() + " does not fit " + MECHANISM + " " + mechanism
            + ", which takes " + wanted.className + (wanted == Module.KERBEROS
                ? "; GSSAPI is the default of Apache's clients, so set " + MECHANISM + " to " + module.mechanisms
                : ""));
      }
    }
    throw new IllegalArgumentException(JAAS + ": the login module " + entry.module() + " is not on the class path; "
        + mechanism + " takes " + wanted.className + ". Known are " + Module.names() + ", and what is on the class"
        + " path");
  }

  private static CredentialsProvider user(Map<String, String> options) {
    String username = options.getOrDefault("username", "");
    String password = options.getOrDefault("password", "");
    if (username.isEmpty() || password.isEmpty()) {
      throw new IllegalArgumentException(JAAS + ": the option " + (username.isEmpty() ? "username" : "password")
          + " is missing or empty");
    }
    return CredentialsProvider.of(username, password.toCharArray());
  }

  private static boolean isToken(Map<String, String> options) {
    return Boolean.parseBoolean(options.getOrDefault("tokenauth", "false"));
  }
}
