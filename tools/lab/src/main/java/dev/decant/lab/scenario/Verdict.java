package dev.decant.lab.scenario;

/** The verdict on a bar. */
public enum Verdict {
  /** The promise was kept. */
  MET("met"),
  /** The promise was broken. */
  NOT_MET("not met"),
  /** The promise was broken, but a loop without a client costs as much on this machine, or nearly. */
  BELOW_BARE("below bare"),
  /** The control's own samples differ by more than the two clients do. */
  INCONCLUSIVE("inconclusive"),
  /** There is no figure: the scenario has failed, or the system does not report it. */
  NOT_MEASURED("not measured");

  private final String label;

  Verdict(String label) {
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
}
