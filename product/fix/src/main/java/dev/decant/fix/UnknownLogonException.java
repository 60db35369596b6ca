package dev.decant.fix;

import dev.decant.fix.settings.SessionId;
import java.io.IOException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Ends a connection whose first message is not a Logon for a session that it may log on to. */
final class UnknownLogonException extends IOException {
  @Serial
  private static final long serialVersionUID = 1L;

  /** True if the message was a Logon. */
  private final boolean isLogon;
  /** The requested session, if the counterparty gets a Logout with the reason; null otherwise. */
  private final transient @Nullable SessionId refused;
  /** Text(58) of that Logout; empty if there is none. */
  private final String text;

  /** Creates the exception. Words of the peer must be in the reason as {@link ForeignText} only. */
  UnknownLogonException(boolean isLogon, String reason) {
    super(reason);
    this.isLogon = isLogon;
    this.refused = null;
    this.text = "";
  }

  /**
   * Creates the exception for a Logon(A) that the user has refused: the counterparty gets a Logout(5) with the reason.
   */
  UnknownLogonException(SessionId refused, String text) {
    super(ForeignText.word(refused.toString()) + " was refused: " + ForeignText.word(text));
    this.isLogon = true;
    this.refused = refused;
    this.text = text;
  }

  @Nullable
  SessionId refused() {
    return refused;
  }

  String text() {
    return text;
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }

  boolean isLogon() {
    return isLogon;
  }
}
