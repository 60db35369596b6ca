package dev.decant.faults;

import java.security.SecureRandom;

/** Where chance begins. It is printed, and {@code -Ddecant.faults.seed=...} repeats the schedule of faults. */
public final class Seeds {
  private static final String PROPERTY = "decant.faults.seed";

  private Seeds() {}

  public static long next(String what) {
    long seed = Long.getLong(PROPERTY, new SecureRandom().nextLong());
    System.out.println(what + ": seed " + seed + ", repeat with -D" + PROPERTY + "=" + seed);
    return seed;
  }
}
