package dev.decant.fix;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import org.jspecify.annotations.Nullable;

/**
 * Finds the settings of a counterparty that logs on to an acceptor for the first time, for example in a database. A
 * lookup may block: see {@link AcceptorBuilder#lookup}.
 */
@FunctionalInterface
public interface SessionLookup {
  /**
   * Returns settings for a counterparty whose session the acceptor does not have. Called on a virtual thread of its
   * own, which may block and is interrupted at the deadline. To wait for a CompletableFuture, return the result of its
   * {@code get}.
   *
   * @param id the session as this end names it: sender and target of the message are reversed
   * @param logon the Logon(A), valid until this returns. It ends at a data field that contains the delimiter, as long
   *     as no dictionary for it is known
   * @param peer the address and certificate of the counterparty
   * @return the settings of a session to be created; null to close the connection
   * @throws Exception if the lookup fails; then the connection is closed
   */
  @Nullable
  SessionSettings find(SessionId id, MessageView logon, Peer peer) throws Exception;
}
