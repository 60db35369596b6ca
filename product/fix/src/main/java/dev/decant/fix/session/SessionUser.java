package dev.decant.fix.session;

import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import org.jspecify.annotations.Nullable;

/** The surroundings of a session: the application above, the connection below. Owner of the session only. */
public interface SessionUser {
  /**
   * Looks at the Logon(A) of a counterparty that has connected.
   *
   * @param logon the message, valid during the call
   * @return null to accept; a reason to refuse, which goes to the counterparty
   */
  @Nullable
  String refuseLogon(MessageView logon);

  /**
   * Adds fields to a Logon(A) of ours: credentials, for example.
   *
   * @param logon takes them
   */
  void completeLogon(FieldWriter logon);

  /**
   * Adds fields to a message of the session layer that is to be sent.
   *
   * @param msgType MsgType as a number
   * @param fields hold the session's own, and take more
   */
  default void completeAdmin(int msgType, FieldWriter fields) {}

  /**
   * A message of the session layer has come in its turn; the session acts on it afterwards.
   *
   * @param message valid during the call; if this throws a {@link dev.decant.fix.message.FieldException}, the session
   *     rejects the message, and does not act on it. A Logon(A), Logout(5) or Reject(3) is obeyed all the same
   */
  default void onAdmin(MessageView message) {}

  /**
   * Tells whether {@link #onSent} is of use.
   *
   * @return false, the default, if it does nothing
   */
  default boolean wantsSent() {
    return false;
  }

  /**
   * A message goes to the socket next.
   *
   * @param message valid during the call
   */
  default void onSent(MessageView message) {}

  /**
   * Both numbers have become 1, or were to.
   *
   * @param isDone false if the store has refused that
   */
  default void onReset(boolean isDone) {}

  /** The session is logged on: messages can be sent. */
  void onLogon();

  /**
   * An application message has come in its turn, or again with PossDupFlag(43).
   *
   * @param message valid during the call; if this throws a {@link dev.decant.fix.message.FieldException}, the session
   *     sends a reject
   */
  void onMessage(MessageView message);

  /**
   * Asks whether a message may be sent again.
   *
   * @param message as it was sent first, valid during the call
   * @return false to skip it with a gap fill
   */
  boolean mayResend(MessageView message);

  /**
   * The session wants its connection closed, after what is in the output buffer was written.
   *
   * @param reason why
   */
  void closeConnection(String reason);
}
