package dev.decant.fix.message;

/**
 * A field of a message is missing, or its value is not of the type that was asked for. If a handler of a received
 * message throws this, or lets it through, the session rejects the message with the tag and the reason.
 */
public final class FieldException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int tag;
  private final int reason;

  /**
   * Creates the exception.
   *
   * @param tag of the field
   * @param reason a value of SessionRejectReason(373), see {@link RejectReason}
   * @param message what is wrong
   */
  public FieldException(int tag, int reason, String message) {
    super(message);
    this.tag = tag;
    this.reason = reason;
  }

  /**
   * The field.
   *
   * @return its tag
   */
  public int tag() {
    return tag;
  }

  /**
   * The problem.
   *
   * @return a value of SessionRejectReason(373)
   */
  public int reason() {
    return reason;
  }
}
