package dev.decant.kafka.apache;

import dev.decant.kafka.settings.SettingText;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;
import org.jspecify.annotations.Nullable;

/**
 * Translates the settings of one of Apache's clients for Decant. Apache's own definition has read them before: it
 * checks names and types, adds defaults, resolves placeholders, and throws its {@link ConfigException}s. {@link
 * ApacheSettingRules} has the treatment of each setting.
 */
final class DecantSettings {
  private static final Logger LOGGER = System.getLogger(DecantSettings.class.getName());
  private static final String MECHANISM = "sasl.mechanism";
  private static final String PROTOCOL = "security.protocol";
  /** Prefix of Decant's own settings. */
  private static final String OWN = "decant.";
  /** Lines that were logged. Each is logged once, because a program may open thousands of clients. */
  private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();

  private final AbstractConfig config;
  private final String protocol;
  private final Map<String, Object> forClient = new TreeMap<>();

  private DecantSettings(AbstractConfig config) {
    this.config = config;
    this.protocol = String.valueOf(config.values().get(PROTOCOL)).toUpperCase(Locale.ROOT);
  }

  /**
   * Sorts the settings.
   *
   * @param config read by Apache's definition
   * @param own names that the caller implements
   * @param defaults Decant's, by name: an equal value is left out
   * @return for {@link dev.decant.kafka.client.KafkaClient#builder(Map)}
   * @throws ConfigException for a value that Decant refuses; it names the cure
   */
  static Map<String, Object> of(AbstractConfig config, Predicate<String> own, Map<String, String> defaults) {
    DecantSettings sorted = new DecantSettings(config);
    new TreeMap<>(config.values()).forEach((name, value) -> {
      // Marks the setting as used: either it is read, or Decant's own line says that it has no effect.
      config.ignore(name);
      if (value != null && !own.test(name)) {
        sorted.put(name, text(value), defaults.get(name));
      }
    });
    config.originals().forEach((name, value) -> {
      if (name.startsWith(OWN) && value != null) {
        if (!own.test(name)) {
          sorted.forClient.put(name, text(value)); // a setting of Decant's, which Apache's definition does not have
        }
        config.ignore(name); // without this, Apache's definition would log that the setting is unused
      }
    });
    return sorted.forClient;
  }

  private void put(String name, String text, @Nullable String standard) {
    boolean given = config.originals().containsKey(name);
    ApacheSetting rule = ApacheSettingRules.of(name);
    if (rule == null) {
      logOnce(given, name, "this version of Decant does not know it");
      return;
    }
    switch (rule.handling()) {
      case HERE -> {
        // The caller implements it.
      }
      case MAPPED -> map(name, text, given, standard);
      case NO_EFFECT, REFUSED -> {
        if (given && !rule.accepts(text)) {
          throw new ConfigException(name + ": " + rule.text()); // the value may be a secret, so the text omits it
        }
        logOnce(given && rule.handling() == ApacheSetting.Handling.NO_EFFECT, name, rule.text());
      }
    }
  }

  /**
   * Adds a setting for the client. As with Apache's client, settings of a security protocol that is not in use have no
   * effect.
   */
  private void map(String name, String text, boolean given, @Nullable String standard) {
    if (name.startsWith("ssl.") && !protocol.endsWith("SSL")) {
      logOnce(given, name, "security.protocol is " + protocol);
    } else if (name.startsWith("sasl.") && !protocol.startsWith("SASL")) {
      logOnce(given, name, "security.protocol is " + protocol);
    } else if (given || name.equals(MECHANISM) || isNoDefault(name, text, standard)) {
      forClient.put(name, text);
    }
  }

  /**
   * Returns true for a value other than the default. Both clients have the same defaults for security, but spell them
   * differently.
   */
  private static boolean isNoDefault(String name, String text, @Nullable String standard) {
    return standard != null && !text.equals(standard) && !name.matches("(ssl|sasl|security)[.].*");
  }

  private static void logOnce(boolean given, String name, String why) {
    if (given && LOGGED.add(name)) {
      LOGGER.log(Level.INFO, "{0} has no effect with Decant: {1}", name, why);
    }
  }

  private static String text(Object value) {
    return value instanceof Password secret ? secret.value() : SettingText.of(value);
  }
}
