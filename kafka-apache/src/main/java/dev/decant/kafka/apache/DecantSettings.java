package dev.decant.kafka.apache;

import dev.decant.kafka.settings.SettingRule;
import dev.decant.kafka.settings.SettingTable;
import dev.decant.kafka.settings.SettingText;
import dev.decant.kafka.settings.Treatment;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one of Apache's clients as Decant takes them. Apache's own definition has read them before: it knows
 * names, types and defaults, resolves placeholders, and throws its {@link ConfigException}s.
 */
final class DecantSettings {
  private static final Logger LOGGER = System.getLogger(DecantSettings.class.getName());
  private static final String SECURITY = "ssl[.].*|sasl[.].*|security[.].*";

  private final Map<String, Object> forClient = new TreeMap<>();

  private DecantSettings() {}

  /**
   * Sorts the settings.
   *
   * @param config read by Apache's definition
   * @param own names that the caller sees to itself
   * @param defaults Decant's, by name: an equal value is left out
   * @return for {@link dev.decant.kafka.KafkaClient#builder(Map)}
   * @throws ConfigException for a value that Decant refuses; it says what to do instead
   */
  static Map<String, Object> of(AbstractConfig config, Predicate<String> own, Map<String, String> defaults) {
    DecantSettings sorted = new DecantSettings();
    Set<String> given = config.originals().keySet();
    new TreeMap<>(config.values()).forEach((name, value) -> {
      if (value != null && !own.test(name)) {
        sorted.put(name, text(value), given.contains(name), defaults.get(name));
      }
    });
    return sorted.forClient;
  }

  private void put(String name, String text, boolean given, @Nullable String standard) {
    SettingRule rule = SettingTable.rule(name);
    if (rule == null) {
      return; // newer than Decant: Apache's client knows it, and it may well be without meaning here
    }
    if (rule.treatment() == Treatment.HONOURED) {
      // A default of the security settings contradicts a protocol that is not in use.
      boolean differs = !name.matches(SECURITY) && standard != null && !text.equals(standard);
      if (given || differs) {
        forClient.put(name, text);
      }
    } else if (given && !rule.accepts(text)) {
      throw new ConfigException(name + ": " + rule.text()); // without its value, which may be a secret
    } else if (given && rule.treatment() == Treatment.NO_EFFECT) {
      LOGGER.log(Level.INFO, "{0} has no effect with Decant: {1}", name, rule.text());
    }
  }

  private static String text(Object value) {
    return value instanceof Password secret ? secret.value() : SettingText.of(value);
  }
}
