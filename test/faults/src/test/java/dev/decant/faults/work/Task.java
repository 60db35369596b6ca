package dev.decant.faults.work;

import org.jspecify.annotations.Nullable;

/**
 * What the handler does with one record; the record's value has it as text.
 *
 * @param key of the record; {@link #NO_KEY} for none
 * @param sequence counts the records of a key
 * @param workMillis how long each attempt takes
 * @param failures how many attempts fail before one succeeds; {@link #FOR_GOOD} if all fail
 */
record Task(String key, long sequence, int workMillis, int failures) {

  static final String NO_KEY = "-";
  static final int FOR_GOOD = -1;

  /** Identifies a task in a run of the test. */
  record Id(String key, long sequence) {}

  static Task parse(String text) {
    String[] words = text.split(" ", -1);
    return new Task(words[0], Long.parseLong(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]));
  }

  String text() {
    return key + ' ' + sequence + ' ' + workMillis + ' ' + failures;
  }

  @Nullable
  String recordKey() {
    return key.equals(NO_KEY) ? null : key;
  }

  Id id() {
    return new Id(key, sequence);
  }

  boolean isForGood() {
    return failures == FOR_GOOD;
  }

  boolean fails(int attempt) {
    return isForGood() || attempt <= failures;
  }
}
