package dev.decant.kafka.security;

/** The module of the JDK that tests of Kerberos need. A run-time image may lack it. */
public final class GssapiModule {
  /** The reason why a test was skipped. */
  public static final String MISSING = "this Java runtime lacks the module jdk.security.jgss";
  /** The name of the condition. */
  public static final String IS_THERE = "dev.decant.kafka.security.GssapiModule#isThere";

  private GssapiModule() {}

  /** Called by JUnit. */
  static boolean isThere() {
    return ModuleLayer.boot().findModule("jdk.security.jgss").isPresent();
  }
}
