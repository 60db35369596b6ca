package dev.decant.fix.settings;

/** The number of fraction digits in SendingTime(52) and OrigSendingTime(122) of sent messages. */
public enum TimestampPrecision {
  /** Whole seconds, the only one before FIX.4.2. */
  SECONDS(0),
  /** Three digits: the default from FIX.4.2 on. */
  MILLIS(3),
  /** Six digits. */
  MICROS(6),
  /** Nine digits. */
  NANOS(9);

  private final int fractionDigits;

  TimestampPrecision(int fractionDigits) {
    this.fractionDigits = fractionDigits;
  }

  /**
   * Returns the number of digits after the point.
   *
   * @return 0, 3, 6 or 9
   */
  public int fractionDigits() {
    return fractionDigits;
  }
}
