package dev.decant.fake.api;

import dev.decant.kafka.protocol.ErrorCode;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A broker refuses a part of an administrative request. It is part of a response and has no stack trace. */
final class Refusal extends Exception {
  @Serial
  private static final long serialVersionUID = 1L;

  /** What the response says. */
  private final ErrorCode error;

  Refusal(ErrorCode error, @Nullable String message) {
    super(message, null, false, false);
    this.error = error;
  }

  /** Refuses with the words that Kafka has for the error in general, where responses have them. */
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
