package dev.decant.agent;

import java.util.List;

/**
 * Chooses the classes that the agent reads.
 *
 * @param include the classes that may be switched
 * @param exclude the classes among them that are not
 * @param apache the packages of kafka-clients
 */
record ClassFilter(NamePatterns include, NamePatterns exclude, List<String> apache) {

  /** The JDK, Decant, and agents for tracing, which name Apache's classes to instrument them. */
  private static final List<String> NEVER = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.",
      "io.opentelemetry.javaagent.", "co.elastic.apm.agent.", "com.newrelic.", "datadog.",
      "dev.decant.agent.", ClientKind.DECANT_PACKAGE + ".");

  /** Returns true for a class that is never switched. */
  boolean isOfJdkOrDecant(String className) {
    return NEVER.stream().anyMatch(className::startsWith);
  }

  /** Classes of kafka-clients are switched only by a pattern that begins with their package. */
  boolean accepts(String className) {
    if (isOfJdkOrDecant(className) || exclude.match(className)) {
      return false;
    }
    return apache.stream().map(prefix -> prefix + ".").filter(className::startsWith).findFirst()
        .map(prefix -> include.matchBelow(prefix, className)).orElseGet(() -> include.match(className));
  }
}
