package dev.decant.runtime;

/** How much a {@link Finding} matters. */
public enum Severity {
  /** It costs speed, or may end the process or corrupt data; logged at {@link System.Logger.Level#WARNING}. */
  WARNING(System.Logger.Level.WARNING),
  /** It is worth knowing, and costs only some applications; logged at {@link System.Logger.Level#INFO}. */
  INFO(System.Logger.Level.INFO);

  private final System.Logger.Level level;

  Severity(System.Logger.Level level) {
    this.level = level;
  }

  System.Logger.Level level() {
    return level;
  }
}
