package dev.decant.fix.quickfix.settings;

import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one session, with inherited ones. A value that cannot be parsed leads to an exception with its name,
 * the value, and the possible values.
 *
 * @param values by name
 */
record Section(Map<String, String> values) {
  @Nullable
  String value(String name) {
    String value = values.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  boolean has(String name) {
    return value(name) != null;
  }

  String text(String name, String ifAbsent) {
    String value = value(name);
    return value == null ? ifAbsent : value;
  }

  boolean flag(String name, boolean ifAbsent) {
    return read(name, ifAbsent, "Y or N", text -> switch (text) {
      case "Y", "y" -> true;
      case "N", "n" -> false;
      default -> throw new IllegalArgumentException();
    });
  }

  int number(String name, int ifAbsent) {
    return read(name, ifAbsent, "a whole number", Integer::valueOf);
  }

  /** Parses a value. {@code possible} describes the possible values in the error. */
  <T> T read(String name, T ifAbsent, String possible, Function<String, T> parser) {
    String value = value(name);
    if (value == null) {
      return ifAbsent;
    }
    try {
      return parser.apply(value);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(name + "=" + SettingsText.shown(value) + ": it must be " + possible, e);
    }
  }
}
