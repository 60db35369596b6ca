package dev.decant.kafka.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Requires that topics keep the records that the work puts there until they are read. A topic whose settings cannot be
 * read is accepted: a client may have no right to read them.
 */
final class StoringPolicy {
  private static final String CLEANUP = "cleanup.policy";
  private static final String RETENTION = "retention.ms";
  private static final String COMPACT = "compact";

  /** Reads settings of a topic. */
  @FunctionalInterface
  interface Settings {
    /** Values by name; a setting without a value is not there. */
    Map<String, String> of(String topic, List<String> names) throws InterruptedException;
  }

  private final Settings settings;
  private final BiConsumer<String, KafkaException> unchecked;
  /** The timeout of the first question, once brokers have not responded in time; null before. */
  private @Nullable KafkaTimeoutException late;

  /** {@code unchecked} takes the topics that were not checked, and why. */
  StoringPolicy(Settings settings, BiConsumer<String, KafkaException> unchecked) {
    this.settings = settings;
    this.unchecked = unchecked;
  }

  /** Refuses a topic of dead letters that deletes some of them. */
  void requireOfDeadLetters(String topic) throws InterruptedException {
    Map<String, String> values = read(topic, List.of(CLEANUP));
    if (isCompacted(values)) {
      throw new IllegalArgumentException("the topic " + topic + " for dead letters has cleanup.policy="
          + values.get(CLEANUP) + ", which deletes all dead letters of a key but the last; set cleanup.policy=delete");
    }
  }

  /** Refuses a retry topic that deletes records before they are due. */
  void requireOfRetryTopic(String topic, long delayMillis) throws InterruptedException {
    Map<String, String> values = read(topic, List.of(CLEANUP, RETENTION));
    if (isCompacted(values)) {
      throw new IllegalArgumentException("the retry topic " + topic + " has cleanup.policy=" + values.get(CLEANUP)
          + ", which deletes records of a key that wait there; set cleanup.policy=delete");
    }
    long retention = millis(values.getOrDefault(RETENTION, ""));
    if (retention >= 0 && retention <= delayMillis) {
      throw new IllegalArgumentException("the retry topic " + topic + " has retention.ms=" + retention
          + ", which deletes records before they are due after " + delayMillis + " ms; set a longer retention.ms");
    }
  }

  private Map<String, String> read(String topic, List<String> names) throws InterruptedException {
    KafkaException error = late; // a second wait for the same brokers would take the time of other questions
    if (error == null) {
      try {
        return settings.of(topic, names);
      } catch (KafkaException e) {
        error = e;
        late = e instanceof KafkaTimeoutException timeout ? timeout : null;
      }
    }
    unchecked.accept(String.join(" and ", names) + " of " + topic + (names.size() == 1 ? " was" : " were")
        + " not checked", error);
    return Map.of();
  }

  private static boolean isCompacted(Map<String, String> values) {
    String policies = values.getOrDefault(CLEANUP, "");
    return policies.contains(COMPACT); // "compact", or a list with it
  }

  /** A negative number stands for no bound. */
  private static long millis(String value) {
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      return -1; // a value in an unknown form is no reason to refuse the topic
    }
  }
}
