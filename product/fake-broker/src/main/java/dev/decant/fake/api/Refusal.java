package dev.decant.fake.api;

import dev.decant.kafka.protocol.ErrorCode;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The refusal of a part of an administrative request. It becomes part of a response, so it has no stack trace. */
final class Refusal extends Exception {
  @Serial
  private static final long serialVersionUID = 1L;

  /** The error code of the response. */
  private final ErrorCode error;

  Refusal(ErrorCode error, @Nullable String message) {
    super(message, null, false, false);
    this.error = error;
  }

  /** Returns a refusal with Kafka's general text for the error, in responses that have texts. */
  static Refusal of(ErrorCode error) {
    return new Refusal(error, switch (error) {
      case UNKNOWN_TOPIC_OR_PARTITION -> "This server does not host this topic-partition.";
      case TOPIC_AUTHORIZATION_FAILED -> "Topic authorization failed.";
      case GROUP_AUTHORIZATION_FAILED -> "Group authorization failed.";
      case CLUSTER_AUTHORIZATION_FAILED -> "Cluster authorization failed.";
      case UNKNOWN_TOPIC_ID -> "This server does not host this topic ID.";
      default -> error.description();
    });
  }

  ErrorCode error() {
    return error;
  }
}
