package dev.decant.fix;

/** Whether a message can be sent now. */
public enum SendStatus {
  /** There is a place for it. */
  OK,
  /** The outgoing buffer is full, since the counterparty reads too slowly or the store takes nothing. */
  BACK_PRESSURE,
  /** The session is not logged on. */
  LOGGED_OUT
}
