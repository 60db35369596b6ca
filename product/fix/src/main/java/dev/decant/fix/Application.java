package dev.decant.fix;

import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;

/**
 * Callbacks of sessions. The owner of the engine's loop calls all methods, one at a time. They must not block, since
 * all other sessions of the loop wait meanwhile. They may send messages, on this session and on others.
 */
public interface Application {
  /**
   * Called when the session is logged on: messages can be sent.
   *
   * @param session the session
   */
  default void onLogon(FixSession session) {}

  /**
   * Called when the session is no longer logged on, or could not log on.
   *
   * @param session the session
   * @param reason why
   */
  default void onLogout(FixSession session, String reason) {}

  /**
   * Handles an application message in its turn.
   *
   * <p>If this method throws a {@link dev.decant.fix.message.FieldException}, as for a missing field, the session sends
   * BusinessMessageReject(j) or Reject(3). Any other exception or Error is logged, and the session sends a reject with
   * the reason "application not available". In both cases the message counts as handled, and does not come again. A
   * failure over a BusinessMessageReject(j) is logged only. A failure of the JVM itself (InternalError, UnknownError)
   * ends the connection. Messages with PossDupFlag(43) or PossResend(97) are delivered like others.
   *
   * @param session the session
   * @param message valid until this returns
   */
  void onMessage(FixSession session, MessageView message);

  /**
   * Asks whether a message may be resent, as the counterparty requests. An application should not resend old orders.
   *
   * @param session the session
   * @param message as it was first sent, valid until this returns
   * @return true, the default, to resend it with PossDupFlag(43); false to replace it by a gap fill
   */
  default boolean mayResend(FixSession session, MessageView message) {
    return true;
  }

  /**
   * Adds fields to a Logon(A) of this end, for example Username(553) and Password(554), which the log masks.
   *
   * @param session the session
   * @param logon takes the fields
   */
  default void onLogonToBeSent(FixSession session, FieldWriter logon) {}

  /**
   * Adds fields to a session message that this end sends: Logon(A), Heartbeat(0), TestRequest(1), ResendRequest(2),
   * Reject(3), SequenceReset(4) or Logout(5). A Logon(A) already has the fields of {@link #onLogonToBeSent}.
   *
   * @param session the session
   * @param msgType MsgType(35)
   * @param fields has the fields of the session, and takes more
   */
  default void onSessionMessageToBeSent(FixSession session, String msgType, FieldWriter fields) {}

  /**
   * Handles a valid session message in its turn, before the session acts on it. If this method throws a
   * {@link dev.decant.fix.message.FieldException}, the session rejects the message by Reject(3) and does not act on it.
   * It acts on a Logon(A), Logout(5) or Reject(3) in any case. Other exceptions are logged.
   *
   * @param session the session
   * @param message valid until this returns
   */
  default void onSessionMessage(FixSession session, MessageView message) {}

  /**
   * Called before a message goes to the socket: one of the application or the session, for the first time or again. Its
   * MsgSeqNum(34) is RefSeqNum(45) in a Reject(3) of the counterparty, which cannot have arrived yet. Messages sent
   * while the session was logged out are shown when the counterparty requests them.
   *
   * @param session the session
   * @param message as it is sent, valid until this returns
   */
  default void onMessageSent(FixSession session, MessageView message) {}
}
