package dev.decant.runtime;

import java.util.Optional;

/** Reads probes into the types that the rules use. */
final class Reading {
  private Reading() {}

  static boolean isOn(RuntimeProbes probes, String flag) {
    Optional<VmFlag> found = probes.flag(flag);
    return found.isPresent() && found.get().value().equals("true");
  }

  static boolean isGiven(RuntimeProbes probes, String flag) {
    Optional<VmFlag> found = probes.flag(flag);
    return found.isPresent() && found.get().given();
  }

  /** Returns the value of a flag; -1 if it is unknown, or larger than a long, which means unlimited. */
  static long number(RuntimeProbes probes, String flag) {
    Optional<VmFlag> found = probes.flag(flag);
    try {
      return found.isPresent() ? Long.parseLong(found.get().value()) : -1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** Returns a property; the empty text when it is not set. */
  static String property(RuntimeProbes probes, String name) {
    return probes.property(name).orElse("");
  }
}
