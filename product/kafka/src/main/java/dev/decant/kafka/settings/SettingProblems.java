package dev.decant.kafka.settings;

import java.util.ArrayList;
import java.util.List;

/** Collects problems of settings, to report them in one error. Not thread-safe. */
public final class SettingProblems {
  private final List<String> lines = new ArrayList<>();

  /** Makes an empty collection. */
  public SettingProblems() {}

  /**
   * Adds a problem.
   *
   * @param line names the setting and says what to do
   */
  public void add(String line) {
    lines.add(line);
  }

  /**
   * Runs a check and adds its problem.
   *
   * @param check throws an {@link IllegalArgumentException} for a problem
   */
  public void collect(Runnable check) {
    try {
      check.run();
    } catch (IllegalArgumentException e) {
      add(String.valueOf(e.getMessage()));
    }
  }

  /** Returns a copy of the problems so far, in the order of finding. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  /**
   * Ends the checks.
   *
   * @throws IllegalArgumentException if there is a problem: its line, or a heading and a line for each of several
   */
  public void throwIfAny() {
    if (lines.size() == 1) {
      throw new IllegalArgumentException(lines.getFirst());
    }
    if (!lines.isEmpty()) {
      throw new IllegalArgumentException(
          lines.size() + " problems with the settings:\n  " + String.join("\n  ", lines));
    }
  }
}
