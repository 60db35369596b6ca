package dev.decant.fake.api;

import dev.decant.kafka.protocol.ErrorCode;
import java.io.Serial;

/** A broker refuses a part of an administrative request. It is part of a response and has no stack trace. */
final class Refusal extends Exception {
  @Serial
  private static final long serialVersionUID = 1L;

  /** What the response says. */
  private final ErrorCode error;

  Refusal(ErrorCode error, String message) {
    super(message, null, false, false);
    this.error = error;
  }

  /** Refuses with the words that Kafka has for the error in general. */
  static Refusal of(ErrorCode error) {
    return new Refusal(error, error.description());
  }

  ErrorCode error() {
    return error;
  }
}
