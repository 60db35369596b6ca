package dev.decant.lab.fix;

import java.util.Arrays;
import java.util.List;

/** What is done with the two sessions. */
public enum FixWork {
  /** An order is sent, echoed and waited for, then the next one. */
  ROUND_TRIPS("round-trips", "from before an order is sent until its echo is here"),
  /** The same while the engine writes a log of all messages. */
  ROUND_TRIPS_LOGGED("round-trips-logged", "from before an order is sent until its echo is here"),
  /** Orders are sent back to back, and the acceptor counts them. */
  ONE_WAY("one-way", ""),
  /** Orders are sent at a rate that waits for nothing, with pauses for heartbeats, and a log is written. */
  PACED("paced", "from when an order was due to be sent until its echo is here"),
  /** Nothing is sent but heartbeats. */
  IDLE("idle", "");

  private final String label;
  private final String latencyOf;

  FixWork(String label, String latencyOf) {
    this.label = label;
    this.latencyOf = latencyOf;
  }

  /**
   * For people and files.
   *
   * @return in small letters
   */
  public String label() {
    return label;
  }

  /**
   * What its latency is of.
   *
   * @return empty if it has none
   */
  public String latencyOf() {
    return latencyOf;
  }

  /**
   * On which processors it is done if nobody asks for others.
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

  /** Whether the engine writes a log of its messages. */
  boolean isLogged() {
    return this == ROUND_TRIPS_LOGGED || this == PACED;
  }

  /** Whether the acceptor sends each order back. */
  boolean isEchoed() {
    return this != ONE_WAY;
  }

  /**
   * All names.
   *
   * @return in the order of declaration
   */
  public static List<String> labels() {
    return Arrays.stream(values()).map(FixWork::label).toList();
  }

  /**
   * Finds one by its name.
   *
   * @param label as in {@link #labels}
   * @return which
   * @throws IllegalArgumentException when there is none
   */
  public static FixWork labelled(String label) {
    return Arrays.stream(values()).filter(work -> work.label.equals(label)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no work " + label));
  }
}
