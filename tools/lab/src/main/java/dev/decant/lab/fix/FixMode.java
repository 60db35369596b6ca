package dev.decant.lab.fix;

import java.util.Arrays;
import java.util.List;

/** Which processors both sessions have, and how threads wait for bytes there. */
public enum FixMode {
  /** One, on which threads block. */
  ONE_CPU("one-cpu", "one CPU, blocking", 1, false),
  /** Two, on which threads look again and again. */
  TWO_CPUS_SPINNING("two-cpus-spinning", "two CPUs, spinning", 2, true),
  /** Two, on which threads block. */
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
   * For files and options.
   *
   * @return in small letters
   */
  public String label() {
    return label;
  }

  /**
   * For people.
   *
   * @return a few words
   */
  public String title() {
    return title;
  }

  /**
   * How many processors.
   *
   * @return 1 or 2
   */
  public int cpus() {
    return cpus;
  }

  /**
   * Whether threads spin instead of blocking.
   *
   * @return false if they block
   */
  public boolean isSpinning() {
    return spinning;
  }

  /**
   * All names.
   *
   * @return in the order of declaration
   */
  public static List<String> labels() {
    return Arrays.stream(values()).map(FixMode::label).toList();
  }

  /**
   * Finds one by its name.
   *
   * @param label as in {@link #labels}
   * @return which
   * @throws IllegalArgumentException when there is none
   */
  public static FixMode labelled(String label) {
    return Arrays.stream(values()).filter(mode -> mode.label.equals(label)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no mode " + label));
  }
}
