package dev.decant.kafka.telemetry;

/**
 * Hears what a client does with each request, batch and poll, for figures that its counters do not have. A client has
 * one at most; one without pays a load of a field for each of these events. A method is told by the owner of the
 * client's loop where it does not say otherwise: return soon, do not block.
 */
public interface ClientMeter {
  /**
   * A request was queued on its connection.
   *
   * @param broker host and port
   * @param apiKey of the request
   * @param bytes of the request, its length prefix included
   */
  default void onRequest(String broker, short apiKey, int bytes) {}

  /**
   * A response has said how long its broker wants no further request.
   *
   * @param millis how long; 0 for not at all
   */
  default void onThrottle(int millis) {}

  /**
   * A connection that has TLS or SASL is ready.
   *
   * @param again whether it replaces another one whose session ends (KIP-368)
   * @param nanos since the attempt began
   */
  default void onAuthenticated(boolean again, long nanos) {}

  /**
   * A connection is encrypted: its handshake is done.
   *
   * @param cipher suite, as the JDK names it
   * @param protocol such as TLSv1.3
   */
  default void onEncrypted(String cipher, String protocol) {}

  /**
   * A connection has ended of which {@link #onEncrypted} was told.
   *
   * @param cipher as it was told
   * @param protocol as it was told
   */
  default void onEncryptedEnded(String cipher, String protocol) {}

  /**
   * A broker has refused who the client is, or the client has refused the broker.
   *
   * @param again whether the connection was to replace another one whose session ends
   */
  default void onAuthenticationFailed(boolean again) {}

  /**
   * A batch leaves, for the first time or again.
   *
   * @param topic the topic
   * @param records of the batch
   * @param bytes of the batch as it is sent
   * @param plainBytes of the batch before its compression
   */
  default void onBatch(String topic, int records, int bytes, int plainBytes) {}

  /**
   * A batch leaves for the first time.
   *
   * @param nanos since its first record was appended
   */
  default void onQueued(long nanos) {}

  /** A batch that is too large for its broker was split in two (KIP-126). */
  default void onSplit() {}

  /**
   * A sender has waited for memory, whatever came of it. Told by the sending thread.
   *
   * @param nanos for how long
   */
  default void onMemoryAwaited(long nanos) {}

  /** A poll has used up the last records of a fetch response. Told by the polling thread. */
  default void onFetchConsumed() {}

  /**
   * A poll has handed out records of a partition. Told by the polling thread.
   *
   * @param topic the topic
   * @param partition the partition
   * @param lag offsets from the position to the end of the log; -1 if not known
   * @param lead offsets from the start of the log to the position; -1 if not known
   * @param replica the follower that the partition is read from; -1 for the leader
   */
  default void onDelivered(String topic, int partition, long lag, long lead, int replica) {}

  /**
   * The coordinator of a classic group has taken the member's join.
   *
   * @param nanos since the request
   */
  default void onJoined(long nanos) {}

  /**
   * The coordinator of a classic group has given the member its partitions.
   *
   * @param nanos since the request
   */
  default void onSynced(long nanos) {}

  /**
   * A rebalance is over, and the member has its partitions.
   *
   * @param nanos it took
   */
  default void onRebalanced(long nanos) {}

  /** A rebalance is over, since the member was removed or refused. */
  default void onRebalanceFailed() {}
}
