package dev.decant.kafka.settings;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Values of settings as text: properties may hold text or objects. */
public final class SettingText {
  private SettingText() {}

  /**
   * Returns a value as a properties file has it.
   *
   * @param value text, a number, a flag, an enum constant, a class, or an array or a collection of these
   * @return the text without blanks around; the name of a class; elements separated by commas
   */
  public static String of(@Nullable Object value) {
    if (value instanceof Class<?> type) {
      return type.getName();
    }
    if (value instanceof Collection<?> values) {
      return values.stream().map(SettingText::of).collect(Collectors.joining(","));
    }
    if (value instanceof Object[] values) {
      return of(Arrays.asList(values));
    }
    return String.valueOf(value).strip();
  }

  /**
   * Reads a flag.
   *
   * @param name Kafka's name of the setting
   * @param text {@code true} or {@code false}, in any case
   * @throws IllegalArgumentException if it is neither
   */
  public static boolean flag(String name, String text) {
    String plain = text.strip().toLowerCase(Locale.ROOT);
    if (!plain.equals("true") && !plain.equals("false")) {
      throw new IllegalArgumentException(name + ": \"" + text + "\" is no flag: use true or false");
    }
    return plain.equals("true");
  }

  /**
   * Reads a number within bounds.
   *
   * @param name Kafka's name of the setting
   * @param text its digits
   * @param unit the unit for messages, such as milliseconds
   * @param least the least value accepted
   * @param most the largest value accepted
   * @throws IllegalArgumentException if the text is no number, or out of bounds
   */
  public static long number(String name, String text, String unit, long least, long most) {
    long value;
    try {
      value = Long.parseLong(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + ": \"" + text + "\" is no number of " + unit, e);
    }
    if (value < least) {
      throw new IllegalArgumentException(name + ": " + value + " is less than " + least);
    }
    if (value > most) {
      throw new IllegalArgumentException(name + ": " + value + " is more than " + most);
    }
    return value;
  }
}
