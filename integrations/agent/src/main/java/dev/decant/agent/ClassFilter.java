package dev.decant.agent;

import java.util.List;

/**
 * Chooses the classes that the agent may change.
 *
 * @param include the classes that may be switched
 * @param exclude the classes among them that are not
 * @param apache the packages of kafka-clients
 */
record ClassFilter(NamePatterns include, NamePatterns exclude, List<String> apache) {

  /**
   * Classes that are never switched: the JDK, Decant, and agents for tracing, which name Apache's classes to instrument
   * them.
   */
  private static final List<String> NEVER = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.",
      "io.opentelemetry.javaagent.", "co.elastic.apm.agent.", "com.newrelic.", "datadog.",
      "dev.decant.agent.", ClientKind.DECANT_PACKAGE + ".");

  /** Returns true for a class that is never switched. */
  boolean isOfJdkOrDecant(String className) {
    return NEVER.stream().anyMatch(className::startsWith);
  }

  /**
   * Returns true if the class may be switched. Classes of kafka-clients need a pattern that begins with their package.
   */
  boolean accepts(String className) {
    if (isOfJdkOrDecant(className) || exclude.match(className)) {
      return false;
    }
    return apache.stream().map(prefix -> prefix + ".").filter(className::startsWith).findFirst()
        .map(prefix -> include.matchBelow(prefix, className)).orElseGet(() -> include.match(className));
  }
}
