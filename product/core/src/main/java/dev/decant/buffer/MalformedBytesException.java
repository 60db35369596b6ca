package dev.decant.buffer;

/**
 * Bytes from outside violate their format: a length beyond the frame, a negative count, a varint that does not end. The
 * message names the field and the numbers. The connection that delivered them cannot be trusted any more.
 */
public final class MalformedBytesException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what was wrong, with the numbers
   */
  public MalformedBytesException(String message) {
    super(message);
  }
}
