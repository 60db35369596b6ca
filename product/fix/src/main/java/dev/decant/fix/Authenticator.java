package dev.decant.fix;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import org.jspecify.annotations.Nullable;

/**
 * Decides who may log on to an acceptor. Called by the owner of the engine's loop: it must not block.
 */
public interface Authenticator {
  /**
   * A counterparty wants to log on to a session that the acceptor does not have.
   *
   * @param id the session as this end would name it: the message's ends reversed
   * @param logon the Logon(A), valid until this returns; without the fields behind a data field that no dictionary is
   *     known for yet, if that holds the delimiter
   * @param peer the counterparty: address and certificate
   * @return the settings of a session to be made for it; null, the default, to close the connection
   */
  default @Nullable SessionSettings newSession(SessionId id, MessageView logon, Peer peer) {
    return null;
  }

  /**
   * A counterparty wants to log on to a session. Called before anything else of the Logon is looked at, so it may turn
   * out invalid afterwards. A refused one changes no sequence number, at neither end. Called once for each Logon,
   * before a template or a lookup makes the session. A second Logon for a session that has a connection may be asked
   * about twice: before it waits, and when it takes over. If this throws, the Logon is refused.
   *
   * @param id the session
   * @param logon the Logon(A), valid until this returns; Username(553), Password(554) and RawData(96) are in it
   * @param peer the counterparty: address and certificate
   * @return null to accept it, the default; a reason to refuse it, which the counterparty is sent in a Logout(5)
   */
  default @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
    return null;
  }
}
