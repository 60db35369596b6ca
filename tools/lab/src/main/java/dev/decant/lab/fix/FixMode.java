package dev.decant.lab.fix;

import java.util.Arrays;
import java.util.List;

/** The number of processors for both sessions, and the way in which threads wait for bytes. */
public enum FixMode {
  /** One processor, on which threads block. */
  ONE_CPU("one-cpu", "one CPU, blocking", 1, false),
  /** Two processors, on which threads spin. */
  TWO_CPUS_SPINNING("two-cpus-spinning", "two CPUs, spinning", 2, true),
  /** Two processors, on which threads block. */
  TWO_CPUS_BLOCKING("two-cpus-blocking", "two CPUs, blocking", 2, false);

  private final String label;
  private final String title;
  private final int cpus;
  private final boolean spinning;

  FixMode(String label, String title, int cpus, boolean spinning) {
    this.label = label;
    this.title = title;
    this.cpus = cpus;
    this.spinning = spinning;
  }

  /**
   * Returns the name for files and options.
   *
   * @return in small letters
   */
  public String label() {
    return label;
  }

  /**
   * Returns the title for people.
   *
   * @return a few words
   */
  public String title() {
    return title;
  }

  /**
   * Returns the number of processors.
   *
   * @return 1 or 2
   */
  public int cpus() {
    return cpus;
  }

  /**
   * Returns true if threads spin instead of blocking.
   *
   * @return false if they block
   */
  public boolean isSpinning() {
    return spinning;
  }

  /**
   * Returns all names.
   *
   * @return in the order of declaration
   */
  public static List<String> labels() {
    return Arrays.stream(values()).map(FixMode::label).toList();
  }

  /**
   * Returns the mode of a name.
   *
   * @param label as in {@link #labels}
   * @return the mode
   * @throws IllegalArgumentException if no mode has that name
   */
  public static FixMode labelled(String label) {
    return Arrays.stream(values()).filter(mode -> mode.label.equals(label)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no mode " + label));
  }
}
