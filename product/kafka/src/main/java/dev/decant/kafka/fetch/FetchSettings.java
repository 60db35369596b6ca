package dev.decant.kafka.fetch;

/**
 * How a consumer fetches.
 *
 * @param maxWaitMillis Kafka's {@code fetch.max.wait.ms}
 * @param minBytes Kafka's {@code fetch.min.bytes}
 * @param maxBytes Kafka's {@code fetch.max.bytes}
 * @param maxPartitionBytes Kafka's {@code max.partition.fetch.bytes}
 * @param readsCommitted whether Kafka's {@code isolation.level} is {@code read_committed}
 * @param rack Kafka's {@code client.rack}; empty for none
 * @param policy where reading goes on if a position is of no use
 */
public record FetchSettings(int maxWaitMillis, int minBytes, int maxBytes, int maxPartitionBytes,
    boolean readsCommitted, String rack, PositionPolicy policy) {
  /** The {@code isolation_level} of requests (KIP-98). */
  byte isolation() {
    return isolation(readsCommitted);
  }

  static byte isolation(boolean readsCommitted) {
    return (byte) (readsCommitted ? 1 : 0);
  }

  /** The lowest version of ListOffsets that has the isolation level, or none where it does not matter. */
  static int leastListOffsetsVersion(byte isolation) {
    return isolation == 0 ? 1 : 2;
  }
}
