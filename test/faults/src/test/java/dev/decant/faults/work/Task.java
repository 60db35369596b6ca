package dev.decant.faults.work;

import java.util.Random;
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
  private static final int KEYS = 40;

  /** Identifies a task in a run of the test. */
  record Id(String key, long sequence) {}

  /** One record of ten has the first key, and one of twenty has none. */
  static String anyKey(Random random) {
    int of = random.nextInt(100);
    return of < 5 ? NO_KEY : of < 15 ? "key-0" : "key-" + random.nextInt(KEYS);
  }

  /** Most tasks take no time, and few take long or fail. Those that do not fail for good fail so often at most. */
  static Task any(String key, long sequence, int mostFailures, Random random) {
    int of = random.nextInt(1000);
    int millis = of < 3 ? 2_000 : of < 33 ? 50 + random.nextInt(450) : of < 300 ? random.nextInt(4) : 0;
    int failing = random.nextInt(1000);
    int failures = failing < 4 ? FOR_GOOD : failing < 24 ? 1 + random.nextInt(mostFailures) : 0;
    return new Task(key, sequence, millis, failures);
  }

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
