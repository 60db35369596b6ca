package dev.decant.replay;

import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** What the stand-ins count, and what they break on purpose. */
final class StandIns {
  /** A system property: names of methods that do nothing, separated by commas. */
  static final String BROKEN = "decant.replay.broken";

  static final AtomicInteger PRODUCERS = new AtomicInteger();
  static final AtomicInteger CONSUMERS = new AtomicInteger();
  private static final Set<String> NAMES = Set.of(System.getProperty(BROKEN, "").split(",", -1));

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(
        () -> System.out.println("stand-ins: " + PRODUCERS + " producers, " + CONSUMERS + " consumers")));
  }

  private StandIns() {}

  static boolean isBroken(String method) {
    return NAMES.contains(method);
  }
}
