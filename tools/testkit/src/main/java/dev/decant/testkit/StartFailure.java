package dev.decant.testkit;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/** Finds why a broker does not start, from the log of its JVM: one line with a cure. */
final class StartFailure {
  private static final String CONFIG_EXCEPTION = "ConfigException: ";

  private StartFailure() {}

  /**
   * Finds the cause.
   *
   * @param log all lines, stack frames among them
   * @param home the directory of the broker's files
   * @param otherwise the cause if the log names none
   * @return cause and cure, without a full stop
   */
  static String cause(List<String> log, Path home, String otherwise) {
    if (has(log, "No space left on device")) {
      return noSpace(home);
    }
    if (has(log, "Address already in use")) {
      return "a port is taken by another process; name another with firstPort(port), or none to get free ones";
    }
    String refused = last(log, line -> line.startsWith("Unrecognized ") || line.startsWith("Invalid maximum heap")
        || line.startsWith("Error: Could not find or load"));
    if (!refused.isEmpty()) {
      return "its JVM says \"" + refused.strip() + "\"; see jvmArguments";
    }
    if (has(log, "Could not reserve enough space") || has(log, "Cannot allocate memory")
        || has(log, "insufficient memory for the Java Runtime")) {
      return "the system has no memory for its JVM; give it less with jvmArguments(List.of(\"-Xmx256m\"))";
    }
    String setting = last(log, line -> line.contains(CONFIG_EXCEPTION));
    if (!setting.isEmpty()) {
      String message = setting.substring(setting.indexOf(CONFIG_EXCEPTION) + CONFIG_EXCEPTION.length());
      return "it does not take a setting: " + withoutFullStop(message) + "; see setting(name, value)";
    }
    String exception = last(log,
        line -> !line.startsWith("\t") && (line.contains("Exception") || line.contains("Error: ")));
    return exception.isEmpty() ? otherwise : withoutFullStop(exception);
  }

  static String noSpace(Path home) {
    return "no space is left for its files in " + home
        + "; free some, or name another place with -Djava.io.tmpdir=PATH";
  }

  private static boolean has(List<String> log, String text) {
    return log.stream().anyMatch(line -> line.contains(text));
  }

  private static String last(List<String> log, Predicate<String> wanted) {
    String found = "";
    for (String line : log) {
      if (wanted.test(line)) {
        found = line;
      }
    }
    return found;
  }

  private static String withoutFullStop(String line) {
    String text = line.strip();
    return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
  }
}
