package dev.decant.lab.fix;

import java.util.Arrays;
import java.util.List;

/** The work of the two sessions. */
public enum FixWork {
  /** Sends an order and waits for its echo before the next one. */
  ROUND_TRIPS("round-trips", "from before an order is sent until its echo is here"),
  /** Round trips while the engine logs all messages. */
  ROUND_TRIPS_LOGGED("round-trips-logged", "from before an order is sent until its echo is here"),
  /** Sends orders back to back; the acceptor counts them. */
  ONE_WAY("one-way", ""),
  /** Sends orders at a rate that waits for nothing, with pauses for heartbeats, and logs all messages. */
  PACED("paced", "from when an order was due to be sent until its echo is here"),
  /** Sends nothing but heartbeats. */
  IDLE("idle", "");

  private final String label;
  private final String latencyOf;

  FixWork(String label, String latencyOf) {
    this.label = label;
    this.latencyOf = latencyOf;
  }

  /**
   * Returns the name for people and files.
   *
   * @return in small letters
   */
  public String label() {
    return label;
  }

  /**
   * Describes what one value of the latency is, for people.
   *
   * @return empty if the work has no latency
   */
  public String latencyOf() {
    return latencyOf;
  }

  /**
   * Returns the modes of the work for a plan that names none.
   *
   * @return in the order of the tables
   */
  List<FixMode> modes() {
    return switch (this) {
      case ROUND_TRIPS -> List.of(FixMode.values());
      case ROUND_TRIPS_LOGGED -> List.of(FixMode.ONE_CPU);
      case ONE_WAY, PACED, IDLE -> List.of(FixMode.TWO_CPUS_BLOCKING);
    };
  }

  /** Returns true if the engine logs its messages. */
  boolean isLogged() {
    return this == ROUND_TRIPS_LOGGED || this == PACED;
  }

  /** Returns true if the acceptor sends each order back. */
  boolean isEchoed() {
    return this != ONE_WAY;
  }

  /**
   * Returns all names.
   *
   * @return in the order of declaration
   */
  public static List<String> labels() {
    return Arrays.stream(values()).map(FixWork::label).toList();
  }

  /**
   * Returns the work of a name.
   *
   * @param label as in {@link #labels}
   * @return the work
   * @throws IllegalArgumentException if no work has that name
   */
  public static FixWork labelled(String label) {
    return Arrays.stream(values()).filter(work -> work.label.equals(label)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no work " + label));
  }
}
