package dev.decant.lab.driver;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/** Calls a task for the records of a topic, as the only member of a group of its own, from the first record on. */
interface HandlerRuntime extends AutoCloseable {

  /** The name of a group that nobody has. */
  static String newGroup() {
    return "decant-lab-" + UUID.randomUUID();
  }

  /** Settings of a consumer by Apache's interface. */
  static Map<String, Object> apacheSettings(WorkSpec spec) {
    Map<String, Object> settings = spec.clientSettings();
    settings.putAll(spec.consumer());
    settings.put("auto.offset.reset", "earliest");
    settings.put("group.id", newGroup());
    return settings;
  }

  /** The pause before a failed record is tried again. */
  static Duration pause(WorkSpec spec) {
    return Duration.ofMillis(spec.load().handlers().pauseMillis());
  }

  @Override
  void close();
}
