package dev.decant.faults.work;

import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.work.Order;
import java.time.Duration;
import java.util.Locale;

/**
 * How the members of a run work.
 *
 * @param order which records wait for each other
 * @param protocol of the group
 * @param isVirtual whether handlers run on virtual threads
 */
record WorkMode(Order order, GroupProtocol protocol, boolean isVirtual) {
  /** Attempts that follow the first at the same place. */
  static final int RETRIES = 2;
  static final Duration RETRY_PAUSE = Duration.ofMillis(100);
  static final Duration COMMIT_INTERVAL = Duration.ofMillis(500);
  static final Duration SESSION_TIMEOUT = Duration.ofSeconds(8);
  static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(1);

  static WorkMode parse(String text) {
    String[] words = text.split(",", -1);
    return new WorkMode(Order.valueOf(words[0]), GroupProtocol.of(words[1]), Boolean.parseBoolean(words[2]));
  }

  String text() {
    return order + "," + protocol.text() + ',' + isVirtual;
  }

  /** A record that fails so often goes to the dead letters. */
  int attempts() {
    return 1 + RETRIES;
  }

  /** So many records are sent in a second: few enough for handlers that wait for each other. */
  int recordsPerSecond() {
    return order == Order.BY_PARTITION ? 80 : 200;
  }

  /** Part of the names of topics. */
  String name() {
    return (order + "-" + protocol.text() + (isVirtual ? "-virtual" : "")).toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static String deadLetters(String topic) {
    return topic + "-dead";
  }

  static String group(String topic) {
    return topic + "-group";
  }
}
