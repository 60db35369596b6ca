package dev.decant.kafka.apache;

import dev.decant.kafka.apache.ApacheSetting.Handling;
import dev.decant.kafka.settings.SettingText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Finds settings that Decant refuses, before a client is opened. */
final class RefusedSettings {
  /** Begins a value of a configuration provider, which was not called yet. */
  private static final String PLACEHOLDER = "${";

  private RefusedSettings() {}

  /**
   * Returns refused settings: a sentence for each, which begins with its name and omits its value.
   *
   * @param known names of Apache's definition; clients ignore other names
   */
  static List<String> of(Map<String, ?> configs, Set<String> known) {
    List<String> refused = new ArrayList<>();
    new TreeMap<String, Object>(configs).forEach((name, value) -> {
      ApacheSetting rule = ApacheSettingRules.of(name);
      if (value != null && known.contains(name) && rule != null && rule.handling() == Handling.REFUSED) {
        String text = SettingText.of(value);
        if (!text.contains(PLACEHOLDER) && !rule.accepts(text)) {
          refused.add(name + ": " + rule.text());
        }
      }
    });
    return List.copyOf(refused);
  }
}
