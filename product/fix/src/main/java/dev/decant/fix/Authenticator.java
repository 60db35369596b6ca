package dev.decant.fix;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import org.jspecify.annotations.Nullable;

/**
 * Decides which counterparties may log on to an acceptor. Called by the owner of the engine's loop: it must not block.
 */
public interface Authenticator {
  /**
   * Returns settings for a counterparty whose session the acceptor does not have.
   *
   * @param id the session as this end names it: sender and target of the message are reversed
   * @param logon the Logon(A), valid until this returns. It ends at a data field that contains the delimiter, as long
   *     as no dictionary for it is known
   * @param peer the address and certificate of the counterparty
   * @return the settings of a session to be created; null, the default, to close the connection
   */
  default @Nullable SessionSettings newSession(SessionId id, MessageView logon, Peer peer) {
    return null;
  }

  /**
   * Decides about a Logon(A) for a session. The session examines the Logon afterwards, so it may still turn out
   * invalid. A refused Logon changes no sequence number at either end. Called once for each Logon, before a template or
   * lookup creates the session. A second Logon for a session that has a connection may lead to two calls: before it
   * waits, and when it takes over. If this method throws, the Logon is refused.
   *
   * @param id the session
   * @param logon the Logon(A), valid until this returns, with Username(553), Password(554) and RawData(96)
   * @param peer the address and certificate of the counterparty
   * @return null, the default, to accept it; otherwise the reason, which the counterparty receives in a Logout(5)
   */
  default @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
    return null;
  }
}
