package dev.decant.lab.driver;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/** Calls a task for the records of a topic, as the only member of its own group, from the first record on. */
interface HandlerRuntime extends AutoCloseable {

  /** Returns the name of a new group. */
  static String newGroup() {
    return "decant-lab-" + UUID.randomUUID();
  }

  /** Returns the settings of a consumer by Apache's interface. */
  static Map<String, Object> apacheSettings(WorkSpec spec) {
    Map<String, Object> settings = spec.clientSettings();
    settings.putAll(spec.consumer());
    settings.put("auto.offset.reset", "earliest");
    settings.put("group.id", newGroup());
    return settings;
  }

  /** Returns the pause before a failed record is tried again. */
  static Duration pause(WorkSpec spec) {
    return Duration.ofMillis(spec.load().handlers().pauseMillis());
  }

  @Override
  void close();
}
