package dev.decant.fix;

import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;

/**
 * The application of sessions. The owner of the engine's loop calls all methods, one at a time. They must not block:
 * the rest of the engine waits meanwhile. They may send, on this session and on others.
 */
public interface Application {
  /**
   * The session is logged on: messages can be sent.
   *
   * @param session the session
   */
  default void onLogon(FixSession session) {}

  /**
   * The session is no longer logged on, or could not log on.
   *
   * @param session the session
   * @param reason why
   */
  default void onLogout(FixSession session, String reason) {}

  /**
   * An application message has come in its turn.
   *
   * <p>If this throws a {@link dev.decant.fix.message.FieldException}, as for a missing field, the session sends
   * BusinessMessageReject(j) or Reject(3). Any other exception or Error is logged, and the session sends a reject with
   * the reason "application not available": the message counts as handled, and does not come again. A failure over a
   * BusinessMessageReject(j) is logged only. A failure of the JVM itself (InternalError, UnknownError) ends the
   * connection. Messages with PossDupFlag(43) or PossResend(97) are given to the application
   * like others.
   *
   * @param session the session
   * @param message valid until this returns
   */
  void onMessage(FixSession session, MessageView message);

  /**
   * Asks whether a message may be sent again, as the counterparty wants. An old order should not be.
   *
   * @param session the session
   * @param message as it was sent first, valid until this returns
   * @return true, the default, to send it with PossDupFlag(43); false to skip it with a gap fill
   */
  default boolean mayResend(FixSession session, MessageView message) {
    return true;
  }

  /**
   * Adds fields to a Logon(A) of this end, such as Username(553) and Password(554), which the log masks.
   *
   * @param session the session
   * @param logon takes the fields
   */
  default void onLogonToBeSent(FixSession session, FieldWriter logon) {}

  /**
   * Adds fields to a message of the session layer that this end sends: Logon(A), Heartbeat(0), TestRequest(1),
   * ResendRequest(2), Reject(3), SequenceReset(4) or Logout(5). A Logon(A) has the fields of {@link #onLogonToBeSent}
   * already.
   *
   * @param session the session
   * @param msgType MsgType(35)
   * @param fields has the session's own fields, and takes more
   */
  default void onSessionMessageToBeSent(FixSession session, String msgType, FieldWriter fields) {}

  /**
   * A valid message of the session layer has come, in its turn. The session acts on it afterwards. If this throws a
   * {@link dev.decant.fix.message.FieldException}, the session rejects the message by Reject(3), and does not act on
   * it; a Logon(A), Logout(5) or Reject(3) it obeys all the same. Other exceptions are logged.
   *
   * @param session the session
   * @param message valid until this returns
   */
  default void onSessionMessage(FixSession session, MessageView message) {}

  /**
   * A message goes to the socket next: of the application or the session, for the first time or again. Its
   * MsgSeqNum(34) is that of RefSeqNum(45) in a Reject(3) of the counterparty, which cannot have come yet. Messages
   * that were sent while the session was logged out are seen here when the counterparty asks for them.
   *
   * @param session the session
   * @param message as it is sent, valid until this returns
   */
  default void onMessageSent(FixSession session, MessageView message) {}
}
