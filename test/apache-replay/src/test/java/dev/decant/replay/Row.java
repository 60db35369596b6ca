package dev.decant.replay;

import java.util.List;
import java.util.Locale;

/**
 * One invocation of a test method, as a line of a file with tabs.
 *
 * @param method what was invoked
 * @param invocation its display name, which has the parameters
 * @param outcome how it ended
 * @param seconds how long it took
 * @param message why it failed or was skipped; empty otherwise
 */
record Row(TestMethod method, String invocation, Outcome outcome, double seconds, String message) {

  private static final int FIELDS = 6;

  /** How an invocation ended. */
  enum Outcome {
    /** It has begun; a later row of the same invocation says how it ended. */
    RUNNING,
    /** Nothing failed. */
    PASSED,
    /** An assertion or anything else failed, or the JVM ended meanwhile. */
    FAILED,
    /** The test itself decided that it does not apply. */
    SKIPPED
  }

  /** Joins lines and drops tabs, so that a text fits into a field. */
  static String field(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }

  static Row parse(String line) {
    List<String> fields = List.of(line.split("\t", -1));
    if (fields.size() != FIELDS) {
      throw new IllegalArgumentException(fields.size() + " fields instead of " + FIELDS + ": " + line);
    }
    return new Row(new TestMethod(fields.get(0), fields.get(1)), fields.get(2),
        Outcome.valueOf(fields.get(3).toUpperCase(Locale.ROOT)), Double.parseDouble(fields.get(4)), fields.get(5));
  }

  String line() {
    return String.join("\t", method.className(), method.name(), field(invocation),
        outcome.name().toLowerCase(Locale.ROOT), String.format(Locale.ROOT, "%.1f", seconds), field(message));
  }

  /** What identifies the invocation in all runs. */
  String key() {
    return method.line() + " " + field(invocation);
  }
}
