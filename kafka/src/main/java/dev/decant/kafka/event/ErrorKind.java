package dev.decant.kafka.event;

/** What can go wrong. The codes are stable: dashboards and alarms may rely on them. */
public enum ErrorKind {
  /** A connection, or an attempt to make one, ended. */
  CONNECTION_ENDED("connection.ended"),
  /** Metadata could not be had; the client asks again. */
  METADATA_FAILED("metadata.failed"),
  /** A batch was refused or lost and is sent again. */
  PRODUCE_RETRIED("produce.retried"),
  /** A batch was given up. */
  PRODUCE_FAILED("produce.failed"),
  /** The producer got no producer id; it asks again. */
  IDENTITY_FAILED("identity.failed"),
  /** A fetch failed; the consumer asks again. */
  FETCH_RETRIED("fetch.retried"),
  /** A fetch failed for good; the next poll throws. */
  FETCH_FAILED("fetch.failed"),
  /** Listeners of the application took more than 100 ms, and held up all connections of the client. */
  LISTENER_SLOW("listener.slow"),
  /** A listener or handler of the application threw. */
  LISTENER_FAILED("listener.failed");

  private final String code;

  ErrorKind(String code) {
    this.code = code;
  }

  /**
   * The stable code.
   *
   * @return lower case, with dots
   */
  public String code() {
    return code;
  }
}
