package dev.decant.fix.message;

/**
 * Reports a field that does not fit into the room that the message was begun with. Begin it with more room, or shorten
 * it.
 */
public final class MessageTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message the room that there is, and the room that was required
   */
  public MessageTooLargeException(String message) {
    super(message);
  }
}
