package dev.decant.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Patterns of class names. A {@code *} stands for any characters, dots included.
 *
 * @param patterns the texts of the patterns
 */
record NamePatterns(List<String> patterns) {
  private static final Pattern LEGAL = Pattern.compile("[\\p{javaJavaIdentifierPart}.*]+");

  /** Reads patterns separated by {@code ;} or commas. */
  static NamePatterns parse(String option, String text) {
    List<String> patterns = new ArrayList<>();
    for (String part : text.split("[;,]", -1)) {
      String pattern = part.strip();
      if (!LEGAL.matcher(pattern).matches()) {
        throw new IllegalArgumentException(option + ": \"" + pattern
            + "\" is no pattern of class names; write names such as com.example.* with ; in between");
      }
      patterns.add(pattern);
    }
    return new NamePatterns(List.copyOf(patterns));
  }

  boolean match(String className) {
    return patterns.stream().anyMatch(pattern -> matches(pattern, className));
  }

  /** Returns true if a pattern that begins with a prefix matches. */
  boolean matchBelow(String prefix, String className) {
    return patterns.stream().anyMatch(pattern -> pattern.startsWith(prefix) && matches(pattern, className));
  }

  private static boolean matches(String pattern, String name) {
    int star = pattern.indexOf('*');
    if (star < 0) {
      return pattern.equals(name);
    }
    if (!name.startsWith(pattern.substring(0, star))) {
      return false;
    }
    String rest = pattern.substring(star + 1);
    for (int i = star; i <= name.length(); i++) {
      if (matches(rest, name.substring(i))) {
        return true;
      }
    }
    return false;
  }
}
