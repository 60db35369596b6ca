package dev.decant.kafka.event;

/** What can go wrong. The codes are stable: dashboards and alarms may rely on them. */
public enum ErrorKind {
  /** A connection, or an attempt to make one, ended because something went wrong. */
  CONNECTION_ENDED("connection.ended"),
  /** Metadata could not be had; the client asks again. */
  METADATA_FAILED("metadata.failed"),
  /** A batch was refused or lost and is sent again. */
  PRODUCE_RETRIED("produce.retried"),
  /** A batch was given up. */
  PRODUCE_FAILED("produce.failed"),
  /** The producer got no producer id; it asks again. */
  IDENTITY_FAILED("identity.failed"),
  /** A request about a transaction failed and is sent again. */
  TRANSACTION_RETRIED("transaction.retried"),
  /** A transaction failed and has to be aborted. */
  TRANSACTION_FAILED("transaction.failed"),
  /** A transactional id cannot be used any more: another client has taken it over, or a right is missing. */
  TRANSACTION_FENCED("transaction.fenced"),
  /** A fetch failed; the consumer asks again. */
  FETCH_RETRIED("fetch.retried"),
  /** A fetch failed for good; the next poll throws. */
  FETCH_FAILED("fetch.failed"),
  /** A log has lost records that a consumer had read; reading goes on where it diverged. */
  LOG_TRUNCATED("log.truncated"),
  /** A record that cannot be decoded was passed over, as the consumer's policy says. */
  RECORD_SKIPPED("record.skipped"),
  /** Listeners of the application took more than 100 ms, and held up all connections of the client. */
  LISTENER_SLOW("listener.slow"),
  /** A heartbeat, a commit or a look at committed offsets failed; the member tries again. */
  GROUP_RETRIED("group.retried"),
  /** The member was thrown out of its group; it has lost its partitions and joins again. */
  GROUP_LOST("group.lost"),
  /** The group refused the member for good; every poll throws. */
  GROUP_FAILED("group.failed"),
  /** Offsets were not committed. */
  COMMIT_FAILED("commit.failed"),
  /** A broker that asks for client metrics did not take them (KIP-714). */
  METRICS_REFUSED("metrics.refused"),
  /** Changed TLS keys or certificates cannot be used; those before them stay. */
  KEYS_REFUSED("keys.refused"),
  /** The client's TLS certificate expires within 30 days, or has expired; told once a day. */
  CERTIFICATE_EXPIRES("certificate.expires"),
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
