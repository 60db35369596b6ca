package dev.decant.runtime;

import java.util.Locale;

/** Formats bytes as people write them. */
final class Sizes {
  static final long KIB = 1024;
  static final long MIB = 1024 * KIB;

  private Sizes() {}

  /** Returns a size in MiB, or in smaller units where these are more exact; rounded down. */
  static String text(long bytes) {
    if (bytes >= 10 * MIB || (bytes >= MIB && bytes % MIB == 0)) {
      return bytes / MIB + " MiB";
    }
    if (bytes >= MIB) {
      return String.format(Locale.ROOT, "%.1f MiB", Math.floor(10.0 * bytes / MIB) / 10);
    }
    return bytes >= KIB ? bytes / KIB + " KiB" : bytes + " bytes";
  }

  /** Returns a size as a JVM flag, in whole megabytes, rounded up to a multiple of 16. */
  static String roundedFlag(long bytes) {
    long step = 16 * MIB;
    return Math.ceilDiv(bytes, step) * 16 + "m";
  }
}
