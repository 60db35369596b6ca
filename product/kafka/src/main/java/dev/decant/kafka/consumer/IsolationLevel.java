package dev.decant.kafka.consumer;

import java.util.Locale;

/** Which records of transactions a consumer delivers; Kafka's {@code isolation.level} (KIP-98). */
public enum IsolationLevel {
  /** Every record, also of open and aborted transactions. */
  READ_UNCOMMITTED,
  /**
   * Only records of committed transactions, and none behind an open transaction, so that their order is kept: reading
   * stops at the last stable offset.
   */
  READ_COMMITTED;

  /** Returns the name as Kafka's properties write it. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  static IsolationLevel of(String text) {
    for (IsolationLevel level : values()) {
      if (level.text().equals(text.toLowerCase(Locale.ROOT))) {
        return level;
      }
    }
    throw new IllegalArgumentException(
        "isolation.level: \"" + text + "\" is unknown: use read_uncommitted or read_committed");
  }
}
