package dev.decant.fix;

import dev.decant.fix.settings.SessionId;
import java.io.IOException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A connection ends because its first message is not the Logon of a session that it may log on to. */
final class UnknownLogonException extends IOException {
  @Serial
  private static final long serialVersionUID = 1L;

  /** Whether it was a Logon at all. */
  private final boolean isLogon;
  /** The identity of the session that the counterparty wants, if it is told why it has none; null otherwise. */
  private final transient @Nullable SessionId told;
  /** What it is told. */
  private final String text;

  /** The reason repeats the peer's words as {@link ForeignText} only. */
  UnknownLogonException(boolean isLogon, String reason) {
    super(reason);
    this.isLogon = isLogon;
    this.told = null;
    this.text = "";
  }

  /** The user has refused a Logon(A): the counterparty gets a Logout(5) that says why. */
  UnknownLogonException(SessionId refused, String text) {
    super(ForeignText.word(refused.toString()) + " was refused: " + ForeignText.word(text));
    this.isLogon = true;
    this.told = refused;
    this.text = text;
  }

  @Nullable
  SessionId told() {
    return told;
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
