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
 * The settings of one of Apache's clients as Decant takes them. Apache's own definition has read them before: it knows
 * names, types and defaults, resolves placeholders, and throws its {@link ConfigException}s. {@link ApacheSettingRules}
 * says what becomes of each.
 */
final class DecantSettings {
  private static final Logger LOGGER = System.getLogger(DecantSettings.class.getName());
  private static final String MECHANISM = "sasl.mechanism";
  private static final String PROTOCOL = "security.protocol";
  /** Names that begin like this are Decant's own. */
  private static final String OWN = "decant.";
  /** What has been said; a program may open thousands of clients. */
  private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

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
   * @param own names that the caller sees to itself
   * @param defaults Decant's, by name: an equal value is left out
   * @return for {@link dev.decant.kafka.client.KafkaClient#builder(Map)}
   * @throws ConfigException for a value that Decant refuses; it says what to do instead
   */
  static Map<String, Object> of(AbstractConfig config, Predicate<String> own, Map<String, String> defaults) {
    DecantSettings sorted = new DecantSettings(config);
    new TreeMap<>(config.values()).forEach((name, value) -> {
      config.ignore(name); // all of these are read, or a line of ours says that they are not
      if (value != null && !own.test(name)) {
        sorted.put(name, text(value), defaults.get(name));
      }
    });
    config.originals().forEach((name, value) -> {
      if (name.startsWith(OWN) && value != null) {
        if (!own.test(name)) {
          sorted.forClient.put(name, text(value)); // which Apache's definition does not have
        }
        config.ignore(name); // or Apache's definition would log that nobody uses it
      }
    });
    return sorted.forClient;
  }

  private void put(String name, String text, @Nullable String standard) {
    boolean given = config.originals().containsKey(name);
    ApacheSetting rule = ApacheSettingRules.of(name);
    if (rule == null) {
      say(given, name, "this version of Decant does not know it");
      return;
    }
    switch (rule.handling()) {
      case HERE -> {
        // the caller reads it
      }
      case MAPPED -> map(name, text, given, standard);
      case NO_EFFECT, REFUSED -> {
        if (given && !rule.accepts(text)) {
          throw new ConfigException(name + ": " + rule.text()); // without its value, which may be a secret
        }
        say(given && rule.handling() == ApacheSetting.Handling.NO_EFFECT, name, rule.text());
      }
    }
  }

  /** As with Apache's client, settings of a security protocol that is not in use do not count. */
  private void map(String name, String text, boolean given, @Nullable String standard) {
    if (name.startsWith("ssl.") && !protocol.endsWith("SSL")) {
      say(given, name, "security.protocol is " + protocol);
    } else if (name.startsWith("sasl.") && !protocol.startsWith("SASL")) {
      say(given, name, "security.protocol is " + protocol);
    } else if (given || name.equals(MECHANISM) || isNoDefault(name, text, standard)) {
      forClient.put(name, text);
    }
  }

  /** The defaults of both clients' security settings are the same, but for their spelling. */
  private static boolean isNoDefault(String name, String text, @Nullable String standard) {
    return standard != null && !text.equals(standard) && !name.matches("(ssl|sasl|security)[.].*");
  }

  private static void say(boolean given, String name, String why) {
    if (given && SAID.add(name)) {
      LOGGER.log(Level.INFO, "{0} has no effect with Decant: {1}", name, why);
    }
  }

  private static String text(Object value) {
    return value instanceof Password secret ? secret.value() : SettingText.of(value);
  }
}
