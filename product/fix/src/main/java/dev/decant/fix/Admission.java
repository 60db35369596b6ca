package dev.decant.fix;

import dev.decant.fix.settings.SessionId;
import org.jspecify.annotations.Nullable;

/**
 * The decision of the {@link Authenticator} about the first Logon(A) of a connection, until the session handles that
 * Logon. An authenticator may accept a token only once, so it is asked once per Logon. That is before a session is
 * created, or before a second logon may take over. The decision holds for the identity that the authenticator was asked
 * about, and for no other. Once, it held for any session that the template then selected. Only the thread that has the
 * connection touches this.
 */
final class Admission {
  /** The identity that the authenticator has accepted; null before a decision, and after its use. */
  private @Nullable SessionId admitted;

  /** Notes that the authenticator accepts the Logon for a session of this identity. */
  void give(SessionId id) {
    admitted = id;
  }

  /** Returns true if the authenticator has accepted the Logon for a session of this identity. */
  boolean isFor(SessionId id) {
    return id.equals(admitted);
  }

  /** Returns {@link #isFor} and clears it, since the decision does not hold for later Logons. */
  boolean take(SessionId id) {
    boolean was = isFor(id);
    admitted = null;
    return was;
  }
}
