package dev.decant.fix.message;

/**
 * Reports a field that is missing, or whose value does not have the requested type. If a handler of a received message
 * throws this, the session rejects the message with the tag and the reason.
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
   * @param message the fault
   */
  public FieldException(int tag, int reason, String message) {
    super(message);
    this.tag = tag;
    this.reason = reason;
  }

  /**
   * Returns the field at fault.
   *
   * @return its tag
   */
  public int tag() {
    return tag;
  }

  /**
   * Returns the reason of a reject.
   *
   * @return a value of SessionRejectReason(373)
   */
  public int reason() {
    return reason;
  }
}
