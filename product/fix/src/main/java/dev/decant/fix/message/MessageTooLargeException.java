package dev.decant.fix.message;

/** A field does not fit into the room that a message was begun with. Begin it with more, or make it shorter. */
public final class MessageTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message how much there is and how much was wanted
   */
  public MessageTooLargeException(String message) {
    super(message);
  }
}
