package dev.decant.lab.scenario;

/** What a run says of a bar. */
public enum Verdict {
  /** The promise was kept. */
  MET("met"),
  /** It was not. */
  NOT_MET("not met"),
  /** It was not, but it asks for less than a loop without a client costs on this machine, or hardly more. */
  BELOW_BARE("below bare"),
  /** The control's own samples differ by more than the two clients do. */
  INCONCLUSIVE("inconclusive"),
  /** There is no figure: the scenario failed, or the system does not tell. */
  NOT_MEASURED("not measured");

  private final String label;

  Verdict(String label) {
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
