package dev.decant.fix.event;

import dev.decant.fix.message.Leniency;
import dev.decant.fix.settings.SessionId;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * Events of sessions. Called by the owner of the engine's loop, in the middle of its work: a listener returns at once.
 * An event that a listener does not override costs nothing. An exception of a listener is logged.
 */
public interface SessionListener {
  /**
   * The engine has a session more: of an initiator, of an acceptor, or one that was made at a logon. Called soon after
   * it was opened.
   *
   * @param session the session
   */
  default void onOpened(SessionId session) {}

  /**
   * The engine has forgotten a session.
   *
   * @param session the session
   */
  default void onForgotten(SessionId session) {}

  /**
   * The session is logged on in both directions.
   *
   * @param session the session
   */
  default void onLogon(SessionId session) {}

  /**
   * A connection that was logged on, or tried to be, has ended.
   *
   * @param session the session
   * @param reason why
   */
  default void onDisconnect(SessionId session, String reason) {}

  /**
   * A logon has come to nothing: its connection has ended before it was complete, or the counterparty has ended it
   * within 10 s and has sent nothing but Logon(A) and Logout(5). A Logout(5) without a text is no failure. Logons that
   * fail one after the other mostly have sequence numbers or settings that do not fit those of the counterparty.
   *
   * @param session the session
   * @param inARow how many have failed since the last one that has not
   * @param reason why the connection has ended
   */
  default void onLogonFailed(SessionId session, long inARow, String reason) {}

  /**
   * Bytes have arrived that are no message, and were passed over.
   *
   * @param session the session
   * @param reason what is wrong with them
   */
  default void onGarbled(SessionId session, String reason) {}

  /**
   * Messages of the counterparty are missing.
   *
   * @param session the session
   * @param expected the number of the first one
   * @param received the number that has arrived instead
   */
  default void onGap(SessionId session, long expected, long received) {}

  /**
   * The counterparty was asked to send messages again.
   *
   * @param session the session
   * @param from the first number
   * @param to the last number; 0 for all
   */
  default void onResendRequestSent(SessionId session, long from, long to) {}

  /**
   * The counterparty asks for messages again.
   *
   * @param session the session
   * @param from the first number
   * @param to the last number
   */
  default void onResendRequestReceived(SessionId session, long from, long to) {}

  /**
   * A message was rejected, by Reject(3) or BusinessMessageReject(j).
   *
   * @param session the session
   * @param number its MsgSeqNum(34)
   * @param reason the text of the reject
   */
  default void onRejectSent(SessionId session, long number, String reason) {}

  /**
   * The counterparty has rejected a message by Reject(3).
   *
   * @param session the session
   * @param number the number of the message, RefSeqNum(45)
   * @param reason Text(58), or empty
   */
  default void onRejectReceived(SessionId session, long number, String reason) {}

  /**
   * Nothing has arrived for longer than the heartbeat interval: a TestRequest(1) was sent.
   *
   * @param session the session
   */
  default void onHeartbeatMissed(SessionId session) {}

  /**
   * Both sequence numbers begin with 1 again.
   *
   * @param session the session
   */
  default void onReset(SessionId session) {}

  /**
   * Messages that were accepted will not be sent: their window has opened ({@code WhileClosed.EXPIRE}), or sequence
   * numbers have begun with 1 before they went to the socket. The numbers are those that {@code send} returned; numbers
   * of the session's own messages may be among them.
   *
   * @param session the session
   * @param from the first number
   * @param to the last number
   */
  default void onMessagesDiscarded(SessionId session, long from, long to) {}

  /**
   * The store takes nothing: messages wait, or the session ends.
   *
   * @param session the session
   * @param cause why
   */
  default void onStoreFailed(SessionId session, Exception cause) {}

  /**
   * The counterparty reads more slowly than the session sends. Told after
   * {@link dev.decant.fix.settings.SessionSettings#slowAfter}, and again after twice the time each, until it has read
   * all.
   *
   * @param session the session
   * @param waitingBytes how much waits for the socket now
   * @param since how long the output has not been empty
   */
  default void onSlowCounterparty(SessionId session, long waitingBytes, Duration since) {}

  /**
   * A connection to an acceptor has ended before a session was logged on. The reasons: a Logon(A) with CompIDs or a
   * BeginString(8) that no session has, another first message, a time-out, a TLS handshake that failed, or too many
   * connections of this kind. A connection that the peer has closed is not reported.
   *
   * @param from the address of the peer
   * @param reason why; words of the peer are bounded in it, and hold printable ASCII only
   */
  default void onConnectionRefused(InetSocketAddress from, String reason) {}

  /**
   * A message was let through although it breaks a rule, because a setting allows that. The first one of a kind is
   * reported at once, later ones once a minute at most: the count tells how many there were.
   *
   * @param session the session
   * @param leniency the rule
   * @param count the messages that the session has let through by it since it was opened
   * @param example the message that is reported, by its number and the field at fault
   */
  default void onLetThrough(SessionId session, Leniency leniency, long count, String example) {}

  /**
   * Anything else that an operator may want to know.
   *
   * @param session the session
   * @param text what
   */
  default void onNotice(SessionId session, String text) {}
}
