package dev.decant.agent;

import java.lang.instrument.Instrumentation;

/**
 * Starts the agent on a JVM that can run it. The manifest names this class. It is compiled for Java 8: a JVM that
 * cannot load the class of its manifest does not start the program either.
 */
public final class AgentStart {
  private static final int OLDEST_JAVA = 21;

  private AgentStart() {}

  /**
   * Starts the agent. On a JVM that is too old it prints the reason, and the program runs unchanged.
   *
   * @param argument of {@code -javaagent}, or null
   * @param instrumentation of this JVM
   * @throws ReflectiveOperationException never: the class is in the same jar
   */
  public static void premain(String argument, Instrumentation instrumentation) throws ReflectiveOperationException {
    if (java() >= OLDEST_JAVA) {
      Class.forName("dev.decant.agent.DecantAgent").getMethod("premain", String.class, Instrumentation.class)
          .invoke(null, argument, instrumentation);
    } else {
      // Java 8 has no System.Logger. On Java 17 a server may not have set up its own logging yet, and would not start.
      System.err.println("decant-agent needs Java " + OLDEST_JAVA + " or newer, and this is Java "
          + System.getProperty("java.version") + ": Apache's clients stay in use.");
    }
  }

  /** Returns the feature number; Java 8 calls itself 1.8. */
  private static int java() {
    String version = System.getProperty("java.specification.version", "");
    try {
      return version.startsWith("1.") ? 1 : Integer.parseInt(version);
    } catch (NumberFormatException e) {
      return OLDEST_JAVA; // a later JVM may have another form of version
    }
  }
}
