package dev.decant.lab.carriers;

import dev.decant.lab.load.LoadSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Which loads there are. */
public enum LoadKind {
  /** Every connection sends small requests, one after another. */
  PLAIN,
  /** Few connections send a small request now and then, and are measured; others beside them ask for computations. */
  MIXED;

  /** Connections of {@link #MIXED} that are measured. */
  static final int LIGHT = 20;
  /** Connections of {@link #MIXED} that ask for computations. */
  static final int WORKING = 50;
  /** How long a light connection of {@link #MIXED} pauses. */
  static final int PAUSE_MICROS = 5_000;
  /** How long a computation takes when nobody disturbs it. */
  static final int WORK_MICROS = 200;

  /**
   * Finds one by its name.
   *
   * @param name lower case
   * @return which
   * @throws IllegalArgumentException when there is none
   */
  public static LoadKind of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  /**
   * All names.
   *
   * @return in the order of declaration
   */
  public static List<String> names() {
    return Arrays.stream(values()).map(LoadKind::label).toList();
  }

  /**
   * Its name for people.
   *
   * @return lower case
   */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Which numbers of connections are measured, given what was asked for; the mixed load has its own. */
  List<Integer> connections(List<Integer> asked) {
    return this == PLAIN ? asked : List.of(LIGHT + WORKING);
  }

  LoadSpec spec(int port, long pid, int connections) {
    return this == PLAIN
        ? new LoadSpec(port, pid, connections, 0, 0)
        : new LoadSpec(port, pid, LIGHT, PAUSE_MICROS, WORKING);
  }
}
