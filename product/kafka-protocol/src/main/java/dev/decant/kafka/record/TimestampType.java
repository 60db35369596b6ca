package dev.decant.kafka.record;

/** The meaning of a batch's timestamps: bit 3 of its attributes. */
public enum TimestampType {
  /** The time when the producer created the record. */
  CREATE_TIME,
  /** The time when the broker appended the batch, the same for all its records. */
  LOG_APPEND_TIME
}
