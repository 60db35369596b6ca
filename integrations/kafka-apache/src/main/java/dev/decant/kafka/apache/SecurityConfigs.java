package dev.decant.kafka.apache;

import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.AbstractConfig;

/** The settings that Apache's channels pass to security classes. Stateless. */
final class SecurityConfigs {
  private SecurityConfigs() {}

  /** Returns settings of Apache's definition, and those that only the classes know. Reading one marks it as used. */
  static Map<String, Object> all(AbstractConfig config) {
    @SuppressWarnings("unchecked") // a copy whose values are objects
    Map<String, Object> all = (Map<String, Object>) config.values();
    config.originals().forEach((name, value) -> {
      if (!all.containsKey(name)) {
        all.put(name, value);
      }
    });
    return all;
  }

  static boolean isEncrypted(AbstractConfig config) {
    return protocol(config).endsWith("SSL");
  }

  static boolean isAuthenticated(AbstractConfig config) {
    return protocol(config).startsWith("SASL");
  }

  private static String protocol(AbstractConfig config) {
    return String.valueOf(config.values().get(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG)).toUpperCase(Locale.ROOT);
  }
}
