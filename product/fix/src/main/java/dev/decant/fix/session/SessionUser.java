package dev.decant.fix.session;

import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import org.jspecify.annotations.Nullable;

/**
 * Connects a session with the application above it and the connection below. Called by the owner of the session only.
 */
public interface SessionUser {
  /**
   * Decides about the first Logon(A) of a connection.
   *
   * @param logon valid during the call
   * @return null to accept it; otherwise the reason for the refusal, which goes to the counterparty
   */
  @Nullable
  String refuseLogon(MessageView logon);

  /**
   * Adds fields to a Logon(A) of this end, for example credentials.
   *
   * @param logon takes the fields
   */
  void completeLogon(FieldWriter logon);

  /**
   * Adds fields to a session message that is about to be sent.
   *
   * @param msgType MsgType as a number
   * @param fields hold the fields of the session, and take more
   */
  default void completeAdmin(int msgType, FieldWriter fields) {}

  /**
   * Shows a session message of the counterparty in its turn, before the session acts on it.
   *
   * @param message valid during the call. If this method throws a {@link dev.decant.fix.message.FieldException}, the
   *     session rejects the message and does not act on it. It acts on a Logon(A), Logout(5) or Reject(3) in any case
   */
  default void onAdmin(MessageView message) {}

  /** Returns true if {@link #onSent} has an effect. Default false. */
  default boolean wantsSent() {
    return false;
  }

  /**
   * Shows a message that goes to the socket next.
   *
   * @param message valid during the call
   */
  default void onSent(MessageView message) {}

  /**
   * Called when both numbers were reset to 1, or could not be.
   *
   * @param isDone false if the store has refused the reset
   */
  default void onReset(boolean isDone) {}

  /** Called when the session is logged on: messages can be sent. */
  void onLogon();

  /**
   * Delivers an application message in its turn, or a repeated one with PossDupFlag(43).
   *
   * @param message valid during the call. If this method throws a {@link dev.decant.fix.message.FieldException}, the
   *     session rejects the message
   */
  void onMessage(MessageView message);

  /**
   * Asks whether a message may be resent.
   *
   * @param message as it was first sent, valid during the call
   * @return false to replace it by a gap fill
   */
  boolean mayResend(MessageView message);

  /**
   * Closes the connection after the output is written.
   *
   * @param reason for the log
   */
  void closeConnection(String reason);
}
