/**
 * The agent. It has no API: a JVM starts it by {@code -javaagent}, and classes that it has changed call it. An agent is
 * in the unnamed module, so this descriptor serves its build only.
 *
 * <p>{@code jdk.unsupported} has {@code sun.reflect.ReflectionFactory}, by which the agent makes an object without the
 * constructor of Apache's class. A JVM that runs a named module may leave this module out; clients then stay Apache's.
 */
module dev.decant.agent {
  requires java.instrument;
  requires static java.logging;
  requires static org.jspecify;
}
