package dev.decant.kafka.consumer;

import java.util.Locale;

/** What a consumer sees of transactions; Kafka's {@code isolation.level} (KIP-98). */
public enum IsolationLevel {
  /** Every record, of open and aborted transactions too. */
  READ_UNCOMMITTED,
  /**
   * No record of a transaction before that is committed, and nothing behind a transaction that is open, so that order
   * is kept: reading comes to a stop at the last stable offset.
   */
  READ_COMMITTED;

  /** As Kafka's properties write it. */
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
