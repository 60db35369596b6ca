package dev.decant.lab.carriers;

import dev.decant.lab.load.LoadSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The kinds of loads. */
public enum LoadKind {
  /** Every connection sends small requests, one after another. */
  PLAIN,
  /** A few measured connections send small requests with pauses; other connections request computations. */
  MIXED;

  /** Number of measured connections of {@link #MIXED}. */
  static final int LIGHT = 20;
  /** Number of connections of {@link #MIXED} that request computations. */
  static final int WORKING = 50;
  /** Pause of a measured connection of {@link #MIXED}. */
  static final int PAUSE_MICROS = 5_000;
  /** Duration of an undisturbed computation. */
  static final int WORK_MICROS = 200;

  /**
   * Returns the load of a name.
   *
   * @param name name in lower case
   * @return the load
   * @throws IllegalArgumentException if no load has that name
   */
  public static LoadKind of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  /**
   * Returns all names.
   *
   * @return in the order of declaration
   */
  public static List<String> names() {
    return Arrays.stream(values()).map(LoadKind::label).toList();
  }

  /**
   * Returns the name for people.
   *
   * @return in lower case
   */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the numbers of connections to measure; the mixed load has its own. */
  List<Integer> connections(List<Integer> asked) {
    return this == PLAIN ? asked : List.of(LIGHT + WORKING);
  }

  LoadSpec spec(int port, long pid, int connections) {
    return this == PLAIN
        ? new LoadSpec(port, pid, connections, 0, 0)
        : new LoadSpec(port, pid, LIGHT, PAUSE_MICROS, WORKING);
  }
}
