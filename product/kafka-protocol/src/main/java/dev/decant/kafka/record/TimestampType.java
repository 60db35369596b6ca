package dev.decant.kafka.record;

/** What the timestamps of a batch say: bit 3 of its attributes. */
public enum TimestampType {
  /** When the producer created the record. */
  CREATE_TIME,
  /** When the broker appended the batch; all its records have the same. */
  LOG_APPEND_TIME
}
