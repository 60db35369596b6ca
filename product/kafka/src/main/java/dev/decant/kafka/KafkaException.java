package dev.decant.kafka;

import dev.decant.kafka.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * An operation against the cluster has failed. The message names the stage, the broker if one is known, and the cause.
 * The client has retried retriable errors until the deadline of the operation.
 */
public class KafkaException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /**
   * Makes an exception for an error that a broker reported.
   *
   * @param code the broker's error
   * @param message stage, broker, cause
   */
  public KafkaException(ErrorCode code, String message) {
    this(code, message, null);
  }

  /**
   * Makes an exception.
   *
   * @param code the broker's error, or {@link ErrorCode#NONE} if no broker reported one
   * @param message stage, broker, cause
   * @param cause the exception that caused this one, or null
   */
  public KafkaException(ErrorCode code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /**
   * Returns the error of the broker, or one of this client's own.
   *
   * @return the code; {@link ErrorCode#NONE} if no broker reported one and the client has none of its own
   */
  public ErrorCode code() {
    return code;
  }

  /**
   * Returns what the application may do about the error. Within a transaction this differs from the kind of the code
   * alone.
   *
   * @return {@link ErrorCode.Kind#NONE} if no broker reported an error and nothing more is known
   */
  public ErrorCode.Kind kind() {
    return code.kind();
  }
}
