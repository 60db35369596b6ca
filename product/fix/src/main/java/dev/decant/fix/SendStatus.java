package dev.decant.fix;

import dev.decant.fix.session.OutboundMessages;

/** The reason why a message can be sent or not. */
public enum SendStatus {
  /** It can be sent, or was. */
  OK,
  /** The output is full, since the counterparty reads too slowly. Try again later. */
  BACK_PRESSURE,
  /** The session is not logged on. */
  LOGGED_OUT,
  /** The schedule keeps the session closed, see {@link dev.decant.fix.settings.SessionSettings#schedule()}. */
  CLOSED,
  /**
   * The store refuses the message: its disk is full or broken, or slower than its ring. {@link FixSession#storeFailure}
   * has the cause. Try again later.
   */
  STORE_FAILED;

  /**
   * Returns the status that a result of {@link OutboundMessage#send} stands for.
   *
   * @param result a MsgSeqNum(34), or a negative number
   * @return {@link #OK} for a MsgSeqNum
   */
  public static SendStatus of(long result) {
    if (result > 0) {
      return OK;
    }
    if (result == OutboundMessages.SHUT) {
      return LOGGED_OUT;
    }
    if (result == OutboundMessages.CLOSED) {
      return CLOSED;
    }
    return result == OutboundMessages.STORE_REFUSES ? STORE_FAILED : BACK_PRESSURE;
  }
}
