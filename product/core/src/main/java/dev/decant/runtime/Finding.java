package dev.decant.runtime;

/**
 * One way in which a JVM does not suit its work. Texts are single lines without a full stop at their end.
 *
 * @param id names the kind of finding and never changes, such as {@code gc.serial}; {@link RuntimeCheck} lists them
 * @param severity how much it matters
 * @param measured what was found, with its value and where it comes from
 * @param why what it costs
 * @param cure the flag or setting that ends it
 */
public record Finding(String id, Severity severity, String measured, String why, String cure) {
  /**
   * Returns the finding as one line for a log.
   *
   * @return one line
   */
  public String message() {
    return id + ": " + measured + "; " + why + ". Cure: " + cure;
  }

  static Finding warning(String id, String measured, String why, String cure) {
    return new Finding(id, Severity.WARNING, measured, why, cure);
  }

  static Finding info(String id, String measured, String why, String cure) {
    return new Finding(id, Severity.INFO, measured, why, cure);
  }
}
