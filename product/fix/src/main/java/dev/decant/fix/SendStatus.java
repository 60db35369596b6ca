package dev.decant.fix;

import dev.decant.fix.session.OutboundMessages;

/** Whether a message can be sent now. */
public enum SendStatus {
  /** It can be, or was. */
  OK,
  /** The output is full, since the counterparty reads too slowly. Try again later. */
  BACK_PRESSURE,
  /** The session is not logged on. */
  LOGGED_OUT,
  /** The session is closed by its schedule: see {@link dev.decant.fix.settings.SessionSettings#schedule()}. */
  CLOSED,
  /**
   * The store takes nothing: its disk is full or broken, or slower than its ring. {@link FixSession#storeFailure} says
   * which. Try again later.
   */
  STORE_FAILED;

  /**
   * The status in a result of {@link OutboundMessage#send}.
   *
   * @param result a MsgSeqNum(34), or a negative number in its place
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
