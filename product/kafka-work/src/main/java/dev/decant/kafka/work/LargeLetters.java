package dev.decant.kafka.work;

/** What follows if a topic does not take a copy of a record because the copy is too large. */
public enum LargeLetters {
  /** The copy is sent again and again, and {@link WorkListener#onProblem} and the status say so. This is the default.
   * */
  KEEP_TRYING,
  /**
   * The dead letter is stored without its value. It keeps key, headers and origin, and its header {@code
   * dead-letter.value-length} has the length of the value in bytes. A record that a retry topic does not take becomes a
   * dead letter at once.
   */
  DROP_VALUE,
  /** The work ends with the error. The record is not committed: it comes again at the next start. */
  STOP
}
