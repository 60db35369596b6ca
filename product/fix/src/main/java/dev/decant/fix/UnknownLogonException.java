package dev.decant.fix;

import java.io.IOException;
import java.io.Serial;

/** A connection ends because its first message is not the Logon of a session that it may log on to. */
final class UnknownLogonException extends IOException {
  @Serial
  private static final long serialVersionUID = 1L;

  /** Whether it was a Logon at all. */
  private final boolean isLogon;

  /** The reason repeats the peer's words as {@link ForeignText} only. */
  UnknownLogonException(boolean isLogon, String reason) {
    super(reason);
    this.isLogon = isLogon;
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }

  boolean isLogon() {
    return isLogon;
  }
}
