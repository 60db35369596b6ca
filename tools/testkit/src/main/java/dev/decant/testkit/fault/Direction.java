package dev.decant.testkit.fault;

/** Which way bytes go through a proxy. */
public enum Direction {
  /** From a client: requests. */
  TO_BROKER,
  /** From a broker: responses. */
  TO_CLIENT
}
