package dev.decant.lab.compare;

import java.util.Collection;

/** What a comparison says of its first side. */
public enum Conclusion {
  /** It is better. */
  BETTER("better"),
  /** It is worse. */
  WORSE("worse"),
  /** The two differ by less than the margin, if at all. */
  SAME("same"),
  /** The samples are too few, or differ too much from each other. */
  INCONCLUSIVE("inconclusive");

  private final String label;

  Conclusion(String label) {
    this.label = label;
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
   * The verdict over several metrics.
   *
   * @param conclusions one per metric
   * @return better or worse if it is so by at least one and the opposite by none; the same if it is by all
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
