package dev.decant.lab.fix;

/**
 * What is measured at once.
 *
 * @param engine which
 * @param work what it does
 * @param mode on which processors
 */
public record FixSetup(Engine engine, FixWork work, FixMode mode) {

  /**
   * What engines are compared in.
   *
   * @return work and mode in a few words
   */
  public String group() {
    return work.label() + ", " + mode.title();
  }

  /**
   * For people.
   *
   * @return engine, work and mode in a few words
   */
  public String label() {
    return engine.label() + ", " + group();
  }
}
