package dev.decant.kafka.security;

import dev.decant.net.Printable;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.security.auth.login.AppConfigurationEntry;
import org.jspecify.annotations.Nullable;

/**
 * Reads GSSAPI from Kafka's properties: {@code sasl.kerberos.*} and the options of Krb5LoginModule, or the login
 * context KafkaClient of the JVM.
 */
final class GssapiSettings {
  private static final String JAAS = "sasl.jaas.config: ";
  private static final String KERBEROS = "sasl.kerberos.";
  private static final String SERVICE_NAME = KERBEROS + "service.name";
  /** The option of the login module with the same meaning as the setting. */
  private static final String SERVICE_OPTION = "serviceName";

  private final Map<String, String> properties;

  private GssapiSettings(Map<String, String> properties) {
    this.properties = properties;
  }

  /**
   * Reads the mechanism.
   *
   * @param options the options of the login module; null for the login context of the JVM
   */
  static SaslMechanism read(Map<String, String> properties, @Nullable Map<String, String> options) {
    return new GssapiSettings(properties).read(options);
  }

  private SaslMechanism read(@Nullable Map<String, String> options) {
    KerberosLogin.Builder login = options == null
        ? KerberosLogin.loginContext(LoginContextEntries.CONTEXT)
        : KerberosLogin.options(completed(options));
    String service = serviceName(options == null ? optionsOfContext() : options);
    number("ticket.renew.window.factor", "more than 0 and at most 1", login::ticketRenewWindowFactor);
    number("ticket.renew.jitter", "from 0 to 1", login::ticketRenewJitter);
    number("min.time.before.relogin", "of milliseconds", ms -> login.minTimeBeforeRelogin(millis(ms)));
    try {
      return Sasl.gssapi(service, login.build());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(SERVICE_NAME + ": " + e.getMessage(), e);
    }
  }

  private static Duration millis(double ms) {
    if (ms != Math.rint(ms)) {
      throw new IllegalArgumentException("a part of a millisecond");
    }
    return Duration.ofMillis((long) ms);
  }

  private String serviceName(Map<String, String> options) {
    String name = properties.getOrDefault(SERVICE_NAME, "").strip();
    String option = options.getOrDefault(SERVICE_OPTION, "").strip();
    if (name.isEmpty() && option.isEmpty()) {
      throw new IllegalArgumentException(SERVICE_NAME
          + ": is missing; set the first part of the brokers' principals, such as kafka of kafka/host@REALM");
    }
    if (!name.isEmpty() && !option.isEmpty() && !name.equals(option)) {
      throw new IllegalArgumentException(SERVICE_NAME + ": contradicts " + SERVICE_OPTION
          + " of the login module; remove one of them");
    }
    return name.isEmpty() ? option : name;
  }

  /**
   * Adds options: a client has nobody to prompt, and the module itself renews tickets, for which Kafka runs {@code
   * kinit -R}.
   */
  private static Map<String, String> completed(Map<String, String> options) {
    boolean usesKeytab = flag(options, "useKeyTab");
    boolean usesCache = flag(options, "useTicketCache");
    if (!usesKeytab && !usesCache) {
      throw new IllegalArgumentException(JAAS + "Krb5LoginModule has neither useKeyTab=true nor useTicketCache=true,"
          + " and would ask for a password; set one of them");
    }
    if (usesKeytab && !usesCache && options.getOrDefault("principal", "").isBlank()) {
      throw new IllegalArgumentException(JAAS + "the option principal is missing, which useKeyTab=true needs");
    }
    Map<String, String> completed = new LinkedHashMap<>(options);
    completed.remove(SERVICE_OPTION);
    completed.putIfAbsent("doNotPrompt", "true");
    completed.putIfAbsent("refreshKrb5Config", "true");
    if (usesCache) {
      completed.putIfAbsent("renewTGT", "true");
    }
    return completed;
  }

  private static boolean flag(Map<String, String> options, String name) {
    return Boolean.parseBoolean(options.getOrDefault(name, "false"));
  }

  private static Map<String, String> optionsOfContext() {
    List<AppConfigurationEntry> entries = LoginContextEntries.all();
    if (entries.isEmpty()) {
      throw new IllegalArgumentException(JAAS + "is missing; GSSAPI takes com.sun.security.auth.module.Krb5LoginModule"
          + " required ..., or the context " + LoginContextEntries.CONTEXT
          + " in the file of java.security.auth.login.config");
    }
    Map<String, String> options = new LinkedHashMap<>();
    for (AppConfigurationEntry entry : entries) {
      if (entry.getOptions().get(SERVICE_OPTION) instanceof String name) {
        options.put(SERVICE_OPTION, name);
      }
    }
    return options;
  }

  private void number(String name, String bounds, Consumer<Double> set) {
    String text = properties.getOrDefault(KERBEROS + name, "").strip();
    if (text.isEmpty()) {
      return;
    }
    try {
      set.accept(Double.valueOf(text));
    } catch (IllegalArgumentException e) { // also takes a NumberFormatException
      throw new IllegalArgumentException(KERBEROS + name + ": \"" + Printable.of(text) + "\" is no number " + bounds,
          e);
    }
  }
}
