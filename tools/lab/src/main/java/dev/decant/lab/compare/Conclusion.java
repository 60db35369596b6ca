package dev.decant.lab.compare;

import java.util.Collection;

/** The conclusion of a comparison about its first side. */
public enum Conclusion {
  /** The first side is better. */
  BETTER("better"),
  /** The first side is worse. */
  WORSE("worse"),
  /** The two sides differ by less than the margin. */
  SAME("same"),
  /** The samples are too few, or differ too much from each other. */
  INCONCLUSIVE("inconclusive");

  private final String label;

  Conclusion(String label) {
    this.label = label;
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
   * Returns the conclusion over several metrics.
   *
   * @param conclusions one conclusion for each metric
   * @return better or worse if at least one metric says so and none says the opposite; the same if all say so
   */
  public static Conclusion of(Collection<Conclusion> conclusions) {
    boolean better = conclusions.contains(BETTER);
    boolean worse = conclusions.contains(WORSE);
    if (better != worse) {
      return better ? BETTER : WORSE;
    }
    return conclusions.stream().allMatch(each -> each == SAME) ? SAME : INCONCLUSIVE;
  }
}
