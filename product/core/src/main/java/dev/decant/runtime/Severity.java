package dev.decant.runtime;

/** The importance of a {@link Finding}. */
public enum Severity {
  /** The finding costs speed, or may end the process or corrupt data; logged at {@link System.Logger.Level#WARNING}. */
  WARNING(System.Logger.Level.WARNING),
  /** The finding costs some applications only; logged at {@link System.Logger.Level#INFO}. */
  INFO(System.Logger.Level.INFO);

  private final System.Logger.Level level;

  Severity(System.Logger.Level level) {
    this.level = level;
  }

  System.Logger.Level level() {
    return level;
  }
}
