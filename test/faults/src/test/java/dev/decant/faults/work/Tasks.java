package dev.decant.faults.work;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * Tasks by chance. Most take no time, and few take long or fail. With retry topics there are more keys and fewer
 * failures: a failed record delays its key for seconds there. One thread.
 */
final class Tasks {
  private static final int PERCENT_WITHOUT_KEY = 5;

  private final Random random;
  private final int keys;
  private final int percentOfFirstKey;
  /** Numbers in a thousand tasks: those that fail for good, and those that fail at all. */
  private final int failingForGood;
  private final int failing;
  private final int mostFailures;
  private final Map<String, Long> sequences = new HashMap<>();

  Tasks(WorkMode mode, long seed) {
    random = new Random(seed);
    keys = mode.hasRetryTopics() ? 400 : 40;
    percentOfFirstKey = mode.hasRetryTopics() ? 2 : 10;
    failingForGood = mode.hasRetryTopics() ? 2 : 4;
    failing = mode.hasRetryTopics() ? 12 : 24;
    mostFailures = mode.attempts() - 1;
  }

  Task next() {
    String key = anyKey();
    return new Task(key, sequences.merge(key, 1L, Long::sum), anyMillis(), anyFailures());
  }

  private String anyKey() {
    int of = random.nextInt(100);
    if (of < PERCENT_WITHOUT_KEY) {
      return Task.NO_KEY;
    }
    return "key-" + (of < PERCENT_WITHOUT_KEY + percentOfFirstKey ? 0 : random.nextInt(keys));
  }

  private int anyMillis() {
    int of = random.nextInt(1000);
    if (of < 3) {
      return 2_000;
    }
    if (of < 33) {
      return 50 + random.nextInt(450);
    }
    return of < 300 ? random.nextInt(4) : 0;
  }

  private int anyFailures() {
    int of = random.nextInt(1000);
    if (of < failingForGood) {
      return Task.FOR_GOOD;
    }
    return of < failing ? 1 + random.nextInt(mostFailures) : 0;
  }
}
