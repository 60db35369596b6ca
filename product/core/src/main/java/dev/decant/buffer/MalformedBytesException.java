package dev.decant.buffer;

/**
 * Signals that bytes from outside violate their format: a length beyond the frame, a negative count, or a varint that
 * does not end. The message names the field and the numbers. Close the connection that delivered the bytes: its stream
 * cannot be trusted any more.
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
