package dev.decant.agent;

/** Opens the agent's check to the tests of this module. */
public final class Inside {
  private Inside() {}

  /** What the clients of a loader lack, members of kafka-clients included or not. */
  public static String missing(ClassLoader loader, boolean members) {
    return DecantClasses.missing(loader, members, ApacheClass.PUBLISHED);
  }
}
