package dev.decant.agent;

import java.util.List;

/**
 * Chooses the classes that the agent reads.
 *
 * @param include the classes that may be switched
 * @param exclude the classes among them that are not
 */
record ClassFilter(NamePatterns include, NamePatterns exclude) {
  private static final String APACHE = "org.apache.kafka.";
  /** The JDK, Decant, and agents for tracing, which name Apache's classes to instrument them. */
  private static final List<String> NEVER = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.",
      "io.opentelemetry.javaagent.", "co.elastic.apm.agent.", "com.newrelic.", "datadog.",
      "dev.decant.agent.", ClientKind.DECANT_PACKAGE + ".");

  /** Apache's own classes are switched only by a pattern that begins with their package. */
  boolean accepts(String className) {
    if (NEVER.stream().anyMatch(className::startsWith) || exclude.match(className)) {
      return false;
    }
    return className.startsWith(APACHE) ? include.matchBelow(APACHE, className) : include.match(className);
  }
}
