package dev.decant.faults.work;

import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.work.Order;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * How the members of a run work.
 *
 * @param order which records wait for each other
 * @param protocol of the group
 * @param isVirtual whether handlers run on virtual threads
 * @param hasRetryTopics whether failed records go on in retry topics
 * @param isExactlyOnce whether results and offsets are in transactions
 */
record WorkMode(Order order, GroupProtocol protocol, boolean isVirtual, boolean hasRetryTopics,
    boolean isExactlyOnce) {

  static final Duration RETRY_PAUSE = Duration.ofMillis(100);
  static final Duration COMMIT_INTERVAL = Duration.ofMillis(500);
  static final Duration SESSION_TIMEOUT = Duration.ofSeconds(8);
  static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(1);
  /** One retry topic each. */
  static final List<Duration> RETRY_DELAYS = List.of(Duration.ofSeconds(1), Duration.ofSeconds(3));
  private static final String VIRTUAL = "virtual";
  private static final String RETRY_TOPICS = "retry-topics";
  private static final String EXACTLY_ONCE = "exactly-once";

  /** Reads {@code ORDER,PROTOCOL} and any of {@code virtual}, {@code retry-topics} and {@code exactly-once}. */
  static WorkMode parse(String text) {
    List<String> words = List.of(text.split(",", -1));
    for (String word : words.subList(2, words.size())) {
      if (!List.of(VIRTUAL, RETRY_TOPICS, EXACTLY_ONCE).contains(word)) {
        throw new IllegalArgumentException("no mode " + word + "; say virtual, retry-topics or exactly-once");
      }
    }
    return new WorkMode(Order.valueOf(words.get(0)), GroupProtocol.of(words.get(1)), words.contains(VIRTUAL),
        words.contains(RETRY_TOPICS), words.contains(EXACTLY_ONCE));
  }

  String text() {
    return order + "," + protocol.text() + (isVirtual ? "," + VIRTUAL : "")
        + (hasRetryTopics ? "," + RETRY_TOPICS : "") + (isExactlyOnce ? "," + EXACTLY_ONCE : "");
  }

  /** Attempts that follow the first at the same place. */
  int retriesInPlace() {
    return hasRetryTopics ? 1 : 2;
  }

  /** A record that fails so often goes to the dead letters. */
  int attempts() {
    return 1 + retriesInPlace() + (hasRetryTopics ? RETRY_DELAYS.size() : 0);
  }

  /** Number of records that are sent in a second: few enough for handlers that wait for each other. */
  int recordsPerSecond() {
    return order == Order.BY_PARTITION ? 80 : 200;
  }

  /** Part of the names of topics. */
  String name() {
    return text().toLowerCase(Locale.ROOT).replace('_', '-').replace(',', '-');
  }

  /** What retry topics are named after. */
  static String retryTopics(String topic) {
    return topic + "-retry";
  }

  /** The names of the retry topics; none without them. */
  List<String> retryTopicsOf(String topic) {
    return hasRetryTopics ? List.of(retryTopics(topic) + "-1", retryTopics(topic) + "-2") : List.of();
  }

  static String deadLetters(String topic) {
    return topic + "-dead";
  }

  static String results(String topic) {
    return topic + "-results";
  }

  static String group(String topic) {
    return topic + "-group";
  }
}
