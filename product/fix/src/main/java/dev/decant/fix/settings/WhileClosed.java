package dev.decant.fix.settings;

/**
 * What becomes of messages that are sent while the window of a session's schedule is closed. While the logout at the
 * end of a window is under way, all are refused.
 */
public enum WhileClosed {
  /** They are not accepted: {@code send} returns {@code SendStatus.CLOSED}. */
  REFUSE,
  /**
   * They are numbered and stored for the next trading session, whose counterparty asks for them. If numbers begin
   * with 1 at the opening, they do so at the end of the window before: so the reset discards none of them.
   */
  QUEUE,
  /**
   * They are numbered and stored, and given up when the window opens: listeners are told their numbers, and the numbers
   * are used again.
   */
  EXPIRE
}
