package dev.decant.kafka.protocol;

/**
 * A message cannot be said in a version: there is no such version, or a field is set that the version does not have and
 * that must not be dropped silently. The message names the field and the version. Seen when a broker is too old for
 * what it is asked.
 */
public final class UnsupportedVersionException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message which field or message, and which version
   */
  public UnsupportedVersionException(String message) {
    super(message);
  }
}
