package dev.decant.fix.settings;

/**
 * The treatment of messages that are sent while the window of a session's schedule is closed. During the logout at the
 * end of a window, all are refused.
 */
public enum WhileClosed {
  /** The messages are not accepted: {@code send} returns {@code SendStatus.CLOSED}. */
  REFUSE,
  /**
   * The messages are numbered and stored for the next trading session, in which the counterparty requests them. A reset
   * at the opening takes place at the end of the window before, so that it discards none of them.
   */
  QUEUE,
  /**
   * The messages are numbered and stored, and discarded when the window opens. Listeners get their numbers, which are
   * used again.
   */
  EXPIRE
}
