package dev.decant.lab.scenario;

import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.driver.WorkSpec;
import java.util.Map;

/** The settings of one client for keys and handlers. */
final class HandlerSettings {
  private static final String KEYS = "keys";
  private static final String HOT = "keys.hot.percent";
  private static final String ORDER = "order";
  private static final String MILLIS = "handler.ms";
  private static final String FAILURES = "handler.fail.percent";
  private static final String PAUSE = "handler.pause.ms";
  private static final int MOST_KEYS = 1_000_000;
  private static final int MOST_MILLIS = 10_000;
  /** Most records of a topic with failures: the failures of each record are counted in an array. */
  private static final long MOST_RECORDS_WITH_FAILURES = 100_000_000;

  private final Settings settings;

  HandlerSettings(Settings settings) {
    this.settings = settings;
  }

  /** Returns the keys of the records that a client reads. */
  WorkSpec.Keys keys(WorkKind work) {
    if (!work.isOfHandlers() && !work.readsWritten()) {
      return WorkSpec.Keys.NONE;
    }
    return new WorkSpec.Keys((int) settings.number(KEYS, 0, work.isOfHandlers() ? 1 : 0, MOST_KEYS),
        (int) settings.number(HOT, 0, 0, 100));
  }

  /** Returns the work of handlers on each record. */
  WorkSpec.Handlers handlers(WorkKind work) {
    if (!work.isOfHandlers() && !work.isHandlersAlone()) {
      return WorkSpec.Handlers.NONE;
    }
    int failures = work.hasFailures() ? (int) settings.number(FAILURES, 0, 1, 100) : 0;
    return new WorkSpec.Handlers(settings.choice(ORDER, "key", "partition", "none"),
        (int) settings.number(MILLIS, -1, 0, MOST_MILLIS), failures,
        (int) settings.number(PAUSE, 0, 0, MOST_MILLIS));
  }

  /**
   * Rejects a work with handlers for a client that cannot call them, and any other work for a client that can do
   * nothing else.
   */
  void requireClient(String client, WorkKind work) {
    boolean isRuntime = client.equals(WorkSpec.PARALLEL_CONSUMER) || client.equals(WorkSpec.SPRING_KAFKA);
    boolean hasHandlers = isRuntime || client.startsWith(WorkSpec.PEER_PREFIX)
        || (client.startsWith(WorkSpec.DECANT) && !client.equals(WorkSpec.DECANT_APACHE));
    if (work.isOfHandlers() && !hasHandlers) {
      throw settings.refuse("work", work.label() + " is a work of decant, kafka-clients, parallel-consumer and"
          + " spring-kafka");
    }
    if (isRuntime && !work.isOfHandlers()) {
      throw settings.refuse("work",
          "work-key, work-retry and work-paced are the works of the client " + client + ", which has no other");
    }
  }

  /** Rejects settings without effect, and a topic that is too small for the measurement. */
  void check(WorkKind work, WorkSpec.Amount amount) {
    Map<String, String> all = settings.all();
    if (all.containsKey(FAILURES) && work.isOfHandlers() && !work.hasFailures()) {
      throw settings.refuse(FAILURES, "the work work-retry has failures, and no other");
    }
    if (!work.isOfHandlers() || !work.readsWritten()) {
      return;
    }
    if (amount.records() == 0) {
      throw settings.refuse("records", "the work " + work.label() + " ends after a number of records; say how many,"
          + " and perhaps seconds, too");
    }
    long most = amount.topicRecords() * WorkSpec.READ_OF_TOPIC / WorkSpec.WHOLE_TOPIC;
    if (most < amount.warmUpRecords() + amount.records()) {
      throw settings.refuse("topic.records", "three quarters of " + amount.topicRecords() + " are fewer than the "
          + amount.warmUpRecords() + " of the warm-up and the " + amount.records() + " that are measured");
    }
    if (work.hasFailures() && amount.topicRecords() > MOST_RECORDS_WITH_FAILURES) {
      throw settings.refuse("topic.records", "must be at most " + MOST_RECORDS_WITH_FAILURES + " with failures");
    }
    if (work.hasFailures() && settings.number(MILLIS, -1, 0, MOST_MILLIS) == 0) {
      throw settings.refuse(MILLIS, "a handler that fails takes 1 ms at least");
    }
  }
}
