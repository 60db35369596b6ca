package dev.decant.testkit.fault;

/** Which way bytes go through a proxy. */
public enum Direction {
  /** What a client says: requests. */
  TO_BROKER,
  /** What a broker says: answers. */
  TO_CLIENT
}
