package dev.decant.kafka.cluster;

import dev.decant.net.Printable;
import java.util.List;
import java.util.Objects;

/** What a broker takes for a topic's name. */
public final class TopicName {
  private static final int MAX_LENGTH = 249;

  private TopicName() {}

  /**
   * Refuses names of which no broker would take one.
   *
   * @param parameter what the application calls them
   * @param names from the application
   * @return the names
   * @throws IllegalArgumentException that says what is wrong with one
   */
  public static List<String> requireLegal(String parameter, String[] names) {
    for (String name : Objects.requireNonNull(names, parameter)) {
      requireLegal(Objects.requireNonNull(name, parameter));
    }
    return List.of(names);
  }

  /**
   * Refuses what no broker would take.
   *
   * @param name from the application
   * @return the name
   * @throws IllegalArgumentException that says what is wrong with it
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
   * Refuses what no broker would take.
   *
   * @param setting that the name was given to
   * @param name from the application
   * @return the name
   * @throws IllegalArgumentException that names the setting and says what is wrong with the name
   */
  public static String requireLegal(String setting, String name) {
    try {
      return requireLegal(Objects.requireNonNull(name, setting));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(setting + ": " + e.getMessage(), e);
    }
  }

  /**
   * Tells whether a broker may have a topic of this name. Others come of damage or of ill will, and are left out: names
   * become part of messages.
   *
   * @param name from a broker or another member of a group
   * @return whether {@link #requireLegal(String)} takes it
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
