package dev.decant.kafka.cluster;

import dev.decant.net.Printable;
import java.util.List;
import java.util.Objects;

/** The rule of brokers for names of topics. */
public final class TopicName {
  private static final int MAX_LENGTH = 249;

  private TopicName() {}

  /**
   * Checks names of topics.
   *
   * @param parameter the parameter that the application sees
   * @return the names
   * @throws IllegalArgumentException if a name is illegal; says why
   */
  public static List<String> requireLegal(String parameter, String[] names) {
    for (String name : Objects.requireNonNull(names, parameter)) {
      requireLegal(Objects.requireNonNull(name, parameter));
    }
    return List.of(names);
  }

  /**
   * Checks a name that the application gives.
   *
   * @return the name
   * @throws IllegalArgumentException if the name is illegal; says why
   */
  public static String requireLegal(String name) {
    if (name.isEmpty() || name.length() > MAX_LENGTH || name.equals(".") || name.equals("..")) {
      throw new IllegalArgumentException("topic \"" + shown(name) + "\": a name has 1 to " + MAX_LENGTH
          + " characters and is neither . nor ..");
    }
    for (int i = 0; i < name.length(); i++) {
      if (!isLegal(name.charAt(i))) {
        throw new IllegalArgumentException("topic \"" + shown(name) + "\": the character at " + i
            + " is none of a-z, A-Z, 0-9, '.', '_' and '-'");
      }
    }
    return name;
  }

  /**
   * Checks a name that a setting gives.
   *
   * @return the name
   * @throws IllegalArgumentException if the name is illegal; names the setting and says why
   */
  public static String requireLegal(String setting, String name) {
    try {
      return requireLegal(Objects.requireNonNull(name, setting));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(setting + ": " + e.getMessage(), e);
    }
  }

  /**
   * Returns true if brokers allow this name. Other names come from damage or attacks, and are left out, because names
   * become part of messages.
   *
   * @param name from a broker or another member of a group
   */
  public static boolean isLegal(String name) {
    return !name.isEmpty() && name.length() <= MAX_LENGTH && name.chars().allMatch(c -> isLegal((char) c));
  }

  private static String shown(String name) {
    return Printable.of(name, MAX_LENGTH);
  }

  private static boolean isLegal(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_'
        || c == '-';
  }
}
