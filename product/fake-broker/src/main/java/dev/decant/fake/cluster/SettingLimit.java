package dev.decant.fake.cluster;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Checks the values of settings against their types and limits, with the texts of brokers. */
final class SettingLimit {
  private static final String WORDS = "oneof ";
  private static final String BY_DURATION = "by_duration:";

  private SettingLimit() {}

  static void checkBoolean(SettingTable.Setting setting, String value) {
    if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
      throw wrong(setting, value, "Expected value to be either true or false");
    }
  }

  /** Checks a number; its limit is the least value, and the largest one if there is a bound. */
  static void checkNumber(SettingTable.Setting setting, String value, @Nullable String limit) {
    double number;
    try {
      number = switch (setting.type()) {
        case "int" -> Integer.parseInt(value.trim());
        case "long" -> Long.parseLong(value.trim());
        default -> Double.parseDouble(value.trim());
      };
    } catch (NumberFormatException e) {
      throw wrong(setting, value, "Not a number of type " + setting.type().toUpperCase(Locale.ROOT));
    }
    if (limit == null) {
      return;
    }
    String shown = setting.type().equals("double") ? Double.toString(number) : value.trim();
    String[] bounds = limit.split(" ", -1);
    if (number < Double.parseDouble(bounds[0])) {
      throw wrong(setting, shown, "Value must be at least " + bounds[0]);
    }
    if (bounds.length > 1 && number > Double.parseDouble(bounds[1])) {
      throw wrong(setting, shown, "Value must be no more than " + bounds[1]);
    }
  }

  /** Checks a word; its limit lists the words that a value, or each item of a list, may be. */
  static void checkWords(SettingTable.Setting setting, String value, @Nullable String limit) {
    if (limit == null || !limit.startsWith(WORDS)) {
      return;
    }
    String words = limit.substring(WORDS.length());
    List<String> allowed = List.of(words.split(" "));
    boolean isList = setting.type().equals("list");
    for (String item : isList ? value.split(",", -1) : new String[] {value}) {
      boolean isKnown = allowed.contains(item.trim()) || allowed.stream().anyMatch(word -> isDuration(item, word));
      if (!isKnown && !(isList && value.isEmpty())) {
        throw wrong(setting, item.trim(), wordsOf(setting, item.trim(), allowed));
      }
    }
  }

  private static String wordsOf(SettingTable.Setting setting, String value, List<String> allowed) {
    return allowed.contains(BY_DURATION)
        ? "Invalid value `" + value + "` for configuration " + setting.name()
            + ". The value must be either 'earliest', 'latest' or of the format 'by_duration:<PnDTnHnMn.nS>'."
        : "String must be one of: " + String.join(", ", allowed);
  }

  /** Returns true for one of the words in front of a duration, as in {@code by_duration:PT1H}. */
  private static boolean isDuration(String value, String word) {
    if (!word.equals(BY_DURATION) || !value.startsWith(word)) {
      return false;
    }
    try {
      return !Duration.parse(value.substring(word.length())).isNegative();
    } catch (DateTimeParseException e) {
      return false;
    }
  }

  private static IllegalArgumentException wrong(SettingTable.Setting setting, String value, String why) {
    return new IllegalArgumentException(
        "Invalid value " + value + " for configuration " + setting.name() + ": " + why);
  }
}
