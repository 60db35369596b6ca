package dev.decant.kafka.protocol;

/**
 * Signals that a message cannot be written in a version: the version does not exist, or it lacks a field that is set
 * and must not be dropped. The message names the field and the version. It occurs when a broker is too old for the
 * request.
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
