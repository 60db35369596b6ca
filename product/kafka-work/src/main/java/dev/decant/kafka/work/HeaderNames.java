package dev.decant.kafka.work;

/**
 * The names and the form of the headers that say where a dead letter, or a record of a retry topic, comes from and why.
 */
public enum HeaderNames {
  /**
   * Texts: {@code dead-letter.topic}, {@code .partition}, {@code .offset}, {@code .timestamp} (epoch milliseconds),
   * {@code .group}, {@code .attempts}, {@code .error} (the class), {@code .message}. In retry topics they begin with
   * {@code retry.}, and {@code retry.due} says when the record is due.
   */
  DECANT,
  /**
   * Those of Spring Kafka's {@code DeadLetterPublishingRecoverer}, with numbers in big-endian bytes:
   * {@code kafka_dlt-original-topic} and the others. In retry topics those of its retry topics: {@code
   * kafka_original-topic}, {@code retry_topic-attempts} and the others.
   */
  SPRING
}
