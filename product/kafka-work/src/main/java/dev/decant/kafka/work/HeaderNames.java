package dev.decant.kafka.work;

/** The names and the form of the headers that say where a dead letter comes from and why. */
public enum HeaderNames {
  /**
   * Texts: {@code dead-letter.topic}, {@code .partition}, {@code .offset}, {@code .timestamp} (epoch milliseconds),
   * {@code .group}, {@code .attempts}, {@code .error} (the class), {@code .message}.
   */
  DECANT,
  /**
   * Those of Spring Kafka's {@code DeadLetterPublishingRecoverer}, with numbers in big-endian bytes:
   * {@code kafka_dlt-original-topic} and the others.
   */
  SPRING
}
