package dev.decant.kafka.fetch;

/**
 * Settings of a consumer's fetches.
 *
 * @param maxWaitMillis Kafka's {@code fetch.max.wait.ms}
 * @param minBytes Kafka's {@code fetch.min.bytes}
 * @param maxBytes Kafka's {@code fetch.max.bytes}
 * @param maxPartitionBytes Kafka's {@code max.partition.fetch.bytes}
 * @param readsCommitted whether Kafka's {@code isolation.level} is {@code read_committed}
 * @param rack Kafka's {@code client.rack}; empty for none
 * @param policy decides where to continue after a position was out of range
 */
public record FetchSettings(int maxWaitMillis, int minBytes, int maxBytes, int maxPartitionBytes,
    boolean readsCommitted, String rack, PositionPolicy policy) {
  /** Returns the {@code isolation_level} of requests (KIP-98). */
  byte isolation() {
    return isolation(readsCommitted);
  }

  static byte isolation(boolean readsCommitted) {
    return (byte) (readsCommitted ? 1 : 0);
  }

  /** Returns the lowest usable version of ListOffsets: below 2 it has no isolation level. */
  static int leastListOffsetsVersion(byte isolation) {
    return isolation == 0 ? 1 : 2;
  }
}
