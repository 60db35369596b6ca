package dev.decant.fix;

import dev.decant.fix.settings.SessionId;
import org.jspecify.annotations.Nullable;

/**
 * What the {@link Authenticator} has said about the first Logon(A) of a connection, before the session takes it. An
 * authenticator may take a token once, so it is asked once about a Logon: before a session is made for it, or before it
 * may take over from another connection. It counts for the identity that the authenticator was asked about, and for no
 * other. Only the thread that has the connection touches it.
 */
final class Admission {
  private @Nullable SessionId admitted;

  /** The authenticator accepts the Logon for a session of this identity. */
  void give(SessionId id) {
    admitted = id;
  }

  /** Whether the authenticator has accepted the Logon for a session of this identity. */
  boolean isFor(SessionId id) {
    return id.equals(admitted);
  }

  /** As {@link #isFor}, for the session that takes the Logon. Later Logons are others. */
  boolean take(SessionId id) {
    boolean was = isFor(id);
    admitted = null;
    return was;
  }
}
