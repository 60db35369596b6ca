package dev.decant.lab.scenario;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The settings of one client of a scenario. An error names the line of the wrong setting. */
final class Settings {
  private static final String QUICK = ".quick";

  private final String source;
  private final Map<String, String> values;
  private final Map<String, Integer> lines;

  Settings(String source, Map<String, String> values, Map<String, Integer> lines) {
    this.source = source;
    this.values = values;
    this.lines = lines;
  }

  Map<String, String> all() {
    return values;
  }

  ScenarioException refuse(String key, String why) {
    Integer line = lines.get(key);
    return new ScenarioException(source + (line == null ? "" : ", line " + line) + ": " + key + ": " + why);
  }

  String text(String key, String byDefault) {
    return values.getOrDefault(key, byDefault);
  }

  String choice(String key, String... known) {
    String value = text(key, known[0]);
    if (!List.of(known).contains(value)) {
      throw refuse(key, "must be " + String.join(" or ", known) + ", not \"" + value + "\"");
    }
    return value;
  }

  long number(String key, long byDefault, long least, long most) {
    String text = values.get(key);
    if (text == null && byDefault >= least) {
      return byDefault;
    }
    if (text == null) {
      throw refuse(key, "is missing");
    }
    try {
      long value = Long.parseLong(text.replace("_", ""));
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw refuse(key, "\"" + text + "\" is no whole number");
    }
    throw refuse(key, "must be " + least + " to " + most + ", not " + text);
  }

  /** Reads a number, with another value for short samples if there is one. */
  long number(String key, boolean quick, long byDefault, long least, long most) {
    return number(quick && values.containsKey(key + QUICK) ? key + QUICK : key, byDefault, least, most);
  }

  /** Reads seconds, as a whole number or with a decimal point, and returns milliseconds; 0 without the key. */
  long millis(String key, boolean quick, int mostSeconds) {
    String used = quick && values.containsKey(key + QUICK) ? key + QUICK : key;
    String text = text(used, "0");
    if (!text.matches("\\d{1,9}\\.\\d{1,3}")) {
      return number(used, 0, 0, mostSeconds) * 1000;
    }
    long millis = new BigDecimal(text).movePointRight(3).longValueExact();
    if (millis > mostSeconds * 1000L) {
      throw refuse(used, "must be 0 to " + mostSeconds + ", not " + text);
    }
    return millis;
  }

  /** Returns the settings whose key begins with a prefix, by the rest of the key. */
  Map<String, String> under(String prefix) {
    Map<String, String> found = new HashMap<>();
    values.forEach((key, value) -> {
      if (key.startsWith(prefix)) {
        found.put(key.substring(prefix.length()), value);
      }
    });
    return Map.copyOf(found);
  }
}
