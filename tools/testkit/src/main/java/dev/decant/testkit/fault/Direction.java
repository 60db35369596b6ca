package dev.decant.testkit.fault;

/** The direction of bytes through a proxy. */
public enum Direction {
  /** From client to broker: requests. */
  TO_BROKER,
  /** From broker to client: responses. */
  TO_CLIENT
}
