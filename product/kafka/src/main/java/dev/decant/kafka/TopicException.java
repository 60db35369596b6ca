package dev.decant.kafka;

import dev.decant.kafka.protocol.ErrorCode;
import java.util.Objects;

/**
 * A broker has refused a request for one topic: the right is missing, the name is invalid, or the topic does not exist.
 */
public final class TopicException extends KafkaException {
  private static final long serialVersionUID = 1L;

  private final String topic;

  /**
   * Makes the exception.
   *
   * @param code the broker's error
   * @param topic the topic that was refused
   * @param message stage, broker, cause
   */
  public TopicException(ErrorCode code, String topic, String message) {
    super(code, message);
    this.topic = Objects.requireNonNull(topic, "topic");
  }

  /**
   * Makes the exception for an error that may belong to a topic.
   *
   * @param code the broker's error
   * @param topic the topic of the request
   * @param message stage, broker, cause
   * @return an exception that names the topic if the code says that the topic is the reason
   */
  public static KafkaException of(ErrorCode code, String topic, String message) {
    return switch (code) {
      case TOPIC_AUTHORIZATION_FAILED, INVALID_TOPIC_EXCEPTION, UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID ->
        new TopicException(code, topic, message);
      default -> new KafkaException(code, message);
    };
  }

  /**
   * Returns the topic.
   *
   * @return its name
   */
  public String topic() {
    return topic;
  }
}
