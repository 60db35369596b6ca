package dev.decant.kafka;

import dev.decant.kafka.protocol.ErrorCode;
import java.util.Objects;

/** A broker has refused something of one topic: the right is missing, the name is none, or there is no such topic. */
public final class TopicException extends KafkaException {
  private static final long serialVersionUID = 1L;

  private final String topic;

  /**
   * Makes the exception.
   *
   * @param code the broker's error
   * @param topic whose error it is
   * @param message stage, broker, cause
   */
  public TopicException(ErrorCode code, String topic, String message) {
    super(code, message);
    this.topic = Objects.requireNonNull(topic, "topic");
  }

  /**
   * The exception for an error that may be one of a topic.
   *
   * @param code the broker's error
   * @param topic what the request was about
   * @param message stage, broker, cause
   * @return one that names the topic, if the code says that the topic is the reason
   */
  public static KafkaException of(ErrorCode code, String topic, String message) {
    return switch (code) {
      case TOPIC_AUTHORIZATION_FAILED, INVALID_TOPIC_EXCEPTION, UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID ->
        new TopicException(code, topic, message);
      default -> new KafkaException(code, message);
    };
  }

  /**
   * The topic.
   *
   * @return its name
   */
  public String topic() {
    return topic;
  }
}
