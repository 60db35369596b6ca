package dev.decant.fix.settings;

/**
 * The effect on a sender while the output of its session is full, because the counterparty reads too slowly.
 */
public enum BackPressure {
  /** The sending thread waits, up to {@link SessionSettings#sendTimeout}: the default. */
  WAIT,
  /** The message is refused at once, with a status. */
  REFUSE,
  /** The message is refused and the session ends, with a Logout(5) if there is room for one. */
  DISCONNECT
}
