package dev.decant.agent;

/** Opens the agent's check to the tests of this module. */
public final class Inside {
  private Inside() {}

  /** What the clients of a loader lack. */
  public static String missing(ClassLoader loader) {
    return DecantClasses.missing(loader);
  }
}
