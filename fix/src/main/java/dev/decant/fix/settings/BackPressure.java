package dev.decant.fix.settings;

/**
 * What happens to a sender while the outgoing buffer of its session is full, since the counterparty reads too slowly.
 */
public enum BackPressure {
  /** The sending thread waits, up to {@link SessionSettings#sendTimeout}: the default. */
  WAIT,
  /** The message is refused at once, and the sender told so. */
  REFUSE,
  /** The message is refused and the session ends, with a Logout(5) if there is room for one. */
  DISCONNECT
}
