package dev.decant.fix.event;

import dev.decant.fix.message.Leniency;
import dev.decant.fix.settings.SessionId;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * Receives events of sessions. The owner of the engine's loop calls it within its work, so a listener returns at once.
 * An event that no listener overrides costs nothing. An exception of a listener is logged.
 */
public interface SessionListener {
  /**
   * Called soon after a session was opened: of an initiator, of an acceptor, or one that a logon has created.
   *
   * @param session the session
   */
  default void onOpened(SessionId session) {}

  /**
   * Called when the engine has forgotten a session.
   *
   * @param session the session
   */
  default void onForgotten(SessionId session) {}

  /**
   * Called when the session is logged on in both directions.
   *
   * @param session the session
   */
  default void onLogon(SessionId session) {}

  /**
   * Called when a connection has ended that was logged on, or tried to log on.
   *
   * @param session the session
   * @param reason why
   */
  default void onDisconnect(SessionId session, String reason) {}

  /**
   * Called when a logon has failed: its connection ended before it was complete. It has also failed if the counterparty
   * ended the connection within 10 s and sent nothing but Logon(A) and Logout(5). A Logout(5) without Text(58) is no
   * failure. If logons fail in a row, sequence numbers or settings usually do not match those of the counterparty.
   *
   * @param session the session
   * @param inARow the number of failures since the last success
   * @param reason why the connection has ended
   */
  default void onLogonFailed(SessionId session, long inARow, String reason) {}

  /**
   * Called when garbled bytes have arrived and were skipped.
   *
   * @param session the session
   * @param reason the fault of the bytes
   */
  default void onGarbled(SessionId session, String reason) {}

  /**
   * Called when messages of the counterparty are missing.
   *
   * @param session the session
   * @param expected the number of the first missing message
   * @param received the number that has arrived instead
   */
  default void onGap(SessionId session, long expected, long received) {}

  /**
   * Called when the counterparty was requested to resend messages.
   *
   * @param session the session
   * @param from the first number
   * @param to the last number; 0 for all
   */
  default void onResendRequestSent(SessionId session, long from, long to) {}

  /**
   * Called when the counterparty requests messages again.
   *
   * @param session the session
   * @param from the first number
   * @param to the last number
   */
  default void onResendRequestReceived(SessionId session, long from, long to) {}

  /**
   * Called when a message was rejected, by Reject(3) or BusinessMessageReject(j).
   *
   * @param session the session
   * @param number the MsgSeqNum(34) of the message
   * @param reason the text of the reject
   */
  default void onRejectSent(SessionId session, long number, String reason) {}

  /**
   * Called when the counterparty has rejected a message by Reject(3).
   *
   * @param session the session
   * @param number RefSeqNum(45), the number of the message
   * @param reason Text(58), or empty
   */
  default void onRejectReceived(SessionId session, long number, String reason) {}

  /**
   * Called when no message has arrived for longer than the heartbeat interval, and a TestRequest(1) was sent.
   *
   * @param session the session
   */
  default void onHeartbeatMissed(SessionId session) {}

  /**
   * Called when both sequence numbers were reset to 1.
   *
   * @param session the session
   */
  default void onReset(SessionId session) {}

  /**
   * Called when accepted messages are discarded unsent. Their window has opened ({@code WhileClosed.EXPIRE}), sequence
   * numbers were reset before the messages went to the socket, or an operator has set the number back. The numbers are
   * those that {@code send} returned. Numbers of session messages may be among them.
   *
   * @param session the session
   * @param from the first number
   * @param to the last number
   */
  default void onMessagesDiscarded(SessionId session, long from, long to) {}

  /**
   * Called when the store refuses a change: messages wait, or the session ends.
   *
   * @param session the session
   * @param cause the failure of the store
   */
  default void onStoreFailed(SessionId session, Exception cause) {}

  /**
   * Called when the counterparty reads more slowly than the session sends, first after
   * {@link dev.decant.fix.settings.SessionSettings#slowAfter}. Called again each time that the delay has doubled, until
   * the counterparty has read everything.
   *
   * @param session the session
   * @param waitingBytes bytes that wait for the socket now
   * @param since how long the output has not been empty
   */
  default void onSlowCounterparty(SessionId session, long waitingBytes, Duration since) {}

  /**
   * Called when a connection to an acceptor has ended before a logon. Reasons are a Logon(A) whose CompIDs or
   * BeginString(8) no session has, another first message, a timeout, or a failed TLS handshake. Another one is too many
   * connections before the logon. A connection that the peer has closed is not reported.
   *
   * @param from the address of the peer
   * @param reason why; words of the peer are limited in it, and are printable ASCII only
   */
  default void onConnectionRefused(InetSocketAddress from, String reason) {}

  /**
   * Called when a message was accepted although it breaks a rule, because a setting relaxes that rule. The first
   * message of a kind is reported at once, later ones once a minute at most; the count has all of them.
   *
   * @param session the session
   * @param leniency the rule
   * @param count accepted messages that broke the rule since the session was opened
   * @param example the reported message, by its number and the field at fault
   */
  default void onTolerated(SessionId session, Leniency leniency, long count, String example) {}

  /**
   * Called for other events that an operator may want to know.
   *
   * @param session the session
   * @param text a sentence
   */
  default void onNotice(SessionId session, String text) {}
}
