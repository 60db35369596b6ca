package dev.decant.lab.compare;

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
}
