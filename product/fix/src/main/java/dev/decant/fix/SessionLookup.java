package dev.decant.fix;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import org.jspecify.annotations.Nullable;

/**
 * Finds the settings of a counterparty that logs on to an acceptor for the first time, in a database for example. It
 * may take its time: see {@link AcceptorBuilder#lookup}.
 */
@FunctionalInterface
public interface SessionLookup {
  /**
   * Finds a session that the acceptor does not have. Called on a virtual thread of its own, which may block, and which
   * is interrupted at the deadline. To wait for a CompletableFuture, return what its {@code get} gives.
   *
   * @param id the session as this end would name it: the message's ends reversed
   * @param logon the Logon(A), valid until this returns; without the fields behind a data field that no dictionary is
   *     known for yet, if that holds the delimiter
   * @param peer the counterparty: address and certificate
   * @return the settings of a session to be made for it; null to close the connection
   * @throws Exception if it cannot be found out; the connection is closed
   */
  @Nullable
  SessionSettings find(SessionId id, MessageView logon, Peer peer) throws Exception;
}
