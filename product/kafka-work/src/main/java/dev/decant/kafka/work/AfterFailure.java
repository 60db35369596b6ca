package dev.decant.kafka.work;

/** What becomes of a record that has failed and is not tried again. */
public enum AfterFailure {
  /** The work ends with the error. The record is not committed: it comes again at the next start. */
  STOP,
  /** The record counts as done; listeners hear of it. */
  SKIP,
  /** The record counts as done once a copy of it is stored in the dead-letter topic. */
  DEAD_LETTER
}
