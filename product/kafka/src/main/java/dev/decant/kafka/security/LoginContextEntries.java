package dev.decant.kafka.security;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * The context KafkaClient of the JVM's login configuration, which is the file of {@code
 * java.security.auth.login.config} unless the application has set another one. It serves clients without {@code
 * sasl.jaas.config}.
 */
final class LoginContextEntries {
  /** The name of the context, as in Apache's clients. */
  static final String CONTEXT = "KafkaClient";

  private LoginContextEntries() {}

  /** Returns all entries; none if there is no such context, or no configuration at all. */
  static List<AppConfigurationEntry> all() {
    AppConfigurationEntry @Nullable [] entries = null;
    try {
      entries = Configuration.getConfiguration().getAppConfigurationEntry(CONTEXT);
    } catch (SecurityException e) {
      // the JVM has no configuration
    }
    return entries == null ? List.of() : List.of(entries);
  }

  /** Returns the options of the first entry with a login module; null if there is none. */
  static @Nullable Map<String, String> optionsOf(String module) {
    for (AppConfigurationEntry entry : all()) {
      if (entry.getLoginModuleName().equals(module)) {
        Map<String, String> options = new LinkedHashMap<>();
        entry.getOptions().forEach((name, value) -> options.put(name, String.valueOf(value)));
        return options;
      }
    }
    return null;
  }
}
